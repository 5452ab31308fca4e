import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { choiceStep } from './choice.ts';
import { answer } from './question.ts';
import { readTrx } from './trx-amount.ts';

const PRESETS = [10, 50, 100];
const OFF = 'off';

/** Asks below how many TRX a balance is low; `undefined` is never. */
export function lowBalanceStep<State extends DialogueState>(about: {
  /** What there is now, in TRX; `undefined` where the service doesn't tell at once. */
  balance(ctx: BotContext): Promise<string | undefined>;
  take(state: State, trx: string | undefined): State;
}): Step<State> {
  return choiceStep<State>({
    ask: async (ctx) => {
      const balance = (await about.balance(ctx)) ?? 'unread';
      return { html: ctx.words.html('notifications-low-ask', { balance }) };
    },
    choices: ({ words }) => [
      PRESETS.map((trx) => answer(`${trx} TRX`, trx)),
      [answer(words.plain('button-low-balance-off'), OFF)],
    ],
    take: (_, state, value) => about.take(state, value === OFF ? undefined : readTrx(value)),
    words({ words }, state, said) {
      if (isOff(said)) return about.take(state, undefined);
      const trx = readTrx(said);
      return trx === undefined
        ? { ...state, problem: words.html('problem-low-balance') }
        : about.take(state, trx);
    },
  });
}

/** Nothing, in figures or in words of any language: `0`, `0,00 TRX`, `off`. */
function isOff(said: string): boolean {
  return /^(0+([.,]0+)?(\s*trx)?|off|выкл(ючить)?)\.?$/iu.test(said.trim().slice(0, 40));
}
