import type { InlineKeyboardButton } from 'grammy/types';
import { answerData } from '../../i18n/callback-data.ts';
import { type HelpTopic, helpAtQuestion } from '../../i18n/help-topics.ts';
import type { Words } from '../../i18n/texts.ts';
import { button, type View } from '../../i18n/view.ts';

/** Returns a question with its choices, followed by *Back* and *Cancel*. */
export function question(words: Words, html: string, choices: InlineKeyboardButton[][]): View {
  const way = [
    button(words, 'button-back', answerData('back')),
    button(words, 'button-cancel', answerData('cancel')),
  ];
  return { html, keyboard: [...choices, way] };
}

/** Adds the button for a help topic beside *Back* and *Cancel*. */
export function withHelp(words: Words, view: View, topic: HelpTopic | undefined): View {
  if (topic === undefined) return view;
  const way = [...(view.keyboard.at(-1) ?? []), helpAtQuestion(words, topic)];
  return { ...view, keyboard: [...view.keyboard.slice(0, -1), way] };
}

export function answer(text: string, value: string | number): InlineKeyboardButton {
  return { text, callback_data: answerData(String(value)) };
}
