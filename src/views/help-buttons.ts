import type { InlineKeyboardButton } from 'grammy/types';
import type { Words } from '../i18n/texts.ts';
import { callbackData, replyBelow } from './callback-data.ts';
import { button } from './view.ts';

/** Feature that handles the buttons of Help. */
export const HELP_FEATURE = 'help';

/** Help topics in the order of the list. The names are used in button data. */
export const HELP_TOPICS = [
  'sender',
  'amount',
  'burned',
  'duration',
  'activation',
  'bandwidth',
  'invoice',
  'key',
  'unknown',
  'withdrawal',
] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** Argument of a topic button at an open question. The answer is shown below and has a button back to the question. */
export const AT_OPEN_QUESTION = 'question';

/** Creates a button that shows the topic below an open question. */
export function questionHelpButton(words: Words, topic: HelpTopic): InlineKeyboardButton {
  return button(words, 'button-help-here', callbackData(HELP_FEATURE, topic, AT_OPEN_QUESTION));
}

/** Creates a button that shows the topic below its message, which stays unchanged. */
export function messageHelpButton(words: Words, topic: HelpTopic): InlineKeyboardButton {
  return button(words, 'button-help-here', replyBelow(callbackData(HELP_FEATURE, topic)));
}
