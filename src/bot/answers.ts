import type { Update } from 'grammy/types';
import { readAnswer } from '../texts/callback-data.ts';
import type { View } from '../texts/view.ts';

/** A question: the message that shows it, and the answers that its buttons give. */
export interface Question {
  message: number | undefined;
  choices: { value: string; label: string }[];
}

/** A choice, tapped or in words; or other words. */
export type Answer = { kind: 'choice'; value: string; tapped?: true } | { kind: 'words'; words: string };

/** Understood in every language, whatever the buttons are called. */
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

/** *Confirm*, *Back* or *Cancel* in words; `undefined` for any others. */
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

/** What an update answers to `question`; `undefined` if it isn't meant for it: an older message's tap, or made-up data. */
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

/** A label as a person would type it: without signs, prices and capitals. */
function said(label: string): string {
  const [name = ''] = label.split(' · ');
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}
