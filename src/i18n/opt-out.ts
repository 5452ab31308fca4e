import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData, shownBelow } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button } from './view.ts';

/** Returns the last button row of each broadcast. Its button unsubscribes the user from broadcasts. */
export function optOutRow(words: Words): InlineKeyboardButton[] {
  return [button(words, 'button-announcements-off', shownBelow(callbackData('announcements', 'off')))];
}
