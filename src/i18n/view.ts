import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData } from './callback-data.ts';
import type { TextKey } from './keys.ts';
import type { Words } from './texts.ts';

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
export function notice(words: Words, html: string, ...rows: InlineKeyboardButton[][]): View {
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
export function shownText(html: string): string {
  return withoutTags(html).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** Removes all tags. The result is valid HTML without formatting. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, '');
}
