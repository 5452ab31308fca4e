import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData, shownBelow } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button } from './view.ts';

/** Feature that handles the buttons of Help. */
export const HELP = 'help';

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
export const AT_QUESTION = 'question';

/** Creates a button for an open question. It shows the topic below and keeps the question open. */
export function helpAtQuestion(words: Words, topic: HelpTopic): InlineKeyboardButton {
  return button(words, 'button-help-here', callbackData(HELP, topic, AT_QUESTION));
}

/** Creates a button that shows the topic below its message, which stays unchanged. */
export function helpBelow(words: Words, topic: HelpTopic): InlineKeyboardButton {
  return button(words, 'button-help-here', shownBelow(callbackData(HELP, topic)));
}
