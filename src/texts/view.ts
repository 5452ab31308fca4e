import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData } from './callback-data.ts';
import type { TextKey } from './keys.ts';
import type { Words } from './texts.ts';

/** What a message shows: text in Telegram's HTML, and buttons by row. What others wrote gets into it through `words.html` alone, which escapes it. */
export interface View {
  html: string;
  keyboard: InlineKeyboardButton[][];
  /** A picture, as a file: the text stands below it. Such a message is always a new one. */
  photo?: Buffer;
}

/** A button with one of the texts on it. */
export function button(
  words: Words,
  key: TextKey,
  data: string,
  style?: 'primary' | 'success' | 'danger',
): InlineKeyboardButton {
  return { text: words.plain(key), callback_data: data, ...(style && { style }) };
}

/** The way to the menu, which every message that ends something has. */
export function menuButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-menu', callbackData('menu', 'open'));
}

/** The way one level up, from what is below the balance. */
export function balanceButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-balance', callbackData('menu', 'balance'));
}

/** A message alone, with the way back to the menu. */
export function notice(words: Words, html: string, ...rows: InlineKeyboardButton[][]): View {
  return { html, keyboard: [...rows, [menuButton(words)]] };
}

/** Buttons in rows of so many. */
export function inRows(buttons: InlineKeyboardButton[], perRow = 2): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (let at = 0; at < buttons.length; at += perRow) rows.push(buttons.slice(at, at + perRow));
  return rows;
}

/** The paragraphs that there are, an empty line between them. */
export function paragraphs(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n\n');
}

/** The lines that there are. */
export function lines(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n');
}

/** Text that Telegram shows for HTML made by `words.html`, without formats. */
export function shownText(html: string): string {
  return withoutTags(html).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** The same without tags: what can't be wrong as HTML, and formats nothing. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, '');
}
