import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { choiceStep } from './choice.ts';
import { answer } from './question.ts';
import { readTrx } from './trx-amount.ts';

const PRESETS = [10, 50, 100];
const OFF = 'off';

/** Creates the question for the balance in TRX below which the user is notified; `undefined` means never. */
export function lowBalanceStep<State extends DialogueState>(about: {
  /** Returns the current balance in TRX, or `undefined` if it isn't available quickly. */
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

/** Returns whether an answer means zero or off: `0`, `0,00 TRX`, `off`, or the same in Russian. */
function isOff(said: string): boolean {
  return /^(0+([.,]0+)?(\s*trx)?|off|выкл(ючить)?)\.?$/iu.test(said.trim().slice(0, 40));
}
