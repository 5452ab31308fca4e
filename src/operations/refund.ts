// Checks by the balance of the account whether an order was refunded: one that failed, or one whose delivery the bot can't
// see. The service lists neither orders nor refunds.

import { BigNumber } from 'bignumber.js';
import { orTimeout } from '../platform/async.ts';
import { DAY_MS, HOUR_MS, isRecent } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../platform/storage.ts';
import { type AccountOutcome, createAccountReader } from '../rental-api/account-reader.ts';
import { heldBackMs, type Rental, type RentalCalls } from '../rental-api/client.ts';
import type { DepositRecord } from '../rental-api/schemas.ts';
import { formatTrx } from '../rental-api/tron.ts';
import type { HeldBack, RecentAttempts } from './evidence.ts';
import type { Kinds, RefundSearch } from './kinds/kind.ts';
import type { DoneOperation, Operation, OperationRef, OperationStore, StoredOperation } from './operation.ts';
import { isOrderKind, isRefundAwaited, isUnreported, rentedUntil, USUAL_DELIVERY_MS } from './order-state.ts';

/** Delays between checks of a failed order, in seconds. The first check is made as soon as the failure is known. */
const CHECK_S = [15, 45, 120, 300, 600, 1_200, 1_500];
/** Time from the first check of a failed order to the last one, in milliseconds: about an hour, also if checks are late. */
const SEARCH_MS = 1_000 * CHECK_S.reduce((sum, seconds) => sum + seconds, 0);
/** Delays between checks of an order that wasn't reported, in seconds: the first one that exceeds the order's age. */
const WATCH_S = [30, 60, 120, 300, 600, 1_800, 3_600];
/** The same from the second day on, in milliseconds. */
const LATE_WATCH_MS = 6 * HOUR_MS;
/** Time after which the user is notified of the failure before the check ends, in milliseconds. */
const SLOW_CHECK_MS = 3_000;
/** Time that a process has for a check, in milliseconds: two reads of up to ten seconds each, and the notification. */
const LEASE_MS = 30_000;

/** Schedule of refund checks. Separate from the reconciler's, which drops settled operations. */
export const REFUND_CHECKS = defineDueQueue({
  keys: 'refunds:due',
  ref: { user: 'number', id: 'string' },
  longestMs: LATE_WATCH_MS,
  content: "When the refund of each order that failed, or wasn't seen to arrive, is looked for next",
  expiry: 'none: a single key; an order is removed when the search ends',
  retained: { elsewhere: 'kept-under-way' },
});

export const createRefundSchedule = (deps: { storage: Pick<Storage, 'index'> }) =>
  createDueQueue(REFUND_CHECKS, deps);

/** Returns in how many milliseconds the next check is due. */
export function nextCheckMs(kinds: Kinds, operation: DoneOperation, now: number): number {
  const { result, settledAt } = operation;
  const { refund, status } = result;
  if (status === 'failed') {
    if (refund === undefined) return 0;
    const { checks, since, at } = refund;
    return leftOf(at, Math.min(1_000 * (CHECK_S[checks - 1] ?? 0), since + SEARCH_MS - at), now);
  }
  const at = refund?.at ?? settledAt;
  const age = at - settledAt;
  const nextMs = 1_000 * (WATCH_S.find((seconds) => seconds * 1_000 > age) ?? 3_600);
  // The receipt changes at that time.
  const watchMs = age < USUAL_DELIVERY_MS ? Math.min(nextMs, USUAL_DELIVERY_MS - age) : nextMs;
  return leftOf(
    at,
    Math.min(age > DAY_MS ? LATE_WATCH_MS : watchMs, watchedUntil(kinds, operation) - at),
    now,
  );
}

/** Returns what is left of a delay since `at`, in milliseconds. */
function leftOf(at: number, delayMs: number, now: number): number {
  return isRecent(at, delayMs, now) ? Math.min(delayMs, at + delayMs - now) : 0;
}

/** Returns when the watch of an order that wasn't reported ends, in epoch milliseconds. */
function watchedUntil(kinds: Kinds, operation: DoneOperation): number {
  return rentedUntil(kinds.of(operation.request), operation) ?? operation.settledAt + DAY_MS;
}

/** Finding of one check. `isLast`: further checks can't show more. `left`: the balance that was read. */
export interface RefundFinding extends Pick<RefundSearch, 'balance' | 'left' | 'rise' | 'among'> {
  kind: 'found';
  /** Whether the user knows from another order, or will, that the rise may be the refund of this one. */
  isTold?: boolean;
  isLast?: boolean;
}

