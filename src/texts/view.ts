import type { InlineKeyboardButton } from 'grammy/types';

/** What a message shows: text in Telegram's HTML, and buttons by row. */
export interface View {
  html: string;
  keyboard: InlineKeyboardButton[][];
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
