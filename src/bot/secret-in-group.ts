import { languageOf, type Texts } from '../i18n/texts.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../telegram/update-queue.ts';
import type { BotContext } from './context.ts';
import { codeIn, holdsKey } from './key-like.ts';
import { payloadOf } from './middleware/take-commands.ts';

/** Telegram's id of authors who write in the name of a group or as a channel. The bot can't write to it. */
const NOBODY = 1_087_968_824;

/**
 * Creates the handler of keys and codes that a user types in a group, where all members can read them. It never accepts
 * them, deletes the message if the bot may, and warns the author, if possible in the private chat. Returns whether the
 * message contained one.
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
    // An author without a private chat can be warned only here. The warning contains nothing that the members haven't
    // seen.
    const here = told ? undefined : ctx.reply(html, { parse_mode: 'HTML' });
    await here?.catch((err: unknown) =>
      log.warn({ err }, 'the author of a secret in a group was not warned'),
    );
    return true;
  };
}

function kindOf(text: string, username: string): 'key' | 'code' | undefined {
  // Links to invoices are meant to be shared.
  if (payloadOf(text) !== undefined) return undefined;
  if (holdsKey(text)) return 'key';
  // Removes the command or the bot's name, which precede a message to the bot in a group.
  const said = text.replace(/^\/\w+(@\w+)?\s+/, '').replaceAll(new RegExp(`@${username}\\b`, 'gi'), ' ');
  return codeIn(said) === undefined ? undefined : 'code';
}