const UNREAD: RefundFinding = { kind: 'found', balance: 'unread' };
const NO_KEY: RefundFinding = { kind: 'found', balance: 'unlinked', isLast: true };

/** Returns the search after one more check. Only the latest finding counts: an earlier one may be outdated. */
export function afterRefundCheck(
  kinds: Kinds,
  operation: DoneOperation,
  { balance, rise, among, isLast = false, left = operation.result.refund?.left }: RefundFinding,
  at: number,
): RefundSearch {
  const { refund: before, status } = operation.result;
  const since = before?.since ?? at;
  const isOver =
    status === 'failed' ? isLast || !isRecent(since, SEARCH_MS, at) : at >= watchedUntil(kinds, operation);
  return {
    checks: (before?.checks ?? 0) + 1,
    since,
    at,
    ...(left && { left }),
    balance,
    ...(rise !== undefined && { rise }),
    ...(among && { among }),
    over: balance === 'back' || isOver,
  };
}

/** Deposit or withdrawal, with its amount in TRX (decimal) if the service names it. */
type Listed = { [Field in 'created_at' | 'amount_trx']?: string | undefined };

/** Time before a request from which a listed deposit or withdrawal may have changed the balance later, in milliseconds. */
const LISTED_EARLIER_MS = HOUR_MS;
/** Maximum number of orders whose refunds are compared with one rise of the balance. */
const MAX_REFUNDABLE = 8;

/** Balance in TRX (decimal) that was read between two times. */
interface BalanceRead {
  trx: BigNumber.Value;
  from: number;
  to: number;
}

/** Changes of the balance by another order since a read, in TRX. `refundable`: amount that may have come back since. */
interface OrderEffect {
  charged: BigNumber;
  refundable?: BigNumber.Value;
}

/** Amount in TRX that an order may have got back. */
interface Refundable {
  amount: BigNumber.Value;
  order: number | undefined;
}

/**
 * Creates the check for the refund of an order. It compares the balance with the one after the charge, and with that of the
 * previous check. If another order's refund may explain the rise, it also compares the balance with the one before that
 * order: both refunds together may be unmistakable. Other orders whose price is known don't prevent that. The refund counts as seen if no other orders' refunds
 * explain the rise, and if nothing else that the bot knows of may have changed the balance.
 */
