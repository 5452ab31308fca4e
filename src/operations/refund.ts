// Checks by the balance of the account whether an operation was refunded: an order or a withdrawal that failed, or an order
// whose delivery the bot can't see. The service lists neither orders nor refunds.

import { BigNumber } from 'bignumber.js';
import type { Balances } from '../accounts/balances.ts';
import { createKeyedQueue, orTimeout } from '../platform/async.ts';
import { DAY_MS, HOUR_MS, isRecent } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { keyOf } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import {
  type AccountOutcome,
  createAccountReader,
  type OpenedAccount,
} from '../rental-api/account-reader.ts';
import { heldBackMs, type Rental, type RentalCalls } from '../rental-api/client.ts';
import type { Withdrawal } from '../rental-api/schemas.ts';
import { formatTrx } from '../rental-api/tron.ts';
import { explainBalance, sharedReturns, unannouncedTrx } from './balance-rises.ts';
import { LISTED_EARLIER_MS, type Listed, type ListedDeposit, listedDeposit } from './credits.ts';
import { type HeldBack, type RecentAttempts, watchedOrder } from './evidence.ts';
import type { Kinds, RefundSearch } from './kinds/kind.ts';
import {
  type DoneOperation,
  isUnresolved,
  type Operation,
  type OperationRef,
  type OperationStore,
  type StoredOperation,
} from './operation.ts';
import {
  isOpenRise,
  isOrderKind,
  isRefundAwaited,
  isUnreported,
  rentedUntil,
  USUAL_DELIVERY_MS,
} from './order-state.ts';

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
  if (refund?.recheck) return 0;
  if (status === 'failed') {
    if (refund === undefined) return 0;
    const { checks, since, at } = refund;
    const delayMs = 1_000 * (CHECK_S[checks - 1] ?? SEARCH_MS);
    return leftOf(at, Math.min(delayMs, since + SEARCH_MS - at), now);
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

/**
 * Finding of one check. `isLast`: further checks can't show more. `left`: the balance that was read. `isKnown`: the user
 * knows of the rise from a message about another order. `isSettled`: the money of an earlier rise is another order's.
 */
export interface RefundFinding
  extends Pick<RefundSearch, 'balance' | 'left' | 'rise' | 'among' | 'asBefore' | 'open' | 'isKnown'> {
  kind: 'found';
  isLast?: boolean;
  isSettled?: boolean;
}

const UNREAD: RefundFinding = { kind: 'found', balance: 'unread' };
const NO_KEY: RefundFinding = { kind: 'found', balance: 'unlinked', isLast: true };

/**
 * Returns the search after one more check, and whether the check found money that the user doesn't know of. Only the latest
 * finding counts, because an earlier one may be outdated. The exception is a rise that may be the refund of this order: it
 * counts until it turns out to be another order's.
 */
export function afterRefundCheck(
  kinds: Kinds,
  operation: DoneOperation,
  finding: RefundFinding,
  at: number,
): { refund: RefundSearch; isNewMoney: boolean } {
  const { refund: before, status } = operation.result;
  const { balance: found, isLast = false, isSettled, left = before?.left } = finding;
  const isNewMoney = (found === 'back' || found === 'either' || isOpenRise(finding)) && !finding.isKnown;
  const isFinal = found === 'back' || (found === 'same' && isSettled);
  const isShared = before?.balance === 'either' || (found === 'moved' && isOpenRise(before));
  const isKept = before !== undefined && isShared && !isFinal && !isNewMoney;
  const { balance, rise, among, asBefore, open, isKnown } = isKept ? before : finding;
  const since = before?.since ?? at;
  const isOver =
    status === 'failed' ? isLast || !isRecent(since, SEARCH_MS, at) : at >= watchedUntil(kinds, operation);
  const refund: RefundSearch = {
    checks: (before?.checks ?? 0) + 1,
    since,
    at,
    ...(left && { left }),
    balance,
    ...(rise !== undefined && { rise }),
    ...(among && { among }),
    ...(asBefore !== undefined && { asBefore }),
    ...(open !== undefined && { open }),
    ...(isKnown && { isKnown }),
    over: balance === 'back' || isOver,
  };
  return { refund, isNewMoney };
}

/** The account's deposits and withdrawals. */
interface Lists {
  kind: 'found';
  deposits: ListedDeposit[];
  withdrawals: Withdrawal[];
}

const NO_LISTS: Lists = { kind: 'found', deposits: [], withdrawals: [] };

/**
 * Creates the check for the refund of an order. It explains all balances of the account that the bot has read since by the
 * charges and refunds of its orders ({@link explainBalance}). The refund counts as seen if each explanation contains it, and
 * if nothing else that the bot knows of may have changed the balance.
 */
function createRefundCheck(deps: {
  rental: RentalCalls;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  balances: Pick<Balances, 'startRead'>;
  now: () => number;
}) {
  const { kinds, recentAttempts, balances, now } = deps;
  const accountReader = createAccountReader(deps);

  return async (order: DoneOperation, apiKey: string): Promise<RefundFinding | HeldBack> => {
    const readAt = now();
    const account = accountReader.open({ account: order.account, apiKey });
    const storeBalance = balances.startRead(order.account);
    const profile = await account.read((reads) => reads.profile());
    if (profile.kind !== 'accepted') return heldBack(profile) ?? UNREAD;
    storeBalance(profile.value.balance_trx);
    const left = { trx: profile.value.balance_trx, at: readAt, until: now() };
    // Read after the balance: an operation that isn't among them hasn't changed it.
    const others = await recentAttempts.othersOf(order);
    if (others === undefined) return { kind: 'found', balance: 'moved', isLast: true };

    const reading = { trx: left.trx, from: left.at, until: left.until };
    let explanation = explainBalance(kinds, order, others, reading);
    const withdrawn = kinds.of(order.request).withdrawalAmount?.(order.request);
    const isWithdrawal = withdrawn !== undefined;
    const isAsBefore = new BigNumber(left.trx).eq(order.attempt.balanceBefore ?? Number.NaN);
    const isUnexplained = explanation.balance === 'moved' && (!isWithdrawal || isAsBefore);
    const isRefund = explanation.balance === 'back' || explanation.balance === 'either';
    const lists = isUnexplained || isRefund ? await readLists(account) : NO_LISTS;
    if (!('deposits' in lists)) return lists;
    if (isWithdrawal && isAsBefore && !mayHaveComeInstead(order, withdrawn, lists))
      return { kind: 'found', balance: 'back', left };
    const credits = lists.deposits.flatMap(({ credit }) => credit ?? []);
    if (credits.length > 0) explanation = explainBalance(kinds, order, others, reading, credits);
    const { balance, trx, among, together, asBefore, since } = explanation;
    const isOwn = ({ user }: Operation) => user === order.user;
    const own = order.result.order === undefined ? [] : [order.result.order];
    const orders = [order, ...others].filter(({ request }) => isOrderKind(kinds.of(request)));
    const openOperation = explanation.unclear.findLast((one) => isOwn(one) && isUnresolved(one));
    const open = openOperation?.id;
    const openOne = open === undefined ? {} : { open };
    if (balance !== 'back' && balance !== 'either') {
      const shared = sharedReturns(orders.filter(isOwn));
      const isSettled = !shared.some(({ orders }) => orders.some((one) => own.includes(one)));
      return { kind: 'found', balance, left, isSettled, ...(balance === 'moved' && openOne) };
    }
    const otherDeposits = lists.deposits.filter(
      ({ credit }) => credit === undefined || !explanation.credits.includes(credit),
    );
    const otherWithdrawals = lists.withdrawals.filter(({ id }) => !isWithdrawal || !own.includes(id));
    const listed = [...otherDeposits, ...otherWithdrawals];
    if (listed.some((entry) => mayExplain(entry, trx, Math.min(since, order.claimedAt))))
      return { kind: 'found', balance: 'moved', left };

    if (isWithdrawal) return { kind: 'found', balance, left };
    const unannouncedOf = (numbers: readonly number[]) =>
      unannouncedTrx(explanation, numbers, orders, order.user);
    if (balance === 'back') {
      const all = [order, ...together.filter(isOwn)];
      const sum = BigNumber.sum(...all.map(({ result }) => result.price ?? Number.NaN));
      const rest = all.slice(1).flatMap(({ result }) => result.order ?? []);
      if (own.length > 0 && rest.length > 0 && unannouncedOf([...own, ...rest]).gte(sum))
        return { kind: 'found', balance, left, rise: formatTrx(sum), among: rest };
      const price = order.result.price ?? order.estimate ?? Number.NaN;
      const isShared = sharedReturns(orders).some((one) => one.open === order.id);
      const isKnown = isShared || (own.length > 0 && unannouncedOf(own).lt(price));
      const earlier = asBefore && isOwn(asBefore) ? asBefore.id : undefined;
      return {
        kind: 'found',
        balance,
        left,
        ...(earlier !== undefined && { asBefore: earlier }),
        ...(isKnown && { isKnown }),
      };
    }
    const numbers = among.flatMap(({ result }) => result.order ?? []);
    const [unknown, another] = explanation.or;
    // A message can name one operation of unknown result, of the same user.
    if (another !== undefined || (unknown !== undefined && !(isOwn(unknown) && isUnresolved(unknown))))
      return { kind: 'found', balance: 'moved', left, ...openOne };
    const or = unknown && { balance: 'moved' as const, open: unknown.id };
    const unannounced = unannouncedOf([...own, ...numbers]);
    if (unannounced.gt(0))
      return { kind: 'found', balance, left, among: numbers, rise: formatTrx(unannounced), ...or };
    // Money that was announced before this order can't be its refund.
    const announced = sharedReturns(orders.filter(isOwn)).filter(
      (one) => one.at >= order.claimedAt && one.orders.some((number) => numbers.includes(number)),
    );
    if (announced.length === 0) return { kind: 'found', balance: 'moved', left, ...openOne };
    const known = BigNumber.sum(...announced.map((one) => one.trx));
    return { kind: 'found', balance, left, among: numbers, rise: formatTrx(known), isKnown: true, ...or };
  };
}

function heldBack(outcome: AccountOutcome<unknown>): HeldBack | undefined {
  const waitMs = heldBackMs(outcome);
  return waitMs === undefined ? undefined : { kind: 'held-back', waitMs };
}

/** Reads the account's deposits and withdrawals. */
async function readLists(account: OpenedAccount): Promise<Lists | RefundFinding | HeldBack> {
  const [deposits, withdrawals] = await Promise.all([
    account.read((reads) => reads.deposits()),
    account.read((reads) => reads.withdrawals()),
  ]);
  if (deposits.kind !== 'accepted' || withdrawals.kind !== 'accepted')
    return heldBack(deposits) ?? heldBack(withdrawals) ?? UNREAD;
  return { kind: 'found', deposits: deposits.value.map(listedDeposit), withdrawals: withdrawals.value };
}

/** Returns whether a rise since then may come from an entry. A larger amount can't be part of it. */
function mayExplain({ created_at: time, amount_trx: trx }: Listed, rise: BigNumber.Value, since: number) {
  const isEarlier = time !== undefined && Date.parse(time) < since - LISTED_EARLIER_MS;
  return !isEarlier && !(trx !== undefined && new BigNumber(trx).gt(rise));
}

/**
 * Returns whether the balance may be as before a failed withdrawal without its refund: another payment came since then, or is
 * equal to what the withdrawal has cost.
 */
function mayHaveComeInstead({ attempt, result }: DoneOperation, withdrawn: string, lists: Lists): boolean {
  const isSince = ({ created_at: time }: Listed) => time !== undefined && Date.parse(time) >= attempt.sentAt;
  const isEqual = (one: Listed) =>
    mayExplain(one, withdrawn, attempt.sentAt) && !new BigNumber(one.amount_trx ?? withdrawn).lt(withdrawn);
  const returned = lists.withdrawals
    .filter(({ id, status }) => id !== result.order && status === 'failed')
    .map((one) => ({ ...one, amount_trx: new BigNumber(one.amount_trx).plus(one.fee_trx ?? 0).toFixed() }));
  return lists.deposits.some((one) => isSince(one) || isEqual(one)) || returned.some(isEqual);
}

/** Lease of an account's checks. One at a time, because each depends on what the others have shared out. */
export const CHECKING_REFUND = defineLease({
  keys: 'checking-refund:account',
  content: "Lease of the process that looks for refunds in an account's balance",
  retained: { elsewhere: 'kept-under-way' },
});

/** Delay until a retry while another replica checks the account, in milliseconds. */
const BUSY_MS = 1_000;

/**
 * Creates the work that looks for refunds: checks the balance if it is time, then notifies the user, also of a failure
 * itself. `apply` stores a finding.
 */
export function createRefundWork(
  services: {
    balances: Pick<Balances, 'startRead'>;
    rental: Rental;
    kinds: Kinds;
    store: OperationStore;
    recentAttempts: RecentAttempts;
    refundSchedule: ReturnType<typeof createRefundSchedule>;
    leases: Leases;
    keyToFollow: (operation: Operation) => Promise<string | undefined>;
    now: () => number;
    log: Log;
  },
  notify: (stored: StoredOperation) => Promise<{ stored: StoredOperation } | undefined>,
  apply: (before: StoredOperation, watched: DoneOperation, found: RefundFinding) => Promise<unknown>,
) {
  const { kinds, store, refundSchedule, leases, keyToFollow, now, log } = services;
  const accountQueue = createKeyedQueue<number>();
  const check = createRefundCheck({ ...services, rental: services.rental.withPriority('background') });

  /** Returns in how many milliseconds the next check is due, or `undefined` if the search has ended. */
  const waitMsOf = (operation: Operation) => {
    const watched = watchedOrder(kinds, operation);
    return watched && nextCheckMs(kinds, watched, now());
  };

  /**
   * Makes a check if it is due, after the other checks of its account. Returns the wait of a check that the rate limit
   * doesn't allow or another replica delays, in milliseconds.
   */
  async function checkIfDue({ operation }: StoredOperation): Promise<number | undefined> {
    if (waitMsOf(operation) !== 0) return undefined;
    return accountQueue.run(operation.account, async () => {
      let heldMs: number | undefined;
      const key = keyOf(CHECKING_REFUND.keys, operation);
      const result = await leases.withLease(key, async () => {
        heldMs = await checkUnderLease(operation);
      });
      return result === 'busy' ? BUSY_MS : heldMs;
    });
  }

  async function checkUnderLease(ref: OperationRef): Promise<number | undefined> {
    const stored = await store.read(ref);
    if (stored === undefined) return undefined;
    const watched = watchedOrder(kinds, stored.operation);
    if (watched === undefined || nextCheckMs(kinds, watched, now()) !== 0) return undefined;
    const key = await keyToFollow(watched);
    const found = key === undefined ? NO_KEY : await check(watched, key);
    if (found.kind === 'held-back') return found.waitMs;
    await apply(stored, watched, found);
    return undefined;
  }

  /** Notifies the user, unless the reconciler does: of an order that was accepted. Returns the present operation. */
  async function notifyIfNeeded(ref: OperationRef): Promise<Operation | undefined> {
    const stored = await store.read(ref);
    if (stored === undefined) return undefined;
    const { operation } = stored;
    // A restored record may be in an earlier state, which the reconciler ends.
    if (operation.state !== 'done' && operation.state !== 'likely') return operation;
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

  const dueWork = createDueWork({
    queue: refundSchedule,
    work,
    leaseMs: LEASE_MS,
    failureMessage: 'looking for a refund failed; it will be retried',
    log,
  });
  /** Makes a check that is due at once. Resolves when it has ended, or is slow. */
  return { ...dueWork, checkNow: (ref: OperationRef) => orTimeout(work(ref), SLOW_CHECK_MS) };
}
