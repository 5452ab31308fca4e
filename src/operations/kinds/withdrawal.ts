import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import type { TextKey } from '../../i18n/keys.ts';
import { formatSpan, groupInFours, type Words } from '../../i18n/texts.ts';
import { mayBeMistypedCode } from '../../input/withdrawal-text.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import { isKeyRefused, type Outcome, type Rejected } from '../../rental-api/client.ts';
import type { Withdrawal } from '../../rental-api/schemas.ts';
import { formatTrx, SAMPLE_ADDRESS, WITHDRAWAL_FEE_TRX } from '../../rental-api/tron.ts';
import type { Attempted } from '../operation.ts';
import { defineKind, type Listed, type OperationRequest, type Result } from './kind.ts';

const earlierWithdrawalSchema = z.union([
  /** `unread`: none is known, but the service's list couldn't be read. `before`: the latest one isn't recent. */
  z.enum(['none', 'unread', 'before']),
  z.object({
    /** `pending`: the service hasn't sent it yet. `uncertain`: its outcome isn't known yet. */
    state: z.enum(['pending', 'sent', 'uncertain']),
    /** Amount in TRX (decimal). */
    trx: z.string(),
    /** Age when the card was made, in milliseconds. */
    ageMs: z.number(),
    /** Whether the user made it here. */
    isOwn: z.boolean(),
  }),
]);

/** Latest withdrawal from an account to an address, if any. */
export type EarlierWithdrawal = z.infer<typeof earlierWithdrawalSchema>;

const withdrawalRequest = z.object({
  kind: z.literal('withdrawal'),
  address: z.string(),
  /** Amount that arrives, in TRX (decimal). */
  trx: z.string(),
  /** Whether this is the whole balance less the fee. The amount is fixed when the card is shown. */
  all: z.boolean().optional(),
  /** Earlier withdrawals from the account to this address, as they were known when the card was shown. */
  earlier: earlierWithdrawalSchema.optional(),
  /** Daily limit of an account without two-factor codes, in TRX (decimal). */
  cap: z.string().optional(),
  /** Rest of the daily limit when the card was shown, in TRX (decimal). */
  capLeft: z.string().optional(),
});

/** Maximum difference between the service's clock and ours, in milliseconds. */
const SKEW_MS = MINUTE_MS;
const LATE_MS = 10 * MINUTE_MS;

/** Texts of the statuses (specification, section 3). */
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
 * Withdrawal of TRX (specification, section 4, endpoint 14). For an account with 2FA, the user enters a one-time code
 * after *Confirm*. Without 2FA, a daily limit applies, and the address must have been announced. The account's
 * withdrawals show the outcome.
 */
export const withdrawal = defineKind<'withdrawal', WithdrawalRequest>({
  name: 'withdrawal',
  request: withdrawalRequest,
  sample: { kind: 'withdrawal', address: SAMPLE_ADDRESS, trx: '12.50', earlier: 'none' },
  lifetimeMs: 2 * MINUTE_MS,
  target: ({ address }) => address,
  duplicateKey: ({ address, trx }) => `${address} ${trx}`,
  title: (words, { trx }) => words.html('withdrawal-title', { trx }),
  shortTitle: (words) => words.plain('withdrawal-short'),
  needsCode: ({ cap }) => cap === undefined,
  cooldownMs: MINUTE_MS,
  withdrawalAmount: ({ trx }) => withFee(trx),
  statusText: (status) => (isStatus(status) ? STATUS[status] : undefined),
  balanceObstacle: ({ all }, { shown, now }) =>
    all && (shown === undefined || !new BigNumber(shown).eq(now)) ? 'balance' : undefined,
  terms: (words, { address, trx, earlier, cap, capLeft }) =>
    words.html('withdrawal-terms', {
      trx,
      fee: WITHDRAWAL_FEE_TRX,
      total: withFee(trx),
      address: groupInFours(address),
      ...earlierVariables(words, earlier),
      cap: cap ?? 'none',
      left: capLeft ?? cap ?? 'none',
    }),
  async send(rental, apiKey, { address, trx }, code) {
    const outcome = await rental.withdraw(apiKey, {
      to_address: address,
      amount_trx: trx,
      ...(code !== undefined && { totp_code: code }),
    });
    if (code !== undefined && isCodeRefused(outcome)) return { ...outcome, code: 'CODE_REFUSED' };
    if (outcome.kind !== 'accepted') return outcome;
    return { kind: 'accepted', value: resultOf(listedOf(outcome.value)) };
  },
  textProblem(words, text) {
    const number = text.trim();
    return mayBeMistypedCode(number) ? words.html('withdrawal-number-unclear', { number }) : undefined;
  },
  namespace: 'withdrawal',
  headline: (_request, { status }) => HEADLINES.get(status ?? ''),
  listing: {
    async read(reads) {
      const read = await reads.withdrawals();
      return read.kind === 'accepted' ? { kind: 'accepted', value: read.value.map(listedOf) } : read;
    },
    obstacle: () => undefined,
    proofs: ({ address, trx }, listed, { before = [], sentAt }) =>
      listed
        .filter((one) => !before.includes(one.id) && one.address === address && isFromRequest(one, sentAt))
        .filter(({ amount }) => new BigNumber(amount ?? 'NaN').eq(trx))
        .map(resultOf),
    difference({ address, trx }, { address: to, amount }) {
      if (to !== address) return { fact: 'address', ordered: address, reported: to };
      return new BigNumber(amount ?? 'NaN').eq(trx)
        ? undefined
        : { fact: 'amount', ordered: trx, reported: amount };
    },
    lock: () => 'withdrawal',
  },
});

