import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData, shownBelow } from './callback-data.ts';
import type { Words } from './texts.ts';
import { button } from './view.ts';

/** The feature that hears the buttons of Help. */
export const HELP = 'help';

/** What people ask, in the order of Help's list: names that its buttons carry. */
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

/** Carried beside a topic where it is asked at an open question: its answer then stands below, and leads back to that. */
export const AT_QUESTION = 'question';

/** At an open question: opens the topic below it, and leaves it open. */
export function helpAtQuestion(words: Words, topic: HelpTopic): InlineKeyboardButton {
  return button(words, 'button-help-here', callbackData(HELP, topic, AT_QUESTION));
}

/** On a message that stays as it is: opens the topic below it. */
export function helpBelow(words: Words, topic: HelpTopic): InlineKeyboardButton {
  return button(words, 'button-help-here', shownBelow(callbackData(HELP, topic)));
}
