import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData, shownBelow } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button } from './view.ts';

/** The last row of buttons below each broadcast, in its reader's language: the way to get no more of them. */
export function optOutRow(words: Words): InlineKeyboardButton[] {
  return [button(words, 'button-announcements-off', shownBelow(callbackData('announcements', 'off')))];
}
