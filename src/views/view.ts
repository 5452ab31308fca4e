import type { InlineKeyboardButton } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { callbackData } from './callback-data.ts';

/**
 * Content of a message: text in Telegram's HTML and rows of buttons. Untrusted text must go through `words.html`, which
 * escapes it.
 */
export interface View {
  html: string;
  keyboard: InlineKeyboardButton[][];
  /** Image above the text. A view with an image is always sent as a new message. */
  photo?: Buffer;
}

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

/** Creates a message for admins, with the buttons to their menu below the other rows. Empty rows are left out. */
export function withAdminButtons(words: Words, html: string, ...rows: InlineKeyboardButton[][]): View {
  const last = [button(words, 'button-admin', callbackData('menu', 'admin')), menuButton(words)];
  return { html, keyboard: [...rows.filter((row) => row.length > 0), last] };
}

/** Creates a message with a menu button below the other rows. Empty rows are left out. */
export function withMenuButton(words: Words, html: string, ...rows: InlineKeyboardButton[][]): View {
  return { html, keyboard: [...rows.filter((row) => row.length > 0), [menuButton(words)]] };
}

/** Creates a button for each entry of a numbered list, whose first number is `first`. */
export function numberButtons(data: readonly string[], first = 1): InlineKeyboardButton[] {
  return data.map((callback_data, at) => ({ text: String(first + at), callback_data }));
}

/** Creates the buttons to the newest and to older entries of a list, as far as their data is given. */
export function pageButtons(
  words: Words,
  { newest, older }: { newest: string | undefined; older: string | undefined },
): InlineKeyboardButton[] {
  return [
    ...(newest === undefined ? [] : [button(words, 'button-newest', newest)]),
    ...(older === undefined ? [] : [button(words, 'button-older', older)]),
  ];
}

/** Number of rows up to which a list has no buttons that filter it. */
export const MAX_UNFILTERED_ROWS = 8;

/** Creates a button that filters a list. The button of the current filter is marked. */
export function filterButton(label: string, data: string, isCurrent: boolean): InlineKeyboardButton {
  return { text: isCurrent ? `• ${label}` : label, callback_data: data };
}

export function inRows(buttons: InlineKeyboardButton[], perRow = 2): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (let at = 0; at < buttons.length; at += perRow) rows.push(buttons.slice(at, at + perRow));
  return rows;
}
