import type { InlineKeyboardButton } from 'grammy/types';
import { counted } from '../../texts/formats.ts';
import type { HelpTopic } from '../../texts/help-topics.ts';
import type { TextKey } from '../../texts/keys.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

/** Asks for a whole number from `min` to `max`; some may stand as buttons, whose answers are numbers too. */
export function wholeNumberStep<State extends DialogueState>(about: {
  min: number;
  max: number;
  /** `range` names the limits as they are to be read. */
  ask(ctx: BotContext, state: State, range: { min: string; max: string }): string;
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][] | Promise<InlineKeyboardButton[][]>;
  /** Said of anything else; fills in `min`, `max` and `example`. */
  problem: TextKey;
  example: number;
  /** {@link readWhole} unless it is said. */
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

/** A whole number as people write it (`65000`, `65,000`, `65 000`); `undefined` for anything else, like `12abc`. */
export function readWhole(text: string): number | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,9}$/.test(trimmed);
  const grouped = /^\d{1,3}([ ,.'’\u00a0\u202f]\d{3}){1,2}$/.test(trimmed);
  return plain || grouped ? Number(trimmed.replace(/\D/g, '')) : undefined;
}
