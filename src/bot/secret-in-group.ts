import type { Log } from '../log.ts';
import { messageOf } from '../telegram/updates.ts';
import { languageOf, type Texts } from '../texts/texts.ts';
import type { BotContext } from './context.ts';
import { codeIn, holdsKey } from './key-like.ts';
import { payloadOf } from './middleware/take-commands.ts';

/** Telegram's name for whoever writes in a group's own name, or as a channel: nobody whom one could write to. */
const NOBODY = 1_087_968_824;

/**
 * A key or a code that somebody typed in a group is read by all who are in it: it is deleted where the bot may, never
 * accepted, and its owner is told to replace it, in their own chat where they have one. Answers whether there was one.
 */
export function createSecretInGroup({ texts, log }: { texts: Texts; log: Log }) {
  return async (ctx: BotContext): Promise<boolean> => {
    const message = messageOf(ctx.update);
    const what = kindOf(message?.text ?? message?.caption ?? '', ctx.me.username);
    if (message === undefined || what === undefined) return false;
    const words = texts.in(languageOf(message.from?.language_code));
    const isDeleted = await ctx.deleteMessage().then(
      () => true,
      () => false,
    );
    const html = words.html('group-secret', { what, deleted: isDeleted ? 'yes' : 'no' });
    const author = message.sender_chat || message.from?.id === NOBODY ? undefined : message.from?.id;
    const told =
      author !== undefined &&
      (await ctx.api.sendMessage(author, html, { parse_mode: 'HTML' }).catch(() => undefined));
    // Who never wrote to the bot can be told only here, where it says no more than all have seen.
    const here = told ? undefined : ctx.reply(html, { parse_mode: 'HTML' });
    await here?.catch((err: unknown) =>
      log.warn({ err }, 'somebody who typed a secret in a group was not told'),
    );
    return true;
  };
}

function kindOf(text: string, username: string): 'key' | 'code' | undefined {
  // The link of an invoice is meant to be passed on.
  if (payloadOf(text) !== undefined) return undefined;
  if (holdsKey(text)) return 'key';
  // As a message to the bot is written there: behind a command or its name.
  const said = text.replace(/^\/\w+(@\w+)?\s+/, '').replaceAll(new RegExp(`@${username}\\b`, 'gi'), ' ');
  return codeIn(said) === undefined ? undefined : 'code';
}
