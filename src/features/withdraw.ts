import { BigNumber } from 'bignumber.js';
import { hasWithdrawnTo } from '../accounts/address-book.ts';
import { payerOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { answerButton } from '../bot/dialogue.ts';
import { defineFeature } from '../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../bot/money-flow.ts';
import type { Payer } from '../bot/quotes.ts';
import { addressEndsStep, addressStep } from '../bot/steps/addresses.ts';
import { parseTrx } from '../bot/steps/amounts.ts';
import { choiceStep } from '../bot/steps/choice.ts';
import { createCodelessWithdrawals } from '../bot/withdrawal-address.ts';
import { paragraphs } from '../i18n/view.ts';
import { type WithdrawalRequest, withdrawal, withFee } from '../operations/kinds/withdrawal.ts';
import { downToWholeSun, formatTrx, WITHDRAWAL_FEE_TRX } from '../rental-api/amounts.ts';

const ALL = 'all';

/** Creates the feature that withdraws TRX from the account: how much, and to which address. */
export const withdrawFeature = defineFeature((deps) => {
  const { quotes } = deps;
  const withoutCodes = createCodelessWithdrawals(deps);

  /**
   * Sets the amount to the whole balance less the fee. If the amount has changed when it is to be sent, it isn't sent.
   */
  async function withAll(ctx: BotContext, payer: Payer, state: MoneyState): Promise<MoneyState> {
    const { words } = ctx;
    const { balance } = await withoutCodes.balanceAndLimit(ctx, payer);
    const rest = downToWholeSun(new BigNumber(balance ?? 0).minus(WITHDRAWAL_FEE_TRX));
    if (rest.gt(0)) return { ...state, trx: formatTrx(rest), all: true };
    const problem =
      balance === undefined
        ? words.html('operation-no-balance')
        : words.html('problem-withdrawal-none', { balance, fee: WITHDRAWAL_FEE_TRX });
    return { ...state, step: 'amount', problem };
  }

  async function takeAll(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const payer = await payerOf(deps, ctx);
    return payer ? withAll(ctx, payer, { ...state, step: 'address' }) : { ...state, step: CARD };
  }

  /**
   * Limits the amount to the balance. For an account without codes, also limits it to the rest of the daily limit, and
   * asks for the end of the address.
   */
  async function onward(ctx: BotContext, payer: Payer, asked: MoneyState): Promise<MoneyState> {
    if (asked.step !== CARD && asked.step !== 'address') return asked;
    const state = asked.step === CARD && asked.all ? await withAll(ctx, payer, asked) : asked;
    if (state.problem !== undefined) return state;
    const { left, balance } = await withoutCodes.balanceAndLimit(ctx, payer);
    const { words } = ctx;
    const leaves = new BigNumber(withFee(state.trx ?? '0'));
    if (balance !== undefined && state.step === 'address' && leaves.gt(balance))
      return {
        ...state,
        step: 'amount',
        problem: words.html('problem-withdrawal-more', { balance, fee: WITHDRAWAL_FEE_TRX }),
      };
    if (left === undefined) return state;
    const { trx: cap } = deps.operations.dailyCap;
    if (leaves.gt(left)) {
      const most = new BigNumber(left).minus(WITHDRAWAL_FEE_TRX);
      // Reduces the whole balance to the amount that the limit allows.
      if (state.all && most.gt(0))
        return onward(ctx, payer, { ...state, trx: formatTrx(most), all: undefined });
      return {
        ...state,
        step: 'amount',
        problem: words.html('problem-withdrawal-cap', { cap, left, fee: WITHDRAWAL_FEE_TRX }),
      };
    }
    return state.step === CARD && state.endsTyped !== true ? { ...state, step: 'ends' } : { ...state, cap };
  }

  return moneyFlow<WithdrawalRequest>(deps, {
    name: 'withdraw',
    menu: { button: 'button-withdraw', place: 'balance', for: 'linked', hiddenOnOperatorAccount: true },
    command: { name: 'withdraw', text: 'command-withdraw' },
    kind: withdrawal,
    version: 2,
    lastStep: 'address',
    guard: withoutCodes.obstacle,
    intercept: withoutCodes.intercept,
    nextStep: onward,
    request: ({ address, trx, all, cap }) =>
      address === undefined || trx === undefined
        ? undefined
        : { kind: 'withdrawal' as const, address, trx, ...(all && { all }), ...(cap && { cap }) },
    answersOf: ({ address, trx, all, cap }, afresh) => ({
      address,
      trx,
      all,
      ...(afresh && cap !== undefined && { endsTyped: true }),
    }),
    complete: (request, { book, account }) => ({
      ...request,
      first: !hasWithdrawnTo(book, request.address, account),
    }),
    estimate: async (_payer, { trx }) => withFee(trx),
    steps: {
      amount: choiceStep<MoneyState>({
        help: 'withdrawal',
        async ask(ctx) {
          const payer = await payerOf(deps, ctx);
          const { left, balance } = payer ? await withoutCodes.balanceAndLimit(ctx, payer) : {};
          const { trx: cap } = deps.operations.dailyCap;
          const html = paragraphs(
            ctx.words.html('withdrawal-amount', { fee: WITHDRAWAL_FEE_TRX }),
            balance && ctx.words.html('operation-balance', { balance }),
            left && ctx.words.html('withdrawal-limited', { cap, left }),
          );
          return { html };
        },
        choices: ({ words }) => [[answerButton(words.plain('button-withdraw-all'), ALL)]],
        onChoice: takeAll,
        onText({ words }, state, said) {
          const trx = parseTrx(said);
          return trx === undefined
            ? { ...state, problem: words.html('problem-trx') }
            : { ...state, trx, all: undefined, step: 'address' };
        },
      }),
      address: addressStep<MoneyState>({
        addressBook: deps.addressBook,
        help: 'withdrawal',
        ask: (words, known) => words.html('withdrawal-address', { known }),
        async rejectionOf(ctx, address) {
          const payer = await payerOf(deps, ctx);
          const own = payer && (await quotes.depositAddress(payer));
          return own === address ? ctx.words.html('problem-withdrawal-own', { address }) : undefined;
        },
        onAnswer: (state, address) => ({ ...state, address, endsTyped: undefined, step: CARD }),
        back: 'amount',
      }),
      ends: addressEndsStep<MoneyState>({
        onAnswer: (state) => ({ ...state, endsTyped: true, step: CARD }),
        back: 'address',
        help: 'withdrawal',
      }),
    },
  });
});
