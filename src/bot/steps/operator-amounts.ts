import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { choiceStep } from './choice.ts';
import { answer } from './question.ts';
import { readTrx } from './trx-amount.ts';

const CAPS = [50, 100, 500];
const ALERTS = [10, 50, 100];
const NONE = 'none';

/** Creates the question for an amount of TRX or none, tapped or typed. */
function amountStep<State extends DialogueState>(about: {
  presets: readonly number[];
  ask(ctx: BotContext): Promise<string>;
  none(ctx: BotContext): string;
  problem(ctx: BotContext): string;
  take(state: State, trx: string | undefined): State;
}): Step<State> {
  return choiceStep<State>({
    ask: async (ctx) => ({ html: await about.ask(ctx) }),
    choices: (ctx) => [
      about.presets.map((trx) => answer(`${trx} TRX`, trx)),
      [answer(about.none(ctx), NONE)],
    ],
    take: (_, state, value) => about.take(state, value === NONE ? undefined : readTrx(value)),
    words(ctx, state, said) {
      if (isNothing(said)) return about.take(state, undefined);
      const trx = readTrx(said);
      return trx === undefined ? { ...state, problem: about.problem(ctx) } : about.take(state, trx);
    },
  });
}

/** Creates the question for the amount of TRX that admins may spend per day; `0.00` means nothing. */
export function capStep<State extends DialogueState>(about: {
  /** Returns the current limit in TRX, decimal. */
  cap(): Promise<string>;
  take(state: State, trx: string): State;
}): Step<State> {
  return amountStep<State>({
    presets: CAPS,
    ask: async ({ words }) => words.html('operator-cap-ask', { cap: await about.cap() }),
    none: ({ words }) => words.plain('button-operator-cap-none'),
    problem: ({ words }) => words.html('problem-operator-cap'),
    take: (state, trx = '0.00') => about.take(state, trx),
  });
}

/** Creates the question for the balance in TRX below which admins are notified; `undefined` means never. */
export function alertStep<State extends DialogueState>(about: {
  /** Returns the current balance in TRX, decimal. */
  balance(): Promise<string | undefined>;
  take(state: State, trx: string | undefined): State;
}): Step<State> {
  return amountStep<State>({
    presets: ALERTS,
    ask: async ({ words }) =>
      words.html('operator-alert-ask', { balance: (await about.balance()) ?? 'unknown' }),
    none: ({ words }) => words.plain('button-operator-alert-none'),
    problem: ({ words }) => words.html('problem-operator-cap'),
    take: about.take,
  });
}

function isNothing(said: string): boolean {
  return /^0+([.,]0+)?(\s*trx)?\.?$/i.test(said.trim().slice(0, 40));
}
