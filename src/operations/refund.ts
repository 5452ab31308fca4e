// Checks whether a failed order was refunded, by the balance of its account: the service lists neither orders nor refunds.

import { BigNumber } from 'bignumber.js';
import { orTimeout } from '../platform/async.ts';
import { HOUR_MS, isRecent } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../platform/storage.ts';
import { type AccountOutcome, createAccountReader } from '../rental-api/account-reader.ts';
import { heldBackMs, type Rental, type RentalCalls } from '../rental-api/client.ts';
import type { DepositRecord } from '../rental-api/schemas.ts';
import type { HeldBack, RecentAttempts } from './evidence.ts';
import type { Kinds, RefundSearch } from './kinds/kind.ts';
import type { DoneOperation, Operation, OperationRef, OperationStore, StoredOperation } from './operation.ts';

/** Delays between checks, in seconds. The first check is made as soon as the failure is known. */
const CHECK_S = [15, 45, 120, 300, 600, 1_200, 1_500];
/** Time from the first check to the last one, in milliseconds: about an hour, also if checks are late. */
const SEARCH_MS = 1_000 * CHECK_S.reduce((sum, seconds) => sum + seconds, 0);
/** Time after which the user is notified of the failure before the check ends, in milliseconds. */
const SLOW_CHECK_MS = 3_000;
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

/** Returns whether this is an order, of which the service keeps no list. */
function isOrder(kinds: Kinds, { request }: Operation): boolean {
  const { namespace, listing } = kinds.of(request);
  return namespace !== undefined && !listing;
}

/** Returns whether this is a failed order whose refund may still be seen. */
export function isRefundAwaited(kinds: Kinds, operation: Operation): operation is DoneOperation {
  if (operation.state !== 'done' || !isOrder(kinds, operation)) return false;
  const { status, refunded, refund } = operation.result;
  return status === 'failed' && refunded === undefined && refund?.over !== true;
}

/** Finding of one check. `isLast`: further checks can't show more. `left`: the balance that was read. */
export type RefundFinding = { kind: 'found'; isLast?: boolean } & Pick<RefundSearch, 'balance' | 'left'>;

const UNREAD: RefundFinding = { kind: 'found', balance: 'unread' };
const NO_KEY: RefundFinding = { ...UNREAD, isLast: true };

/** Returns the search after one more check. Only the latest finding counts: an earlier one may be outdated. */
export function afterRefundCheck(
  before: RefundSearch | undefined,
  { balance, isLast = false, left = before?.left }: RefundFinding,
  at: number,
): RefundSearch {
  const since = before?.since ?? at;
  return {
    checks: (before?.checks ?? 0) + 1,
    since,
    at,
    ...(left && { left }),
    balance,
    over: isLast || balance === 'back' || !isRecent(since, SEARCH_MS, at),
  };
}

/** Deposit or withdrawal, with its amount in TRX (decimal) if the service names it. */
type Listed = { [Field in 'created_at' | 'amount_trx']?: string | undefined };

/** Time before a request from which a listed deposit or withdrawal may have changed the balance later, in milliseconds. */
const LISTED_EARLIER_MS = HOUR_MS;

/**
 * Creates the check for the refund of a failed order. It compares the balance with the one after the charge and with that
 * of the previous check. The refund counts as seen if the balance rose by exactly the price, and if nothing else that the
 * bot knows of may have changed it since.
 */
