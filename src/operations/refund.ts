// Checks whether a failed order was refunded, by the balance of its account: the service lists neither orders nor refunds.

import { BigNumber } from 'bignumber.js';
import { HOUR_MS, isRecent } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../platform/storage.ts';
import { type AccountOutcome, createAccountReader } from '../rental-api/account-reader.ts';
import { heldBackMs, type Rental, type RentalCalls } from '../rental-api/client.ts';
import type { DepositRecord, Withdrawal } from '../rental-api/schemas.ts';
import type { HeldBack, RecentAttempts } from './evidence.ts';
import type { Kinds, RefundSearch, Result } from './kinds/kind.ts';
import {
  type DoneOperation,
  isInProgress,
  type Operation,
  type OperationRef,
  type OperationStore,
  type StoredOperation,
  wasSent,
} from './operation.ts';

/** Delays between checks, in seconds. The first check is made as soon as the failure is known. */
const CHECK_S = [15, 45, 120, 300, 600, 1_200, 1_500];
/** Time from the first check to the last one, in milliseconds: about an hour, also if checks are late. */
const SEARCH_MS = 1_000 * CHECK_S.reduce((sum, seconds) => sum + seconds, 0);
/** Time that a process has for a check, in milliseconds: two reads of up to ten seconds each, and the notification. */
const LEASE_MS = 30_000;

/** Schedule of refund checks. Separate from the reconciler's, which drops settled operations. */
export const REFUND_CHECKS = defineDueQueue({
  keys: 'refunds:due',
  ref: { user: 'number', id: 'string' },
  longestMs: 1_000 * Math.max(...CHECK_S),
  content: 'When the refund of each failed order is looked for next',
  expiry: 'none: a single key; an order is removed when the search ends',
  retained: { elsewhere: 'kept-under-way' },
});

export const createRefundSchedule = (deps: { storage: Pick<Storage, 'index'> }) =>
  createDueQueue(REFUND_CHECKS, deps);

/** Returns whether this is a failed order whose refund may still be seen. */
export function isRefundAwaited(kinds: Kinds, operation: Operation): operation is DoneOperation {
  const kind = kinds.of(operation.request);
  if (operation.state !== 'done' || kind.namespace === undefined || kind.listing) return false;
  const { status, refunded, refund } = operation.result;
  return status === 'failed' && refunded === undefined && refund?.over !== true;
}

/** Finding of one check. `left`: the balance, unless another operation was in progress. */
export type RefundFinding = { kind: 'found' } & Pick<RefundSearch, 'balance' | 'left'>;

const UNREAD: RefundFinding = { kind: 'found', balance: 'unread' };

/** Returns the search after one more check. A check without an answer keeps what an earlier one has found. */
export function afterRefundCheck(
  before: RefundSearch | undefined,
  { balance, left = before?.left }: RefundFinding,
  at: number,
): RefundSearch {
  const since = before?.since ?? at;
  return {
    checks: (before?.checks ?? 0) + 1,
    since,
    at,
    ...(left && { left }),
    balance: balance === 'unread' ? (before?.balance ?? 'unread') : balance,
    over: balance === 'back' || !isRecent(since, SEARCH_MS, at),
  };
}

/** Changes of a balance in TRX. Each of the `possible` ones may have happened or not. */
interface Changes {
  certain: BigNumber;
  possible: BigNumber[];
}

type Lists = { deposits: DepositRecord[]; withdrawals: Withdrawal[] };

/** Time before a baseline from which a listed deposit or withdrawal may have changed the balance later, in milliseconds. */
const LISTED_EARLIER_MS = HOUR_MS;
/** Maximum possible changes. More of them could explain almost any balance. */
const MAX_POSSIBLE = 10;

/**
 * Creates the check for the refund of a failed order. It compares the balance with the one before the order's request and
 * with that of the previous check. The refund counts as seen if the balance is the expected one with it, and if nothing
 * else that the bot knows of explains the balance without it.
 */
