import { BigNumber } from 'bignumber.js';
import { readAnswer } from '../../i18n/callback-data.ts';
import type { TextKey } from '../../i18n/keys.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines, paragraphs } from '../../i18n/view.ts';
import { formatTrx } from '../../rental-api/amounts.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { answer, question } from './question.ts';

const AGAIN: TextKey = 'button-check-again';
const CHECK = 'again';

/**
 * Returns how much TRX is missing for `estimate`. Returns `undefined` if the balance is enough, or if either isn't
 * known.
 */
export function missingFunds(balance: string | undefined, estimate: string | undefined): string | undefined {
  if (balance === undefined || estimate === undefined) return undefined;
  const short = new BigNumber(estimate).minus(balance);
  return short.gt(0) ? formatTrx(short) : undefined;
}

interface FundsState extends DialogueState {
  estimate?: string | undefined;
  balance?: string | undefined;
}

/**
 * Creates the message before the card that shows how much is missing and where to send it. *Check again* compares
 * again.
 */
export function fundsStep<State extends FundsState>(about: {
  /** Returns what the money is for, in Telegram's HTML. */
  title(words: Words, state: State): string;
  depositAddress(ctx: BotContext): Promise<string | undefined>;
  back: string;
}): Step<State> {
  return {
    back: about.back,
    choices: ({ words }) => [[answer(words.plain(AGAIN), CHECK)]],
    async ask(ctx, state) {
      const { words } = ctx;
      const { estimate = '0', balance = '0' } = state;
      const address = await about.depositAddress(ctx);
      const again = words.plain(AGAIN);
      const missing = missingFunds(balance, estimate) ?? '0';
      // The text of the message may not have changed, so a toast says so.
      if (readAnswer(ctx.callbackQuery?.data) === CHECK) ctx.toast = words.plain('toast-funds', { missing });
      const html = paragraphs(
        words.html('funds-short'),
        lines(about.title(words, state), words.html('funds-price', { estimate, balance, missing })),
        address ? words.html('funds-deposit', { again, address }) : words.html('funds-elsewhere', { again }),
      );
      const copy = address
        ? [[{ text: words.plain('button-copy-address'), copy_text: { text: address } }]]
        : [];
      return question(words, html, [...copy, [answer(again, CHECK)]]);
    },
    take: ({ words }, state, given) =>
      given.kind === 'choice' ? state : { ...state, problem: words.html('problem-choice') },
  };
}
