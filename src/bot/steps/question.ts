import type { InlineKeyboardButton } from 'grammy/types';
import { answerData } from '../../texts/callback-data.ts';
import type { Words } from '../../texts/texts.ts';
import { button, type View } from '../../texts/view.ts';

/** A question with its choices as answers, then *Back* and *Cancel*. */
export function question(words: Words, html: string, choices: InlineKeyboardButton[][]): View {
  const way = [
    button(words, 'button-back', answerData('back')),
    button(words, 'button-cancel', answerData('cancel')),
  ];
  return { html, keyboard: [...choices, way] };
}

export function answer(text: string, value: string | number): InlineKeyboardButton {
  return { text, callback_data: answerData(String(value)) };
}
