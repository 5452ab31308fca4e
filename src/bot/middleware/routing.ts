import type { Middleware } from 'grammy';
import { readAnswer, withMenuButton } from '../../i18n/view.ts';
import type { ButtonTokens } from '../button-tokens.ts';
import type { BotContext } from '../context.ts';
import { cancelCard, endFlow, endFlowAndCodeCard } from '../conversations.ts';
import type { Handler } from '../feature.ts';
import { show } from '../reply.ts';
import { CANCEL, type Router } from '../router.ts';

/** Creates the middleware for commands. They work at any time and leave what is open. */
export function handleCommands({
  router,
  openMenu,
  onReturn,
}: {
  router: Router;
  openMenu: Handler;
  /**
   * Called after `/start`, with which a user who had blocked the bot returns, so that pending notifications can be
   * sent.
   */
  onReturn: (chat: number) => Promise<unknown>;
}): Middleware<BotContext> {
  async function cancel(ctx: BotContext): Promise<void> {
    const { card, code } = ctx.session;
    const wasOpen = endFlow(ctx);
    delete ctx.headerHtml;
    if (await cancelCard(ctx, router, code ?? card)) return;
    if (!wasOpen) ctx.headerHtml = ctx.words.html('cancelled-nothing');
    if (wasOpen) await show(ctx, withMenuButton(ctx.words, ctx.words.html('cancelled')));
    else await openMenu(ctx);
  }

  return async (ctx, next) => {
    const { name, text } = parseCommand(ctx) ?? {};
    const handler =
      name === CANCEL ? cancel : name === undefined ? undefined : router.routeCommand(name, ctx, text ?? '');
    if (handler === undefined) return next();
    if (name !== CANCEL) await endFlowAndCodeCard(ctx, router);
    const chat = ctx.chatId;
    if (name === 'start' && chat !== undefined) ctx.tx.afterCommit(() => onReturn(chat));
    const payload = name === 'start' ? startPayload(ctx.message?.text) : undefined;
    await (payload !== undefined && router.onStartLink ? router.onStartLink(ctx, payload) : handler(ctx));
    if (ctx.flowToEnter) await next();
  };
}

/**
 * Returns the payload of a link to the bot (https://core.telegram.org/bots/features#deep-linking): the token of an
 * invoice.
 */
export function startPayload(text: string | undefined): string | undefined {
  return /^\/start(?:@\w+)? invoice-(\S*)$/.exec(text ?? '')?.[1];
}

/** Returns the command at the beginning of a message if it is meant for this bot, and the text after it. */
function parseCommand({ message, me }: BotContext): { name: string; text: string } | undefined {
  const entity = message?.entities?.[0];
  if (message?.text === undefined || entity?.type !== 'bot_command' || entity.offset !== 0) return undefined;
  const [name = '', addressee] = message.text.slice(1, entity.length).split('@');
  const isOurs = addressee === undefined || addressee.toLowerCase() === me.username.toLowerCase();
  return isOurs ? { name: name.toLowerCase(), text: message.text.slice(entity.length).trim() } : undefined;
}

/**
 * Creates the middleware for taps outside of flows. It runs above the conversations, because an open one consumes what
 * it doesn't match. A tap on an outdated button gets a toast. A tap without the token that its button needs reaches no
 * handler and leaves an open flow as it is.
 */
export function handleTaps({
  router,
  buttonTokens,
}: {
  router: Pick<Router, 'routeTap'>;
  buttonTokens: Pick<ButtonTokens, 'redeem'>;
}): Middleware<BotContext> {
  return async (ctx, next) => {
    const tap = ctx.callbackQuery;
    if (tap === undefined || readAnswer(tap.data) !== undefined) return next();
    const routed = tap.data === undefined ? undefined : router.routeTap(tap.data, ctx);
    if (routed === undefined || tap.data === undefined || tap.message === undefined) {
      ctx.toast = ctx.words.plain('toast-over');
      return;
    }
    ctx.tx.signal.throwIfAborted();
    const tapped = { chat: tap.message.chat.id, update: ctx.update.update_id, data: tap.data };
    if (!(await buttonTokens.redeem(tapped))) {
      ctx.toast = ctx.words.plain('toast-button-expired');
      return;
    }
    if (!routed.feature.keepsFlow) await endFlowAndCodeCard(ctx, router);
    await routed.press(ctx, tap.message.message_id);
    if (ctx.flowToEnter) await next();
  };
}