function createRefundCheck(deps: {
  rental: RentalCalls;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  now: () => number;
}) {
  const { kinds, recentAttempts, now } = deps;
  const accountReader = createAccountReader(deps);

  /** Returns how other operations have changed the balance since then. Withdrawals are missing: the service lists them. */
  function changesByOthers(others: readonly Operation[], since: number): Changes {
    const changes: Changes = { certain: new BigNumber(0), possible: [] };
    for (const other of others) {
      const kind = kinds.of(other.request);
      const isCharged = !kind.isFree?.(other.request) && !kind.withdrawalAmount;
      if (!isCharged || !wasSent(other) || other.state === 'refused') continue;
      const result: Result = other.state === 'done' ? other.result : {};
      const trx = new BigNumber(result.price ?? other.estimate ?? 0);
      if (result.price !== undefined && other.attempt.sentAt >= since)
        changes.certain = changes.certain.minus(trx);
      else if (!('settledAt' in other && other.settledAt < since)) changes.possible.push(trx.negated());
      const wasRefundedBefore = result.refund?.balance === 'back' && result.refund.at < since;
      if (result.status === 'failed' && !wasRefundedBefore) changes.possible.push(trx);
    }
    return changes;
  }

  return async (failed: DoneOperation, apiKey: string): Promise<RefundFinding | HeldBack> => {
    const readAt = now();
    const account = accountReader.open({ account: failed.account, apiKey });
    const profile = await account.read((reads) => reads.profile());
    if (profile.kind !== 'accepted') return heldBack(profile) ?? UNREAD;
    const { result, estimate, attempt } = failed;
    const price = result.price ?? estimate;
    if (price === undefined) return UNREAD;
    // Read after the balance: an operation that isn't among them hasn't changed it.
    const others = await recentAttempts.othersOf(failed);
    if (others === undefined || others.some((other) => isUnderWay(other, readAt)))
      return { kind: 'found', balance: 'moved' };

    const left = { trx: profile.value.balance_trx, at: readAt };
    const { balanceBefore, sentAt } = attempt;
    // Balances without the refund: after the charge, and at the latest check.
    const baselines = [
      ...(balanceBefore ? [{ trx: new BigNumber(balanceBefore).minus(price), at: sentAt }] : []),
      ...(result.refund?.left ? [result.refund.left] : []),
    ];
    const explainAll = (lists?: Lists) =>
      baselines.map(({ trx, at }) => {
        const { certain, possible } = changesByOthers(others, at);
        const change = new BigNumber(left.trx).minus(trx).minus(certain);
        return explain(change, price, [...possible, ...(lists ? listedChanges(lists, at) : [])]);
      });
    const isSame = (one: Explanation) => one === 'same';
    if (baselines.length > 0 && explainAll().every(isSame)) return { kind: 'found', balance: 'same', left };
    const [deposits, withdrawals] = await Promise.all([
      account.read((reads) => reads.deposits()),
      account.read((reads) => reads.withdrawals()),
    ]);
    if (deposits.kind !== 'accepted' || withdrawals.kind !== 'accepted')
      return heldBack(deposits) ?? heldBack(withdrawals) ?? UNREAD;
    const explanations = explainAll({ deposits: deposits.value, withdrawals: withdrawals.value });
    const balance = explanations.includes('back') ? 'back' : (explanations[0] ?? 'unread');
    return { kind: 'found', balance, left };
  };
}

function heldBack(outcome: AccountOutcome<unknown>): HeldBack | undefined {
  const waitMs = heldBackMs(outcome);
  return waitMs === undefined ? undefined : { kind: 'held-back', waitMs };
}

/** Returns whether an operation may change the balance while, or after, it is read at this time. */
function isUnderWay(other: Operation, readAt: number): boolean {
  if (isInProgress(other) || (wasSent(other) && other.attempt.sentAt >= readAt)) return true;
  return 'settledAt' in other && other.settledAt >= readAt;
}

