import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { inFours } from '../../i18n/formats.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { formatTrx } from '../../rental-api/amounts.ts';
import { isKeyRefused } from '../../rental-api/http.ts';
import { WITHDRAWAL_FEE_TRX } from '../../rental-api/limits.ts';
import type { Withdrawal } from '../../rental-api/schemas.ts';
import { defineKind, type Listed, type Result } from './kind.ts';

const withdrawalRequest = z.object({
  kind: z.literal('withdrawal'),
  address: z.string(),
  /** TRX, decimal: what arrives. */
  trx: z.string(),
  /** All that there was, less the fee: fixed as it was shown. */
  all: z.boolean().optional(),
  /** This user hasn't withdrawn from the account to this address before. */
  first: z.boolean().optional(),
  /** TRX, decimal: of an account without two-factor codes, the most that leaves it within a day. */
  cap: z.string().optional(),
});

/** The service's clock and ours may differ by this much. */
const SKEW_MS = 60_000;
const LATE_MS = 10 * 60_000;

/** Specification, section 3. */
const STATUS = {
  pending: 'withdrawal-pending',
  completed: 'withdrawal-completed',
  failed: 'withdrawal-given-back',
} as const;

const HEADLINES = new Map<string, TextKey>([
  ['completed', 'withdrawal-sent'],
  ['failed', 'withdrawal-failed'],
]);

const isStatus = (status: string): status is keyof typeof STATUS => Object.hasOwn(STATUS, status);

export type WithdrawalRequest = z.infer<typeof withdrawalRequest>;

/**
 * Withdrawing TRX (specification, section 4, endpoint 14). Of an account with 2FA its code is asked for after *Confirm*;
 * without, a cap holds, for addresses that were announced. What became of it stands in the account's withdrawals.
 */
export const withdrawal = defineKind<'withdrawal', WithdrawalRequest>({
  name: 'withdrawal',
  request: withdrawalRequest,
  lifetimeMs: 2 * 60_000,
  target: ({ address }) => address,
  likeness: ({ address, trx }) => `${address} ${trx}`,
  title: (words, { trx }) => words.html('withdrawal-title', { trx }),
  needsCode: ({ cap }) => cap === undefined,
  restMs: 60_000,
  takesOut: ({ trx }) => withFee(trx),
  statusText: (status) => (isStatus(status) ? STATUS[status] : undefined),
  balanceObstacle: ({ all }, { shown, now }) =>
    all && (shown === undefined || !new BigNumber(shown).eq(now)) ? 'balance' : undefined,
  terms: (words, { address, trx, first, cap }, { balance }) =>
    words.html('withdrawal-terms', {
      left: balance === undefined ? 'unknown' : formatTrx(new BigNumber(balance).minus(withFee(trx))),
      trx,
      fee: WITHDRAWAL_FEE_TRX,
      leaves: withFee(trx),
      address: inFours(address),
      first: first ? 'yes' : 'no',
      cap: cap ?? 'none',
    }),
  async send(rental, apiKey, { address, trx }, code) {
    const outcome = await rental.withdraw(apiKey, {
      to_address: address,
      amount_trx: trx,
      ...(code !== undefined && { totp_code: code }),
    });
    // The key was good a moment ago: it is the code. What that is called isn't documented.
    if (isKeyRefused(outcome)) {
      return { ...outcome, code: 'CODE_REFUSED' };
    }
    if (outcome.kind !== 'accepted') return outcome;
    const { id, fee_trx } = outcome.value;
    const price = fee_trx === undefined ? undefined : formatTrx(new BigNumber(fee_trx).plus(trx));
    return { kind: 'accepted', value: { order: id, price, ...standingOf(listedOf(outcome.value)) } };
  },
  numbering: 'withdrawal',
  headline: (_request, { status }) => HEADLINES.get(status ?? ''),
  listing: {
    async read(rental, apiKey) {
      const read = await rental.withdrawals(apiKey);
      return read.kind === 'accepted' ? { kind: 'accepted', value: read.value.map(listedOf) } : read;
    },
    obstacle: () => undefined,
    proofs: ({ address, trx }, listed, { before = [], sentAt }) =>
      listed
        .filter((one) => !before.includes(one.id) && one.address === address && isOf(one, sentAt))
        .filter(({ amount }) => new BigNumber(amount ?? 'NaN').eq(trx))
        .map((made) => ({ order: made.id, ...standingOf(made) })),
    standing({ order, status }, listed) {
      const present = listed.find(({ id }) => id === order);
      return present && present.status !== status ? standingOf(present) : undefined;
    },
    lock: () => 'withdrawal',
  },
});

/** TRX, decimal: what leaves the balance. */
export function withFee(trx: string): string {
  return formatTrx(new BigNumber(trx).plus(WITHDRAWAL_FEE_TRX));
}

/** Made when the request was, give or take clocks and a slow service: a later one is another that its user made. */
function isOf({ at = Number.NaN }: Listed, sentAt: number): boolean {
  return at >= sentAt - SKEW_MS && at <= sentAt + LATE_MS;
}

function listedOf(made: Withdrawal): Listed {
  const { id, to_address: address, status, amount_trx: amount, tx_hash, created_at } = made;
  const at = created_at === undefined ? undefined : Date.parse(created_at);
  return {
    id,
    address,
    status,
    amount,
    ...(at !== undefined && { at }),
    ...(tx_hash && { txHash: tx_hash }),
  };
}

function standingOf({ status, txHash }: Listed): Pick<Result, 'status' | 'txHash'> {
  return { status, ...(txHash !== undefined && { txHash }) };
}
