import type { InlineKeyboardButton } from 'grammy/types';
import type { TextKey } from './keys.ts';
import type { Words } from './texts.ts';

/** Data of a button: its feature, its name within the feature, and an argument. */
interface CallbackData {
  feature: string;
  button: string;
  argument: string;
  /** Token of a button that changes something (`bot/button-tokens.ts`). */
  token: string | undefined;
}

/** Formats the data of a button. Telegram allows 64 bytes (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
export function callbackData(feature: string, button: string, argument?: string | number): string {
  return [feature, button, argument].filter((part) => part !== undefined).join(':');
}

const REPLY_BELOW_PREFIX = '+';

/** Marks data of a button whose message must stay unchanged. The result is shown in a new message below. */
export function replyBelow(data: string): string {
  return `${REPLY_BELOW_PREFIX}${data}`;
}

export function isReplyBelow(data: string): boolean {
  return data.startsWith(REPLY_BELOW_PREFIX);
}

const TOKEN_SEPARATOR = '~';

/** Appends the token of a button that changes something. */
export function withToken(data: string, token: string): string {
  return `${data}${TOKEN_SEPARATOR}${token}`;
}

/** Parses the data of a button. Returns `undefined` if it isn't a feature's. */
export function readCallbackData(data: string): CallbackData | undefined {
  const [, feature, button, argument = '', token] =
    /^\+?([a-z][a-z-]*):([a-z][a-z-]*)(?::([\w-]{1,40}))?(?:~([\w-]{20}))?$/.exec(data) ?? [];
  return feature === undefined || button === undefined ? undefined : { feature, button, argument, token };
}

const ANSWER_PREFIX = 'answer=';

/** Formats an answer within a flow. It is valid only for the flow's current question. */
export function answerData(value: string): string {
  return `${ANSWER_PREFIX}${value}`;
}

/** Returns the answer in a button's data, or `undefined` if it isn't an answer to a question. */
export function readAnswer(data: string | undefined): string | undefined {
  return data?.startsWith(ANSWER_PREFIX) ? data.slice(ANSWER_PREFIX.length) : undefined;
}

/** Content of a message: text in Telegram's HTML and rows of buttons. Untrusted text must go through `words.html`, which escapes it. */
export interface View {
  html: string;
  keyboard: InlineKeyboardButton[][];
  /** Image above the text. A view with an image is always sent as a new message. */
  photo?: Buffer;
}

/** Creates a button with a localized text. */
export function button(
  words: Words,
  key: TextKey,
  data: string,
  style?: 'primary' | 'success' | 'danger',
): InlineKeyboardButton {
  return { text: words.plain(key), callback_data: data, ...(style && { style }) };
}

/** Creates the menu button, which every final message has. */
export function menuButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-menu', callbackData('menu', 'open'));
}

/** Creates the button that leads from the screens below the balance back to it. */
export function balanceButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-balance', callbackData('menu', 'balance'));
}

/** Creates a message with a menu button. */
export function withMenuButton(words: Words, html: string, ...rows: InlineKeyboardButton[][]): View {
  return { html, keyboard: [...rows, [menuButton(words)]] };
}

/** Arranges buttons in rows of `perRow`. */
export function inRows(buttons: InlineKeyboardButton[], perRow = 2): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (let at = 0; at < buttons.length; at += perRow) rows.push(buttons.slice(at, at + perRow));
  return rows;
}

/** Joins non-empty paragraphs with an empty line between them. */
export function paragraphs(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n\n');
}

/** Joins non-empty lines. */
export function lines(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n');
}

/** Returns the plain text that Telegram shows for HTML of `words.html`. */
export function htmlToPlainText(html: string): string {
  return withoutTags(html).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** Removes all tags. The result is valid HTML without formatting. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, '');
}