function createRefundCheck(deps: {
  rental: RentalCalls;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  now: () => number;
}) {
  const { kinds, recentAttempts, now } = deps;
  const accountReader = createAccountReader(deps);

  /** Returns whether an order has failed and its refund wasn't seen. Any later rise may be that refund. */
  function isUnrefunded(other: Operation): boolean {
    if (other.state !== 'done' || !isOrder(kinds, other)) return false;
    return other.result.status === 'failed' && other.result.refund?.balance !== 'back';
  }

  /** Returns whether an operation has changed the balance only before this time, and can't change it any more. */
  function isOver(other: Operation, since: number): boolean {
    if (other.state === 'refused' || kinds.of(other.request).isFree?.(other.request)) return true;
    if (other.state !== 'done' || other.settledAt >= since) return false;
    const { status, refund } = other.result;
    const isRefunded = refund?.balance === 'back' && refund.at < since;
    return !isOrder(kinds, other) || status === 'filled' || isRefunded;
  }

  return async (failed: DoneOperation, apiKey: string): Promise<RefundFinding | HeldBack> => {
    const readAt = now();
    const account = accountReader.open({ account: failed.account, apiKey });
    const profile = await account.read((reads) => reads.profile());
    if (profile.kind !== 'accepted') return heldBack(profile) ?? UNREAD;
    const left = { trx: profile.value.balance_trx, at: readAt };
    // Read after the balance: an operation that isn't among them hasn't changed it.
    const others = await recentAttempts.othersOf(failed);
    if (others === undefined || others.some(isUnrefunded))
      return { kind: 'found', balance: 'moved', isLast: true };

    const { result, estimate, attempt, claimedAt } = failed;
    const price = result.price ?? estimate ?? Number.NaN;
    const since = (trx: BigNumber.Value, at: number) => {
      const rise = new BigNumber(left.trx).minus(trx);
      if (!others.every((other) => isOver(other, at))) return 'moved';
      if (rise.eq(price)) return 'back';
      return rise.isZero() ? 'same' : 'moved';
    };
    // The balance before the charge was read after the claim.
    const sinceCharge = since(new BigNumber(attempt.balanceBefore ?? Number.NaN).minus(price), claimedAt);
    const earlier = result.refund?.left;
    // Without a price in the reply, only the balance before the order shows the whole refund.
    const hasRisen = result.price !== undefined && earlier && since(earlier.trx, earlier.at) === 'back';
    const balance = sinceCharge === 'moved' && hasRisen ? 'back' : sinceCharge;
    if (balance !== 'back') return { kind: 'found', balance, left };
    const [deposits, withdrawals] = await Promise.all([
      account.read((reads) => reads.deposits()),
      account.read((reads) => reads.withdrawals()),
    ]);
    if (deposits.kind !== 'accepted' || withdrawals.kind !== 'accepted')
      return heldBack(deposits) ?? heldBack(withdrawals) ?? UNREAD;
    const listed = [...deposits.value.map(creditOf), ...withdrawals.value];
    const isExplained = listed.some((entry) => mayExplain(entry, price, claimedAt));
    return { kind: 'found', balance: isExplained ? 'moved' : 'back', left };
  };
}

function heldBack(outcome: AccountOutcome<unknown>): HeldBack | undefined {
  const waitMs = heldBackMs(outcome);
  return waitMs === undefined ? undefined : { kind: 'held-back', waitMs };
}

function creditOf({ created_at, currency, amount, amount_trx }: DepositRecord): Listed {
  return { created_at, amount_trx: amount_trx ?? (currency === 'TRX' ? amount : undefined) };
}

/** Returns whether a rise by this price since then may come from an entry. A larger amount can't be part of it. */
function mayExplain({ created_at: time, amount_trx: trx }: Listed, price: BigNumber.Value, since: number) {
  const isEarlier = time !== undefined && Date.parse(time) < since - LISTED_EARLIER_MS;
  return !isEarlier && !(trx !== undefined && new BigNumber(trx).gt(price));
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
    const found = key === undefined ? NO_KEY : await check(operation, key);
    if (found.kind === 'held-back') return found.waitMs;
    await apply({ operation, record }, found);
    return undefined;
  }

  async function work(ref: OperationRef): Promise<void> {
    const stored = await store.readable(ref);
    // Left to a process of a newer version.
    if (stored === 'unreadable') return;
    const checking = typeof stored === 'object' ? checkIfDue(stored) : undefined;
    // The user needn't wait for a slow service to learn of the failure.
    if (checking) await orTimeout(checking, SLOW_CHECK_MS, () => notify(ref));
    const heldMs = await checking;
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
