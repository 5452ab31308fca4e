import type { InlineKeyboardButton } from 'grammy/types';
import type { Words } from '../i18n/texts.ts';
import { callbackData, replyBelow } from './callback-data.ts';
import { button } from './view.ts';

/** Feature that handles the buttons of Help. */
export const HELP_FEATURE = 'help';

/** Help topics that belong to no feature, in the order of the list. The names are used in button data. */
export const HELP_TOPICS = [
  'energy',
  'duration',
  'arrival',
  'failed',
  'burned',
  'deposit',
  'key',
  'invoice',
  'sale',
  'smart-mode',
  'bandwidth',
  'unknown',
  'withdrawal',
  'safe',
] as const;

/**
 * Buttons of Help with a topic as their argument. `topic` shows the answer in its message. `atQuestion` shows it below an
 * open question, with a button back to the question.
 */
export const HELP_BUTTONS = { topic: 'topic', atQuestion: 'at-question' } as const;

/** Creates a button that shows the topic below an open question. */
export function questionHelpButton(words: Words, topic: string): InlineKeyboardButton {
  return button(words, 'button-help-here', callbackData(HELP_FEATURE, HELP_BUTTONS.atQuestion, topic));
}

/** Creates a button that shows the topic below its message, which stays unchanged. */
export function messageHelpButton(words: Words, topic: string): InlineKeyboardButton {
  return button(words, 'button-help-here', replyBelow(callbackData(HELP_FEATURE, HELP_BUTTONS.topic, topic)));
}
