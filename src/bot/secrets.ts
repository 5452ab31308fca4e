import { languageOf, type Texts } from '../i18n/texts.ts';
import type { Log } from '../platform/log.ts';
import { asSeen, writtenWithForeign } from '../rental-api/address.ts';
import { messageOf } from '../telegram/update-queue.ts';
import type { BotContext } from './context.ts';
import { payloadOf } from './middleware/commands.ts';

/** Matches a word with the length and characters of an API key. */
const WORD = /[A-Za-z0-9_-]{24,}/g;
/** Words of that length that aren't keys: addresses of blockchains (also mistyped ones) and transaction hashes. */
const NO_KEYS = [
  /^T[0-9A-Za-z]{30,37}$/,
  /^t[0-9a-z]{33}$/,
  /^(0x|41)[0-9a-f]{40}$/i,
  /^(0x)?[0-9a-f]{64}$/i,
];
/** Matches a one-time code as authenticator apps show it: in one group or in two. */
const CODE = /^\s*(\d{3,4})[ \u00a0\u202f-]?(\d{3,4})\s*$/;
const LINK = /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|\bwww\.|\bt\.me\/)\S+/gi;

/**
 * Returns whether a text contains what looks like an API key: a word of at least 24 characters with letters and digits.
 */
export function holdsKey(text: string): boolean {
  const seen = asSeen(text.replace(LINK, ' '));
  // Parts of a word between letters of another alphabet don't count as words.
  const words =
    writtenWithForeign(seen)
      .reduce((rest, one) => rest.replace(one, ' '), seen)
      .match(WORD) ?? [];
  return words.some((word) => isKey(word.replace(/^[_-]+|(?<![_-])[_-]+$/g, '')));
}

/**
 * Returns whether a text is a question and therefore no secret: several words, a question mark at the end, and no key.
 */
export function isQuestion(text: string): boolean {
  return /\S\s+\S/.test(text) && /[?？]\s*$/.test(text) && !holdsKey(text);
}

/** Returns the digits of a one-time code if the text contains nothing else. */
export function codeIn(text: string): string | undefined {
  const [, left, right] = CODE.exec(text) ?? [];
  return left === undefined || right === undefined ? undefined : `${left}${right}`;
}

function isKey(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word) && !NO_KEYS.some((other) => other.test(word));
}

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
