import type { Middleware } from 'grammy';
import { notice } from '../../i18n/view.ts';
import type { BotContext } from '../context.ts';
import type { Handler } from '../features/feature.ts';
import { cancelCard, leave, leaveFlow } from '../leave-flow.ts';
import { CANCEL } from '../listed-commands.ts';
import { show } from '../reply.ts';
import type { Router } from '../router.ts';

/** Creates the middleware for commands. They work at any time and leave what is open. */
export function takeCommands({
  router,
  openMenu,
  returned,
}: {
  router: Router;
  openMenu: Handler;
  /**
   * Called after `/start`, with which a user who had blocked the bot returns, so that pending notifications can be
   * sent.
   */
  returned: (chat: number) => Promise<unknown>;
}): Middleware<BotContext> {
  async function cancel(ctx: BotContext): Promise<void> {
    const { card, code } = ctx.session;
    const wasOpen = leaveFlow(ctx);
    delete ctx.lead;
    if (await cancelCard(ctx, router, code ?? card)) return;
    if (!wasOpen) ctx.lead = ctx.words.html('cancelled-nothing');
    if (wasOpen) await show(ctx, notice(ctx.words, ctx.words.html('cancelled')));
    else await openMenu(ctx);
  }

  return async (ctx, next) => {
    const { name, text } = commandOf(ctx) ?? {};
    const open =
      name === CANCEL ? cancel : name === undefined ? undefined : router.command(name, ctx, text ?? '');
    if (open === undefined) return next();
    if (name !== CANCEL) await leave(ctx, router);
    const chat = ctx.chatId;
    if (name === 'start' && chat !== undefined) ctx.tx.afterCommit(() => returned(chat));
    const payload = name === 'start' ? payloadOf(ctx.message?.text) : undefined;
    await (payload !== undefined && router.follow ? router.follow(ctx, payload) : open(ctx));
    if (ctx.entering) await next();
  };
}

/**
 * Returns the payload of a link to the bot (https://core.telegram.org/bots/features#deep-linking): the token of an
 * invoice.
 */
export function payloadOf(text: string | undefined): string | undefined {
  return /^\/start(?:@\w+)? invoice-(\S*)$/.exec(text ?? '')?.[1];
}

/** Returns the command at the beginning of a message if it is meant for this bot, and the text after it. */
function commandOf({ message, me }: BotContext): { name: string; text: string } | undefined {
  const entity = message?.entities?.[0];
  if (message?.text === undefined || entity?.type !== 'bot_command' || entity.offset !== 0) return undefined;
  const [name = '', addressee] = message.text.slice(1, entity.length).split('@');
  const isOurs = addressee === undefined || addressee.toLowerCase() === me.username.toLowerCase();
  return isOurs ? { name: name.toLowerCase(), text: message.text.slice(entity.length).trim() } : undefined;
}