/** Returns the changes by deposits and withdrawals that may have happened since then. */
function listedChanges({ deposits, withdrawals }: Lists, since: number): BigNumber[] {
  const mayBeLater = ({ created_at: time }: { created_at?: string | undefined }) =>
    time === undefined || Date.parse(time) >= since - LISTED_EARLIER_MS;
  return [
    ...deposits.filter(mayBeLater).flatMap(({ status, currency, amount, amount_trx }) => {
      const trx = amount_trx ?? (currency === 'TRX' ? amount : undefined);
      return trx === undefined || status === 'expired' ? [] : new BigNumber(trx);
    }),
    ...withdrawals.filter(mayBeLater).flatMap(({ status, amount_trx, fee_trx = '0' }) => {
      const trx = new BigNumber(amount_trx).plus(fee_trx);
      return status === 'failed' ? [trx.negated(), trx] : trx.negated();
    }),
  ];
}

type Explanation = Exclude<RefundSearch['balance'], 'unread'>;

/**
 * Returns whether a change of the balance is explained only with the refund (`back`) or only without it (`same`): as the
 * sum of some of the possible changes, or of none.
 */
function explain(change: BigNumber, price: BigNumber.Value, possible: readonly BigNumber[]): Explanation {
  if (possible.length > MAX_POSSIBLE) return 'moved';
  const sums = [new BigNumber(0)];
  for (const one of possible) sums.push(...sums.map((sum) => sum.plus(one)));
  const [without, withRefund] = [change, change.minus(price)].map((trx) => sums.some((sum) => sum.eq(trx)));
  if (without === withRefund) return 'moved';
  return withRefund ? 'back' : 'same';
}

/**
 * Creates the work that looks for refunds: checks the balance if it is time, then notifies the user, also of the failure
 * itself. `apply` stores a finding.
 */
export function createRefundWork(
  services: {
    rental: Rental;
    kinds: Kinds;
    store: OperationStore;
    recentAttempts: RecentAttempts;
    refundSchedule: ReturnType<typeof createRefundSchedule>;
    apiKey: (user: number, account: number) => Promise<string | undefined>;
    now: () => number;
    log: Log;
  },
  notify: (ref: OperationRef) => Promise<{ stored: StoredOperation } | undefined>,
  apply: (before: StoredOperation<DoneOperation>, found: RefundFinding) => Promise<unknown>,
) {
  const { kinds, store, refundSchedule, apiKey, now, log } = services;
  const check = createRefundCheck({ ...services, rental: services.rental.withPriority('background') });

  /** Returns in how many milliseconds the next check is due, or `undefined` if the search has ended. */
  function nextCheckMs(operation: Operation): number | undefined {
    if (!isRefundAwaited(kinds, operation)) return undefined;
    const { refund } = operation.result;
    if (refund === undefined) return 0;
    const { checks, since, at } = refund;
    const delayMs = Math.min(1_000 * (CHECK_S[checks - 1] ?? 0), since + SEARCH_MS - at);
    return isRecent(at, delayMs, now()) ? Math.min(delayMs, at + delayMs - now()) : 0;
  }

  /** Makes a check if it is due. Returns the wait of a check that the rate limit doesn't allow, in milliseconds. */
  async function checkIfDue({ operation, record }: StoredOperation): Promise<number | undefined> {
    if (operation.state !== 'done' || nextCheckMs(operation) !== 0) return undefined;
    const key = await apiKey(operation.user, operation.account);
    const found = key === undefined ? UNREAD : await check(operation, key);
    if (found.kind === 'held-back') return found.waitMs;
    await apply({ operation, record }, found);
    return undefined;
  }

  async function work(ref: OperationRef): Promise<void> {
    const stored = await store.readable(ref);
    // Left to a process of a newer version.
    if (stored === 'unreadable') return;
    const heldMs = typeof stored === 'object' ? await checkIfDue(stored) : undefined;
    const notified = await notify(ref);
    const waitMs = heldMs ?? (notified && nextCheckMs(notified.stored.operation));
    await (waitMs === undefined ? refundSchedule.remove(ref) : refundSchedule.scheduleIn(ref, waitMs));
  }

  return createDueWork({
    queue: refundSchedule,
    work,
    leaseMs: LEASE_MS,
    failureMessage: 'looking for a refund failed; it will be retried',
    log,
  });
}
