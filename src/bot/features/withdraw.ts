import { BigNumber } from 'bignumber.js';
import { withdrawal, withFee } from '../../operations/kinds/withdrawal.ts';
import { orTimeout } from '../../or-timeout.ts';
import { WITHDRAWAL_FEE_TRX } from '../../rental/limits.ts';
import { downToWholeSun, formatTrx } from '../../rental/money.ts';
import type { BotContext } from '../context.ts';
import { CARD, type MoneyState, moneyFlow } from '../money-flow.ts';
import type { Payer } from '../quotes.ts';
import { addressStep } from '../steps/address.ts';
import { choiceStep } from '../steps/choice.ts';
import { answer } from '../steps/question.ts';
import { readTrx } from '../steps/trx-amount.ts';
import { payerOf } from '../with-account.ts';
import type { CreateFeature } from './feature.ts';

const WITHIN_MS = 5_000;
const ALL = 'all';

/** Taking TRX out of the account: how much, and where to. */
export const createWithdraw: CreateFeature = (deps) => {
  const { rental, quotes, operator } = deps;

  /** From accounts with 2FA alone, and never from the operator's. */
  async function guard({ words }: BotContext, { account, apiKey }: Payer): Promise<string | undefined> {
    const [isOperators, profile] = await Promise.all([
      orTimeout(operator.owns(account), WITHIN_MS),
      orTimeout(rental.profile(apiKey), WITHIN_MS),
    ]);
    if (isOperators === true) return words.html('withdrawal-operator');
    if (isOperators === undefined || profile?.kind !== 'accepted') return words.html('withdrawal-unknown');
    return profile.value.totp_enabled ? undefined : words.html('withdrawal-without-codes');
  }

  /** All that there is, less the fee: fixed now, and not sent where it is another amount by then. */
  async function takeAll(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const payer = await payerOf(deps, ctx);
    const balance = payer && (await quotes.balance(payer));
    if (balance === undefined) return { ...state, problem: ctx.words.html('operation-no-balance') };
    const rest = downToWholeSun(new BigNumber(balance).minus(WITHDRAWAL_FEE_TRX));
    if (!rest.gt(0))
      return {
        ...state,
        problem: ctx.words.html('problem-withdrawal-none', { balance, fee: WITHDRAWAL_FEE_TRX }),
      };
    return { ...state, trx: formatTrx(rest), all: true, step: 'address' };
  }

  return moneyFlow(deps, {
    name: 'withdraw',
    menu: { button: 'button-withdraw', place: 'balance', for: 'linked' },
    command: { name: 'withdraw', text: 'command-withdraw' },
    kind: withdrawal,
    version: 1,
    last: 'address',
    guard,
    request: ({ address, trx, all }) =>
      address === undefined || trx === undefined
        ? undefined
        : { kind: 'withdrawal' as const, address, trx, ...(all && { all }) },
    answers: ({ address, trx, all }) => ({ address, trx, all }),
    complete: (request, known) => ({ ...request, first: !known.includes(request.address) }),
    estimate: async (_payer, { trx }) => withFee(trx),
    steps: {
      amount: choiceStep<MoneyState>({
        ask: ({ words }) => ({ html: words.html('withdrawal-amount', { fee: WITHDRAWAL_FEE_TRX }) }),
        choices: ({ words }) => [[answer(words.plain('button-withdraw-all'), ALL)]],
        take: takeAll,
        words({ words }, state, said) {
          const trx = readTrx(said);
          return trx === undefined
            ? { ...state, problem: words.html('problem-trx') }
            : { ...state, trx, all: undefined, step: 'address' };
        },
      }),
      address: addressStep<MoneyState>({
        addressBook: deps.addressBook,
        ask: (words, known) => words.html('withdrawal-address', { known }),
        async refuse(ctx, address) {
          const payer = await payerOf(deps, ctx);
          const own = payer && (await quotes.depositAddress(payer));
          return own === address ? ctx.words.html('problem-withdrawal-own', { address }) : undefined;
        },
        take: (state, address) => ({ ...state, address, step: CARD }),
        back: 'amount',
      }),
    },
  });
};
