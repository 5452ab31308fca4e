import type { TextKey } from '../../i18n/keys.ts';
import { parseTypedTrx, parseWholeNumber } from '../../input/numbers.ts';
import type { BotContext } from '../context.ts';
import { answerButton, type DialogueState, type Step } from '../dialogue.ts';
import { addHeader } from '../reply.ts';

/** Creates the question for a whole number from `min` to `max`. Buttons may offer some numbers. */
export function wholeNumberStep<State extends DialogueState>(
  about: Pick<Step<State>, 'choices' | 'back' | 'help'> & {
    min: number;
    max: number;
    ask(ctx: BotContext, state: State, range: { min: number; max: number }): string;
    /** Text about any other answer, with `min`, `max` and `example`. */
    problem: TextKey;
    example: number;
    /** Parses an answer. Default: {@link parseWholeNumber}. */
    read?(text: string): number | undefined;
    onAnswer(state: State, number: number): State;
  },
): Step<State> {
  const { min, max, ask, problem, example, read = parseWholeNumber, onAnswer, ...others } = about;
  const range = { min, max };
  return {
    ...others,
    ask: (ctx, state) => ask(ctx, state, range),
    onText({ words }, state, text) {
      const number = read(text);
      if (number !== undefined && number >= min && number <= max) return onAnswer(state, number);
      return { ...state, problem: words.html(problem, { ...range, example: String(example) }) };
    },
  };
}

/** Creates the question for an amount of TRX above 0. */
export function trxAmountStep<State extends DialogueState>(
  about: Omit<Step<State>, 'onText'> & {
    /** `trx` is a decimal without separators. */
    onAnswer(state: State, trx: string): State;
  },
): Step<State> {
  const { onAnswer, ...others } = about;
  return {
    ...others,
    onText({ words }, state, text) {
      const trx = parseTypedTrx(text);
      return trx === undefined ? { ...state, problem: words.html('problem-trx') } : onAnswer(state, trx);
    },
  };
}

/** Creates the question for an amount of TRX above 0, or for none. */
export function optionalTrxStep<State extends DialogueState>(about: {
  ask(ctx: BotContext): Promise<string>;
  presets: readonly number[];
  /** Value and label of the button for no amount. */
  none: [value: string, label: TextKey];
  /** Typed answer that means no amount. */
  nonePattern: RegExp;
  problem: TextKey;
  onAnswer(state: State, trx: string | undefined): State;
}): Step<State> {
  const [none, noneLabel] = about.none;
  return {
    ask: about.ask,
    choices: ({ words }) => [
      about.presets.map((trx) => answerButton(`${trx} TRX`, trx)),
      [answerButton(words.plain(noneLabel), none)],
    ],
    onChoice: (_, state, value) => about.onAnswer(state, value === none ? undefined : parseTypedTrx(value)),
    onText({ words }, state, text) {
      if (about.nonePattern.test(text.trim().slice(0, 40))) return about.onAnswer(state, undefined);
      const trx = parseTypedTrx(text);
      return trx === undefined
        ? { ...state, problem: words.html(about.problem) }
        : about.onAnswer(state, trx);
    },
  };
}

/** Skips a question for hours if the user has set a default, which is handled like a typed answer. */
export function withDefaultHours<State>(step: Step<State>): Step<State> {
  return {
    ...step,
    async stateIfKnown(ctx, state) {
      const { hours } = ctx.session;
      if (hours === undefined) return undefined;
      addHeader(ctx, ctx.words.html('hours-default-taken', { hours }));
      return step.onText?.(ctx, state, String(hours));
    },
  };
}
