import type { Update } from 'grammy/types';
import { readAnswer } from '../i18n/callback-data.ts';
import type { View } from '../i18n/view.ts';

/** Question that a message shows, with the answers of its buttons. */
export interface Question {
  message: number | undefined;
  choices: { value: string; label: string }[];
}

/** Answer of a user: a choice (tapped or typed), or any other text. */
export type Answer = { kind: 'choice'; value: string; tapped?: true } | { kind: 'words'; words: string };

/** Typed words that are understood in every language, whatever the labels of the buttons are. */
const WAYS = new Map<string, Way>([
  ['confirm', 'confirm'],
  ['подтвердить', 'confirm'],
  ['yes', 'confirm'],
  ['да', 'confirm'],
  ['back', 'back'],
  ['назад', 'back'],
  ['cancel', 'cancel'],
  ['отмена', 'cancel'],
]);

export type Way = 'confirm' | 'back' | 'cancel';

/** Returns whether a text means *Confirm*, *Back* or *Cancel*; `undefined` for any other text. */
export function wayOf(text: string): Way | undefined {
  return WAYS.get(said(text));
}

export function questionOf(message: number | undefined, view: View): Question {
  const choices = view.keyboard.flat().flatMap((button) => {
    const value = 'callback_data' in button ? readAnswer(button.callback_data) : undefined;
    return value === undefined ? [] : [{ value, label: said(button.text) }];
  });
  return { message, choices };
}

/**
 * Returns the answer that an update gives to `question`. Returns `undefined` if the tap is on another message, if its
 * data isn't one of the choices, or if the update has no message.
 */
export function answerTo(question: Question, update: Update): Answer | undefined {
  const tap = update.callback_query;
  if (tap) {
    const value = readAnswer(tap.data);
    const meant =
      tap.message?.message_id === question.message && question.choices.some((c) => c.value === value);
    return meant && value !== undefined ? { kind: 'choice', value, tapped: true } : undefined;
  }
  if (!update.message) return undefined;
  const words = update.message.text?.trim() ?? update.message.caption?.trim() ?? '';
  const label = said(words);
  const choice = question.choices.find((c) => c.label === label)?.value ?? WAYS.get(label);
  const offered = question.choices.some((c) => c.value === choice);
  return offered && choice !== undefined ? { kind: 'choice', value: choice } : { kind: 'words', words };
}

/** Normalizes a label to what a user would type: without price, capitals and signs at its ends. */
function said(label: string): string {
  const [name = ''] = label.split(' · ');
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}