function createRefundCheck(deps: {
  rental: RentalCalls;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  now: () => number;
}) {
  const { kinds, recentAttempts, now } = deps;
  const accountReader = createAccountReader(deps);

  const noEffect: OrderEffect = { charged: new BigNumber(0) };

  /** Returns what an operation has changed since a balance was read, or `undefined` if that isn't certain. */
  function effectOf(other: Operation, { from, to }: BalanceRead): OrderEffect | undefined {
    const kind = kinds.of(other.request);
    if (other.state === 'refused' || kind.isFree?.(other.request)) return noEffect;
    if (other.state !== 'done') return undefined;
    const { result, settledAt, attempt, settledBy } = other;
    const wasBefore = settledAt < from;
    if (!isOrderKind(kind) || result.status === 'filled') {
      if (wasBefore) return noEffect;
      if (!isOrderKind(kind)) return undefined;
    }
    const { price, refund, refunded = price } = result;
    const isRefundedBefore = refund?.balance === 'back' && refund.at < from;
    const isOver = isUnreported(result) && (rentedUntil(kind, other) ?? from) < from;
    if (wasBefore && (isRefundedBefore || isOver)) return noEffect;
    const isPart = result.delivered !== undefined;
    // The reply names the price that was charged.
    if (price === undefined || settledBy !== 'reply' || isPart) return undefined;
    if (!wasBefore && attempt.sentAt < to) return undefined;
    const charged = new BigNumber(wasBefore ? 0 : price);
    return result.status === 'filled' || isRefundedBefore ? { charged } : { charged, refundable: refunded };
  }

  return async (order: DoneOperation, apiKey: string): Promise<RefundFinding | HeldBack> => {
    const readAt = now();
    const account = accountReader.open({ account: order.account, apiKey });
    const profile = await account.read((reads) => reads.profile());
    if (profile.kind !== 'accepted') return heldBack(profile) ?? UNREAD;
    const left = { trx: profile.value.balance_trx, at: readAt };
    // Read after the balance: an operation that isn't among them hasn't changed it.
    const others = await recentAttempts.othersOf(order);
    if (others === undefined) return { kind: 'found', balance: 'moved', isLast: true };

    const { result, estimate, attempt, claimedAt } = order;
    const price = result.price ?? estimate ?? Number.NaN;
    function since(read: BalanceRead): Verdict {
      const { from } = read;
      const changes = others?.map((other) => ({ other, effect: effectOf(other, read) })) ?? [];
      const effects = changes.flatMap(({ effect }) => effect ?? []);
      if (effects.length < changes.length) return { balance: 'moved', from };
      const charged = BigNumber.sum(0, ...effects.map((effect) => effect.charged));
      const rise = new BigNumber(left.trx).minus(read.trx).plus(charged);
      const refundable = changes.flatMap(({ other, effect }) =>
        effect?.refundable === undefined ? [] : { amount: effect.refundable, order: orderOf(other) },
      );
      return { ...explained(rise, price, refundable), rise, from };
    }

    /** Returns the verdicts of the time since the charges of earlier orders, which include this order's charge. */
    function sinceEarlierCharges(): Verdict[] {
      return (others ?? []).flatMap((other) => {
        if (other.state !== 'done' || other.attempt.balanceBefore === undefined) return [];
        const { balanceBefore, sentAt } = other.attempt;
        if (sentAt >= claimedAt || !isOrderKind(kinds.of(other.request))) return [];
        const trx = new BigNumber(balanceBefore).minus(price);
        return since({ trx, from: other.claimedAt, to: sentAt });
      });
    }
    const afterCharge = new BigNumber(attempt.balanceBefore ?? Number.NaN).minus(price);
    const sinceCharge = since({ trx: afterCharge, from: claimedAt, to: attempt.sentAt });
    const { refund: before } = result;
    // Without a price in the reply, only the balance before the order shows the whole refund.
    const sinceCheck =
      before?.left && result.price !== undefined
        ? since({ trx: before.left.trx, from: before.left.at, to: before.at })
        : sinceCharge;
    const isSeenLater = sinceCharge.balance === 'moved' && sinceCheck.balance !== 'same';
    const seen = isSeenLater ? sinceCheck : sinceCharge;
    const isCertain = (verdict: Verdict) => verdict.balance === 'back' || verdict.balance === 'same';
    const certain = seen.balance === 'either' ? sinceEarlierCharges().find(isCertain) : undefined;
    const { balance, rise, among, from } = certain ?? seen;
    if (rise === undefined || (balance !== 'back' && balance !== 'either'))
      return { kind: 'found', balance, left };
    const [deposits, withdrawals] = await Promise.all([
      account.read((reads) => reads.deposits()),
      account.read((reads) => reads.withdrawals()),
    ]);
    if (deposits.kind !== 'accepted' || withdrawals.kind !== 'accepted')
      return heldBack(deposits) ?? heldBack(withdrawals) ?? UNREAD;
    const listed = [...deposits.value.map(creditOf), ...withdrawals.value];
    if (listed.some((entry) => mayExplain(entry, rise, Math.min(from, claimedAt))))
      return { kind: 'found', balance: 'moved', left };
    if (balance === 'back') return { kind: 'found', balance, left };
    const either = { balance, rise: formatTrx(rise), ...(among && { among }) };
    const isFirst = before?.balance !== 'either';
    const isTold = others.some(
      (other) =>
        other.user === order.user &&
        (isToldWith(other, result.order, either) || (isFirst && isToldFirst(other, order, either))),
    );
    return { kind: 'found', left, ...either, isTold };
  };

  /** Returns whether the next check of an earlier order that isn't reported either will tell the user of the rise. */
  function isToldFirst(
    other: Operation,
    { result }: DoneOperation,
    { among = [] }: Pick<RefundSearch, 'among'>,
  ) {
    const earlier = orderOf(other);
    if (earlier === undefined || result.order === undefined || !among.includes(earlier)) return false;
    const isAwaited = isRefundAwaited(kinds, other) && isUnreported(other.result);
    return isAwaited && earlier < result.order && result.status !== 'failed';
  }
}

/** Returns whether a message about another order said that the rise may be the refund of this one. */
function isToldWith(
  other: Operation,
  order: number | undefined,
  { rise }: Pick<RefundSearch, 'rise'>,
): boolean {
  if (other.state !== 'done' || order === undefined) return false;
  const { refund } = other.result;
  return refund?.isTold === true && refund.rise === rise && refund.among?.includes(order) === true;
}

const orderOf = (operation: Operation) => (operation.state === 'done' ? operation.result.order : undefined);

/** Finding for the time from `from` on, in epoch milliseconds. */
interface Verdict extends Pick<RefundSearch, 'balance' | 'among'> {
  from: number;
  rise?: BigNumber;
}

/**
 * Returns whether the refund of an order explains a rise of the balance, in TRX. `others`: what other orders may have got
 * back. `either`: the rise is explained with this refund, and also without it.
 */
