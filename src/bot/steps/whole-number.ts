import type { InlineKeyboardButton } from 'grammy/types';
import { counted } from '../../i18n/formats.ts';
import type { HelpTopic } from '../../i18n/help-topics.ts';
import type { TextKey } from '../../i18n/keys.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

/** Creates the question for a whole number from `min` to `max`. Buttons may offer some numbers. */
export function wholeNumberStep<State extends DialogueState>(about: {
  min: number;
  max: number;
  /** `range` contains the limits, formatted for the user. */
  ask(ctx: BotContext, state: State, range: { min: string; max: string }): string;
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][] | Promise<InlineKeyboardButton[][]>;
  /** Text about any other answer, with `min`, `max` and `example`. */
  problem: TextKey;
  example: number;
  /** Parses an answer. Default: {@link readWhole}. */
  read?(words: string): number | undefined;
  take(state: State, number: number): State;
  back: string;
  help?: HelpTopic;
}): Step<State> {
  const { min, max, read = readWhole } = about;
  const rangeIn = (language: string) => ({ min: counted(min, language), max: counted(max, language) });
  return {
    back: about.back,
    help: about.help,
    ...(about.choices && { choices: about.choices }),
    async ask(ctx, state) {
      const choices = about.choices ? await about.choices(ctx, state) : [];
      return question(ctx.words, about.ask(ctx, state, rangeIn(ctx.words.language)), choices);
    },
    take({ words }, state, given) {
      const number = read(given.kind === 'choice' ? given.value : given.words);
      if (number !== undefined && number >= min && number <= max) return about.take(state, number);
      const example = String(about.example);
      return { ...state, problem: words.html(about.problem, { ...rangeIn(words.language), example }) };
    },
  };
}

/**
 * Parses a typed whole number (`65000`, `65,000`, `65 000`). Returns `undefined` for anything else, such as `12abc`.
 */
export function readWhole(text: string): number | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,9}$/.test(trimmed);
  const grouped = /^\d{1,3}([ ,.'’\u00a0\u202f]\d{3}){1,2}$/.test(trimmed);
  return plain || grouped ? Number(trimmed.replace(/\D/g, '')) : undefined;
}