function earlierVariables(words: Words, earlier: EarlierWithdrawal = 'unread') {
  const latest = typeof earlier === 'string' ? undefined : earlier;
  return {
    earlier: typeof earlier === 'string' ? earlier : 'recent',
    by: latest?.isOwn ? 'reader' : 'account',
    state: latest?.state ?? 'none',
    sent: latest?.trx ?? '0',
    age: formatSpan(words, latest?.ageMs ?? 0),
  };
}

/** Names of a one-time code in error codes and messages. */
const NAMES_CODE = /2fa|totp|otp|two.?factor|one.?time|authenticat/i;

/**
 * Returns whether the service refused the one-time code. The specification doesn't document this error. The preflight
 * has just used the key, so a 401 or 403 isn't about the key.
 */
function isCodeRefused(outcome: Outcome<Withdrawal>): outcome is Rejected {
  if (outcome.kind !== 'rejected' || outcome.status === 429) return false;
  return NAMES_CODE.test(`${outcome.code} ${outcome.message}`) || isKeyRefused(outcome);
}

/** Returns the amount that leaves the balance, in TRX (decimal). */
export function withFee(trx: string): string {
  return formatTrx(new BigNumber(trx).plus(WITHDRAWAL_FEE_TRX));
}

/**
 * Returns whether a withdrawal was made at the time of the request, allowing for clock differences and a slow service.
 * A later one is another withdrawal of the user.
 */
function isFromRequest({ at = Number.NaN }: Listed, sentAt: number): boolean {
  return at >= sentAt - SKEW_MS && at <= sentAt + LATE_MS;
}

/** Returns the ids of the listed withdrawals that a sent request may have made. */
export function mayHaveMade(
  request: OperationRequest,
  { listedBefore: before, sentAt }: Attempted['attempt'],
  listed: readonly Withdrawal[],
): number[] {
  const { data } = withdrawalRequest.safeParse(request);
  const proofs = data && withdrawal.listing?.proofs(data, listed.map(listedOf), { before, sentAt });
  return (proofs ?? []).flatMap(({ order }) => order ?? []);
}

function listedOf(made: Withdrawal): Listed {
  const { id, to_address: address, status, amount_trx: amount, fee_trx: fee, tx_hash, created_at } = made;
  const at = created_at === undefined ? undefined : Date.parse(created_at);
  const charge = fee === undefined ? undefined : formatTrx(new BigNumber(fee).plus(amount));
  return {
    id,
    address,
    status,
    amount,
    ...(charge !== undefined && { charge }),
    ...(at !== undefined && { at }),
    ...(tx_hash && { txHash: tx_hash }),
  };
}

function resultOf({ id: order, status, charge: price, txHash }: Listed): Result {
  return { order, status, ...(price !== undefined && { price }), ...(txHash !== undefined && { txHash }) };
}