function explained(
  rise: BigNumber,
  price: BigNumber.Value,
  others: readonly Refundable[],
): Pick<RefundSearch, 'balance' | 'among'> {
  if (others.length > MAX_REFUNDABLE) return { balance: rise.isZero() ? 'same' : 'moved' };
  /** Each subset of `others`, with its sum. */
  const subsets: { sum: BigNumber; of: Refundable[] }[] = [{ sum: new BigNumber(0), of: [] }];
  for (const other of others)
    subsets.push(...subsets.map(({ sum, of }) => ({ sum: sum.plus(other.amount), of: [...of, other] })));
  const without = subsets.filter(({ sum }) => sum.eq(rise));
  const withIt = subsets.filter(({ sum }) => sum.plus(price).eq(rise));
  if (withIt.length === 0) return { balance: without.length > 0 ? 'same' : 'moved' };
  if (without.length === 0) return { balance: 'back' };
  const orders = without.map(({ of: [only, second] }) => (second === undefined ? only?.order : undefined));
  const among = orders.filter((order) => order !== undefined);
  const isSingle = among.length === orders.length && withIt.every(({ of }) => of.length === 0);
  return { balance: 'either', ...(isSingle && { among }) };
}

function heldBack(outcome: AccountOutcome<unknown>): HeldBack | undefined {
  const waitMs = heldBackMs(outcome);
  return waitMs === undefined ? undefined : { kind: 'held-back', waitMs };
}

function creditOf({ created_at, currency, amount, amount_trx }: DepositRecord): Listed {
  return { created_at, amount_trx: amount_trx ?? (currency === 'TRX' ? amount : undefined) };
}

/** Returns whether a rise since then may come from an entry. A larger amount can't be part of it. */
function mayExplain({ created_at: time, amount_trx: trx }: Listed, rise: BigNumber.Value, since: number) {
  const isEarlier = time !== undefined && Date.parse(time) < since - LISTED_EARLIER_MS;
  return !isEarlier && !(trx !== undefined && new BigNumber(trx).gt(rise));
}

/**
 * Creates the work that looks for refunds: checks the balance if it is time, then notifies the user, also of a failure
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
  notify: (stored: StoredOperation) => Promise<{ stored: StoredOperation } | undefined>,
  apply: (before: StoredOperation<DoneOperation>, found: RefundFinding) => Promise<unknown>,
) {
  const { kinds, store, refundSchedule, apiKey, now, log } = services;
  const check = createRefundCheck({ ...services, rental: services.rental.withPriority('background') });

  /** Returns in how many milliseconds the next check is due, or `undefined` if the search has ended. */
  const waitMsOf = (operation: Operation) =>
    isRefundAwaited(kinds, operation) ? nextCheckMs(kinds, operation, now()) : undefined;

  /** Makes a check if it is due. Returns the wait of a check that the rate limit doesn't allow, in milliseconds. */
  async function checkIfDue({ operation, record }: StoredOperation): Promise<number | undefined> {
    if (operation.state !== 'done' || waitMsOf(operation) !== 0) return undefined;
    const key = await apiKey(operation.user, operation.account);
    const found = key === undefined ? NO_KEY : await check(operation, key);
    if (found.kind === 'held-back') return found.waitMs;
    await apply({ operation, record }, found);
    return undefined;
  }

  /** Notifies the user, unless the reconciler does: of an order that was accepted. Returns the present operation. */
  async function notifyIfNeeded(ref: OperationRef): Promise<Operation | undefined> {
    const stored = await store.read(ref);
    if (stored === undefined) return undefined;
    const { operation } = stored;
    // A restored record may be in an earlier state, which the reconciler ends.
    if (operation.state !== 'done') return operation;
    const isOnlyAccepted =
      isRefundAwaited(kinds, operation) &&
      isUnreported(operation.result) &&
      operation.receipt.shownAt === undefined &&
      !operation.receipt.late;
    return isOnlyAccepted ? operation : (await notify(stored))?.stored.operation;
  }

  async function work(ref: OperationRef): Promise<void> {
    const stored = await store.readable(ref);
    // Left to a process of a newer version.
    if (stored === 'unreadable') return;
    const checking = typeof stored === 'object' ? checkIfDue(stored) : undefined;
    // The user needn't wait for a slow service to learn of the failure.
    if (checking) await orTimeout(checking, SLOW_CHECK_MS, () => notifyIfNeeded(ref));
    const heldMs = await checking;
    const present = await notifyIfNeeded(ref);
    const waitMs = heldMs ?? (present && waitMsOf(present));
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
