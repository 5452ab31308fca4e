// Evidence of outcomes: orders and their reports, recent attempts of an account, and the search after a lost reply.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../platform/clock.ts';
import { defineRecord, keyOf, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createAccountReader, type OpenedAccount } from '../rental-api/account-reader.ts';
import { heldBackMs, type RentalCalls } from '../rental-api/client.ts';
import { formatTrx } from '../rental-api/tron.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';
import { depositedSince } from './credits.ts';
import { type Kinds, type Listed, type OrderReport, orderReportSchema } from './kinds/kind.ts';
import {
  type Attempted,
  type DoneOperation,
  type Evidence,
  isConfirmed,
  isReportAwaited,
  isSame,
  isUnresolved,
  nameOf,
  OPERATION_TTL_MS,
  type Operation,
  type OperationRef,
  type OperationStore,
  refOfName,
  type SearchFindings,
  type UncertainOperation,
  wasSent,
} from './operation.ts';
import { differenceOf, reportedPrice } from './order-reports.ts';
import { isOrderKind, isRefundAwaited, isRefundSeen, isUnreported, rentedUntil } from './order-state.ts';

/** Maximum difference between the clocks of replicas, or between the service's clock and ours, in milliseconds. */
const SKEW_MS = 30_000;
const ORDER_TTL_MS = 30 * DAY_MS;

const ORDER_OWNER = defineRecord({
  keys: 'order:account:namespace:order',
  content: 'Operation that an order belongs to',
  schema: z.object({ user: z.number(), id: z.string() }),
  ttlMs: ORDER_TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-money' },
});

const ORDER_REPORT = defineRecord({
  keys: 'order-report:account:namespace:order',
  content: 'Reports of an order by the service',
  schema: z.array(orderReportSchema),
  ttlMs: ORDER_TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-account' },
});

const REPORTS_OF_ACCOUNT = {
  keys: 'reports-of-account:account',
  content: 'Orders that were reported lately',
  expiry: '1 day since the latest one',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;

/** Maximum recently reported orders of one account that serve as evidence. */
const MAX_REPORTS = 200;
/** Maximum reports of one order. The latest are kept. */
const MAX_REPORTS_OF_ORDER = 10;

/** Order of an account. Its number is unique only within its namespace, such as energy or bandwidth. */
export interface OrderName {
  account: number;
  namespace: string;
  order: number;
}

/** Creates the bindings of orders to operations, and the reports of orders. They decide outcomes, so all are signed. */
export function createOrders(deps: { storage: Storage; records: SignedRecords; now: () => number }) {
  const { storage, records, now } = deps;
  const owners = records.store(ORDER_OWNER);
  const reports = records.store(ORDER_REPORT);
  const ownerOf = (name: OrderName) => owners.get(name);

  return {
    /** Binds an order to one operation. Returns whether it is bound to this one, now or already. */
    async bind(name: OrderName, { user, id }: OperationRef): Promise<boolean> {
      if (await owners.add(name, { user, id })) return true;
      const owner = await ownerOf(name);
      return owner !== undefined && isSame(owner, { user, id });
    },
    /** Binds an order if it is still bound to `former`, or still unbound without it. Returns whether it did. */
    async rebind(name: OrderName, former: OperationRef | undefined, { user, id }: OperationRef) {
      const present = await owners.read(name);
      if (present === undefined) {
        // A record that fails verification would block `add`.
        if (await records.has(owners.keyOf(name))) await owners.delete(name);
        return former === undefined && owners.add(name, { user, id });
      }
      if (former === undefined || !isSame(present.value, former)) return false;
      return (await owners.replace(name, present, { user, id })) !== undefined;
    },
    /** Unbinds an order if it is bound to this operation. */
    async release(name: OrderName, ref: OperationRef): Promise<void> {
      const owner = await ownerOf(name);
      if (owner && isSame(owner, ref)) await owners.delete(name);
    },
    ownerOf,
    async storeReport(account: number, report: OrderReport): Promise<void> {
      const { namespace, order } = report;
      const name = { account, namespace, order };
      // A report without a time gets its arrival time, so it can't match a request that is sent later.
      const dated = { ...report, at: report.at ?? now() };
      await Promise.all([
        reports.update(name, (before = []) => [...before, dated].slice(-MAX_REPORTS_OF_ORDER)),
        storage.index.scheduleIn(keyOf(REPORTS_OF_ACCOUNT.keys, { account }), `${namespace}:${order}`, 0, {
          ttlMs: DAY_MS,
        }),
      ]);
    },
    /** Returns the stored reports of an order, in the order of their arrival. */
    reportsOf: async (name: OrderName): Promise<readonly OrderReport[]> => (await reports.get(name)) ?? [],
    /** Returns the account's recent order reports, latest first. */
    async recentReports(account: number): Promise<OrderReport[]> {
      const members = await storage.index.last(keyOf(REPORTS_OF_ACCOUNT.keys, { account }), MAX_REPORTS);
      const found = await Promise.all(
        members.map((member) => {
          const [namespace = '', order] = member.split(':');
          return reports.get({ account, namespace, order: Number(order) });
        }),
      );
      return found.flatMap((ofOrder = []) => ofOrder);
    },
  };
}

/** Maximum operations of an account that are read. */
const MAX_ATTEMPTS = 500;

const SENT_OF_ACCOUNT = {
  keys: 'sent-of-account:account',
  content: 'Recent attempts of an account',
  expiry: '90 days since the latest one',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

/** Index of the unresolved ones only. It is small, and every new card reads it. */
const UNRESOLVED_OF_ACCOUNT = {
  keys: 'unresolved-of-account:account',
  content: 'Attempts of an account with an unknown outcome',
  expiry: '90 days since the latest one',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

interface Entry {
  member: string;
  operation?: Operation;
  /** Set if this version can't read the record, so its effect is unknown. */
  isUnreadable?: boolean;
}

export type RecentAttempts = ReturnType<typeof createRecentAttempts>;

/** Creates the index of an account's recent attempts. Each could be mistaken for evidence of another one. */
export function createRecentAttempts(deps: {
  storage: Pick<Storage, 'index'>;
  store: OperationStore;
  kinds: Kinds;
  now: () => number;
}) {
  const { store, kinds, now } = deps;
  const { index } = deps.storage;
  const sentKey = (account: number) => keyOf(SENT_OF_ACCOUNT.keys, { account });
  const unresolvedKey = (account: number) => keyOf(UNRESOLVED_OF_ACCOUNT.keys, { account });

  /** Returns the latest operations, oldest first. If there are more than the maximum, the oldest ones are left out. */
  async function last(account: number): Promise<Entry[]> {
    return read((await index.last(sentKey(account), MAX_ATTEMPTS)).reverse());
  }

  function read(members: string[]): Promise<Entry[]> {
    return Promise.all(
      members.map(async (member) => {
        const stored = await store.readable(refOfName(member));
        if (typeof stored === 'string') return { member, isUnreadable: true };
        return { member, ...(stored && { operation: stored.operation }) };
      }),
    );
  }

  /** Removes missing attempts from an index, and those that `isKept` doesn't accept. Returns the others. */
  async function keep(
    key: string,
    entries: Entry[],
    isKept: (operation: Operation) => boolean,
  ): Promise<Entry[]> {
    const isLeft = ({ operation, isUnreadable }: Entry) =>
      isUnreadable === true || (operation !== undefined && isKept(operation));
    const removed = entries.filter((entry) => !isLeft(entry));
    await Promise.all(removed.map(({ member }) => index.remove(key, member)));
    return entries.filter(isLeft);
  }

  function mayBeRefunded(operation: Operation): boolean {
    const until = rentedUntil(kinds.of(operation.request), operation) ?? 0;
    return isRefundAwaited(kinds, operation) && until > now();
  }

  /** Removes attempts older than a day, except unresolved ones and orders whose refund may still come. */
  async function prune(account: number): Promise<void> {
    const key = sentKey(account);
    const old = await read(await index.upTo(key, now() - DAY_MS, MAX_ATTEMPTS));
    await keep(key, old, (operation) => isUnresolved(operation) || mayBeRefunded(operation));
  }

  const isRecentOrOpen = (operation: Operation) =>
    isUnresolved(operation) || !wasSent(operation) || operation.attempt.sentAt >= now() - DAY_MS;

  function mayHaveLoweredBalance({ operation: other, isUnreadable }: Entry, operation: Attempted): boolean {
    if (other === undefined) return isUnreadable === true;
    if (isSame(other, operation) || other.state === 'refused') return false;
    if (kinds.of(other.request).isFree?.(other.request)) return false;
    if (hasChargedBefore(other, operation)) return false;
    return !wasSent(other) || other.attempt.sentAt + SKEW_MS > operation.claimedAt;
  }

  return {
    async recordAttempt(operation: Operation): Promise<void> {
      const { account } = operation;
      await Promise.all([
        ...[sentKey(account), unresolvedKey(account)].map((key) =>
          index.scheduleIn(key, nameOf(operation), 0, { ttlMs: OPERATION_TTL_MS }),
        ),
        prune(account),
      ]);
    },
    /** Removes a resolved operation from the unresolved ones. */
    resolved: (operation: Operation) => index.remove(unresolvedKey(operation.account), nameOf(operation)),
    /** Returns the unresolved operations of any age, oldest first. */
    async unresolvedOf(account: number): Promise<Operation[]> {
      const key = unresolvedKey(account);
      const all = await read((await index.last(key, MAX_ATTEMPTS)).reverse());
      const open = await keep(key, all, isUnresolved);
      return open.flatMap(({ operation }) => operation ?? []);
    },
    /** Returns the operations of the last day and older unresolved ones, oldest first. */
    of: async (account: number) =>
      (await last(account)).flatMap(({ operation }) =>
        operation && isRecentOrOpen(operation) ? operation : [],
      ),
    /**
     * Returns the other operations that `of` returns, and older orders whose refund may still come; `undefined` if some of
     * them may be missing.
     */
    async othersOf(operation: Operation): Promise<Operation[] | undefined> {
      const all = await last(operation.account);
      if (all.length >= MAX_ATTEMPTS || all.some(({ isUnreadable }) => isUnreadable)) return undefined;
      return all.flatMap(({ operation: other }) => (other && !isSame(other, operation) ? other : []));
    },
    /**
     * Returns the other operations that may have lowered the balance since the one before this operation was read, oldest
     * first; `undefined` if some of them may be missing.
     */
    async concurrentWith(operation: Attempted): Promise<Operation[] | undefined> {
      const all = await last(operation.account);
      const concurrent = all.filter((other) => mayHaveLoweredBalance(other, operation));
      if (all.length >= MAX_ATTEMPTS || concurrent.some(({ isUnreadable }) => isUnreadable)) return undefined;
      return concurrent.flatMap(({ operation: other }) => other ?? []);
    },
  };
}

/** Returns whether the balance before an operation was the one before the other operation less that one's price. */
function hasChargedBefore(other: Operation, { attempt }: Attempted): boolean {
  if (other.state !== 'done' || other.settledBy !== 'reply') return false;
  const { balanceBefore: before } = other.attempt;
  const left = new BigNumber(before ?? Number.NaN).minus(other.result.price ?? Number.NaN);
  return left.eq(attempt.balanceBefore ?? Number.NaN);
}

/** Maximum difference between a price and an estimate. The service rounds prices to two decimals. */
const ROUNDING_TRX = '0.01';
/**
 * Returns the price that the balance shows, in TRX (decimal): what it fell by, if that is the estimate but for rounding.
 * It proves nothing if another operation may have moved the balance. `left`: the balance after the request.
 */
export function priceSeen(
  { estimate, attempt }: Pick<Attempted, 'estimate' | 'attempt'>,
  left: string | undefined,
): string | undefined {
  if (estimate === undefined || attempt.balanceBefore === undefined || left === undefined) return undefined;
  const fell = new BigNumber(attempt.balanceBefore).minus(left);
  return fell.gt(0) && fell.minus(estimate).abs().lt(ROUNDING_TRX) ? formatTrx(fell) : undefined;
}

/**
 * Returns the order for whose refund the balance is watched, or `undefined` if it isn't. An order that has most likely gone
 * through is watched like one that was accepted at the price that the balance shows.
 */
export function watchedOrder(kinds: Pick<Kinds, 'of'>, operation: Operation): DoneOperation | undefined {
  if (operation.state !== 'likely') return isRefundAwaited(kinds, operation) ? operation : undefined;
  const { refund, ...rest } = operation;
  const price = priceSeen(operation, leftWithoutOthers({ ...operation.search?.seen, deposited: undefined }));
  if (price === undefined) return undefined;
  const result = { status: 'pending', price, ...(refund && { refund }) };
  const accepted: Operation = { ...rest, state: 'done', result };
  return isRefundAwaited(kinds, accepted) ? accepted : undefined;
}

/** Returns the balance that a search has seen, without later deposits and purchases, in TRX (decimal). */
export function leftWithoutOthers({
  left,
  deposited = '0',
  charged = '0',
}: SearchFindings = {}): string | undefined {
  return left === undefined ? undefined : new BigNumber(left).minus(deposited).plus(charged).toFixed();
}

/**
 * Returns what another purchase has cost since the request of `operation`, in TRX, or `undefined` if that isn't certain: an
 * order that wasn't reported may have failed and been refunded. `readAt`: time of the read of the balance.
 */
function costSince(kinds: Kinds, other: Operation, { attempt }: Attempted, readAt: number) {
  if (other.state !== 'done' || other.decided || !isOrderKind(kinds.of(other.request))) return undefined;
  const { result, settledAt, claimedAt, estimate } = other;
  const { status, refund, price = estimate } = result;
  const isWithin = claimedAt >= attempt.sentAt && settledAt <= readAt;
  if (price === undefined || !isWithin) return undefined;
  if (isRefundSeen(result) && refund) return refund.at <= readAt ? new BigNumber(0) : undefined;
  return status === 'filled' ? new BigNumber(price) : undefined;
}

/**
 * Returns whether refunds of earlier orders may have come since this request and add up to its price. The balance is then
 * unchanged even if it was charged.
 */
function mayBeHidden(kinds: Kinds, { attempt, estimate }: Attempted, others: readonly Operation[]): boolean {
  const isEarlier = (other: Operation): other is Attempted & Operation =>
    wasSent(other) && isOrderKind(kinds.of(other.request)) && other.attempt.sentAt <= attempt.sentAt;
  const prices = others.filter(isEarlier).flatMap((other) => returnable(kinds, other, attempt.sentAt) ?? []);
  const price = new BigNumber(estimate ?? Number.NaN).plus(ROUNDING_TRX);
  let sums = new Set(['0']);
  for (const one of prices) {
    const more = [...sums].map((sum) => new BigNumber(sum).plus(one)).filter((sum) => sum.lt(price));
    sums = new Set([...sums, ...more.map((sum) => sum.toFixed())]);
  }
  return [...sums].some((sum) => price.minus(sum).lt(new BigNumber(ROUNDING_TRX).times(2)));
}

/** Returns what may have come back for an earlier order since then, in TRX (decimal), or `undefined` if nothing. */
function returnable(kinds: Kinds, other: Attempted & Operation, since: number): string | undefined {
  if (other.state !== 'done') {
    const hours = kinds.of(other.request).rentedHours?.(other.request) ?? 0;
    const isOpen = isReportAwaited(other) && other.attempt.sentAt + hours * HOUR_MS > since;
    return isOpen ? other.estimate : undefined;
  }
  const { result, decided, estimate } = other;
  if (decided || result.status === 'filled') return undefined;
  if (isRefundSeen(result) && (result.refund?.at ?? 0) <= since) return undefined;
  if (isUnreported(result) && (rentedUntil(kinds.of(other.request), other) ?? since + 1) <= since)
    return undefined;
  return result.refunded ?? result.price ?? estimate;
}

/**
 * Returns the operation before which the balance was read first since this request, if nothing else could have moved it
 * until then.
 */
function nextAfter({ attempt }: Attempted, concurrent: readonly Operation[]) {
  const startOf = (other: Operation) => (isConfirmed(other) ? other.claimedAt : other.createdAt);
  const [first] = concurrent.toSorted((one, other) => startOf(one) - startOf(other));
  // By then, the service has executed the request or never will.
  const isAfter = first !== undefined && startOf(first) >= attempt.sentAt + SKEW_MS;
  return isAfter && wasSent(first) ? first : undefined;
}

/** Maximum findings of each sort that are kept for an admin. */
const MAX_SEEN = 5;

/**
 * Returns whether a report is about an order that was made after this request, and equals it. A report of less energy
 * doesn't: it may be about another order.
 */
export function matchesReport(
  kinds: Kinds,
  { request, attempt }: Pick<Attempted, 'request' | 'attempt'>,
  report: OrderReport,
): boolean {
  const kind = kinds.of(request);
  return (
    kind.isProvenByReports === true &&
    report.namespace === kind.namespace &&
    (report.at === undefined || report.at >= attempt.sentAt - SKEW_MS) &&
    report.address === kind.target(request) &&
    report.amount === kind.orderedAmount?.(request) &&
    differenceOf(kind, request, {}, report) === undefined
  );
}

/** The rate limit doesn't allow the search for `waitMs` milliseconds. */
export interface HeldBack {
  kind: 'held-back';
  waitMs: number;
}

export function createEvidenceSearch(deps: {
  rental: RentalCalls;
  kinds: Kinds;
  orders: ReturnType<typeof createOrders>;
  recentAttempts: RecentAttempts;
  now: () => number;
}) {
  const { kinds, orders, recentAttempts, now } = deps;
  const accountReader = createAccountReader(deps);

  /**
   * Returns order reports of the operation's kind: from the webhook logs, and events that the logs may lack. `heldMs`: the
   * logs weren't read.
   */
  async function readReports(
    { account, request }: Pick<Operation, 'account' | 'request'>,
    { read }: OpenedAccount,
  ): Promise<{ reports: OrderReport[]; isLogRead: boolean; heldMs?: number | undefined }> {
    const { namespace } = kinds.of(request);
    if (namespace === undefined) return { reports: [], isLogRead: false };
    const [logs, stored] = await Promise.all([
      read((reads) => reads.webhookLogs()),
      orders.recentReports(account),
    ]);
    const logged = logs.kind === 'accepted' ? logs.value : [];
    const all = [...logged.flatMap((entry) => kinds.reports(readLoggedEvent(entry))), ...stored];
    const reports = all.filter((report) => report.namespace === namespace);
    return { reports, isLogRead: logs.kind === 'accepted', heldMs: heldBackMs(logs) };
  }

  /** Returns whether no other operation has the order, and no pending reply can still name it. */
  async function isUnclaimed(operation: Attempted, report: OrderReport): Promise<boolean> {
    const { namespace, order } = report;
    const owner = await orders.ownerOf({ account: operation.account, namespace, order });
    if (owner) return isSame(owner, operation);
    const others = await recentAttempts.of(operation.account);
    return !others.some((other) => other.state === 'sent' && matchesReport(kinds, other, report));
  }

  /** Searches the service's list. Returns the first proof that belongs to no other operation. */
  async function byList(operation: Attempted, { read }: OpenedAccount): Promise<Evidence | HeldBack> {
    const { request, account } = operation;
    const { listedBefore: before, sentAt } = operation.attempt;
    const { listing, namespace = '' } = kinds.of(request);
    const listed = listing && (await read(listing.read));
    const heldMs = heldBackMs(listed);
    if (heldMs !== undefined) return { kind: 'held-back', waitMs: heldMs };
    if (listed?.kind !== 'accepted') return { kind: 'none', balance: 'unread' };
    for (const result of listing?.proofs(request, listed.value, { before, sentAt }) ?? []) {
      const { order } = result;
      const owner = order === undefined ? undefined : await orders.ownerOf({ account, namespace, order });
      if (owner === undefined || isSame(owner, operation)) return { kind: 'strong', result };
    }
    return { kind: 'none', balance: 'unread', seen: { listed: listedNear(operation, listed.value) } };
  }

  /** Returns list entries with the same address, and entries that are new since the request. */
  function listedNear({ request, attempt }: Attempted, listed: Listed[]): SearchFindings['listed'] {
    const { listedBefore = [] } = attempt;
    const address = kinds.of(request).target(request);
    return listed
      .filter((one) => one.address === address || !listedBefore.includes(one.id))
      .slice(0, MAX_SEEN)
      .map(({ id, status, amount }) => ({ id, status, ...(amount !== undefined && { amount }) }));
  }

  /** Returns the price that the present balance shows, if it does. */
  async function priceNow(operation: Attempted, { read }: OpenedAccount): Promise<string | undefined> {
    const profile = await read((reads) => reads.profile());
    const price = profile.kind === 'accepted' ? priceSeen(operation, profile.value.balance_trx) : undefined;
    return price !== undefined && (await recentAttempts.concurrentWith(operation))?.length === 0
      ? price
      : undefined;
  }

  /**
   * Returns what the balance shows, apart from the cost of other purchases. What it has shown once the request was certainly
   * over counts more than later changes: that it was unchanged then, and the balance before the next operation.
   */
  async function byBalance(
    operation: UncertainOperation,
    before: string,
    found: SearchFindings & { left: string },
    readAt: number,
  ): Promise<Evidence> {
    const [concurrent, others] = await Promise.all([
      recentAttempts.concurrentWith(operation),
      recentAttempts.othersOf(operation),
    ]);
    const costs = concurrent?.map((other) => costSince(kinds, other, operation, readAt)) ?? [];
    const cost = BigNumber.sum(0, ...costs.flatMap((trx) => trx ?? []));
    const charged = cost.gt(0) ? formatTrx(cost) : undefined;
    const seen: SearchFindings = {
      ...found,
      charged,
      next: undefined,
      or: undefined,
      isEarlier: undefined,
    };
    const { deposited } = seen;
    const left = leftWithoutOthers({ ...seen, deposited: undefined });
    const isUnchanged = (trx: string | undefined) =>
      deposited === undefined && new BigNumber(before).eq(trx ?? '');
    const isHidden = others === undefined || mayBeHidden(kinds, operation, others);
    const unchanged = (more: SearchFindings): Evidence => ({
      kind: 'none',
      balance: isHidden ? 'mixed' : 'same',
      seen: { ...seen, ...more },
    });
    const isCertain = concurrent !== undefined && costs.every((trx) => trx !== undefined);
    const isPrice = priceSeen(operation, left) !== undefined;
    if (isUnchanged(left)) return unchanged({});

    const { search, attempt } = operation;
    // The earlier search read the balance a minute after the request. The service has hardly anything left to execute then.
    if (search?.balance === 'same' && search.at >= attempt.sentAt + 2 * SKEW_MS)
      return {
        kind: 'none',
        balance: 'same',
        seen: { ...seen, next: search.seen?.next, isEarlier: true },
      };
    const next = concurrent && nextAfter(operation, concurrent);
    const nextLeft = next?.attempt.balanceBefore;
    if (next && nextLeft !== undefined && deposited === undefined) {
      const then = { left: nextLeft, charged: undefined, next: next.id };
      if (isUnchanged(nextLeft)) return unchanged(then);
      if (priceSeen(operation, nextLeft) !== undefined) return { kind: 'likely', seen: { ...seen, ...then } };
    }
    if (isCertain && isPrice) return { kind: 'likely', seen };
    // Later changes don't take back that the balance was lower by exactly the price.
    if (search && !isPrice && priceSeen(operation, leftWithoutOthers(search.seen)) !== undefined)
      return { kind: 'none', balance: search.balance, seen: { ...search.seen } };
    if (isCertain) return { kind: 'none', balance: 'moved', seen };
    const open = concurrent?.filter((_, at) => costs[at] === undefined) ?? [];
    const isEqual = (other: Operation) =>
      other.user === operation.user &&
      isReportAwaited(other) &&
      new BigNumber(other.estimate ?? Number.NaN)
        .minus(operation.estimate ?? Number.NaN)
        .abs()
        .lt(ROUNDING_TRX);
    const isOneOf = isPrice && open.length > 0 && open.every(isEqual);
    return {
      kind: 'none',
      balance: 'mixed',
      seen: { ...seen, ...(isOneOf && { or: open.map(({ id }) => id) }) },
    };
  }

  return {
    /** Searches for an outcome on the service's list if there is one, otherwise in the webhook logs and the balance. */
    async search(operation: UncertainOperation, apiKey: string): Promise<Evidence | HeldBack> {
      const account = accountReader.open({ account: operation.account, apiKey });
      if (kinds.of(operation.request).listing) return byList(operation, account);
      const { reports, isLogRead, heldMs } = await readReports(operation, account);
      const matching = reports.filter((report) => matchesReport(kinds, operation, report));
      for (const report of matching) {
        if (!(await isUnclaimed(operation, report))) continue;
        const { order, status } = report;
        const price = reportedPrice(report) ?? (status === 'filled' && (await priceNow(operation, account)));
        return { kind: 'strong', result: { order, status, ...(price && { price }) } };
      }
      const reported = matching.slice(0, MAX_SEEN).map(({ order, status }) => ({ order, status }));
      const seenReports = (isLogRead || reported.length > 0) && { reports: reported };
      const readAt = now();
      const profile = await account.read((reads) => reads.profile());
      const waitMs = heldMs ?? heldBackMs(profile);
      if (waitMs !== undefined) return { kind: 'held-back', waitMs };
      if (profile.kind !== 'accepted') return { kind: 'none', balance: 'unread', seen: { ...seenReports } };
      const { attempt } = operation;
      const unchecked = { left: profile.value.balance_trx, ...seenReports };
      if (attempt.balanceBefore === undefined) return { kind: 'none', balance: 'unread', seen: unchecked };
      const deposits = await account.read((reads) => reads.deposits());
      const heldDepositsMs = heldBackMs(deposits);
      if (heldDepositsMs !== undefined) return { kind: 'held-back', waitMs: heldDepositsMs };
      const deposited =
        deposits.kind === 'accepted' ? depositedSince(deposits.value, attempt.sentAt) : undefined;
      const seen = { ...unchecked, ...(deposited !== undefined && { deposited }) };
      return byBalance(operation, attempt.balanceBefore, seen, readAt);
    },
    /** Returns the reports of a completed operation's order, from the webhook logs too: an event may never have arrived. */
    async reportsOf(operation: DoneOperation, apiKey: string): Promise<OrderReport[]> {
      const account = accountReader.open({ account: operation.account, apiKey });
      const { reports } = await readReports(operation, account);
      return reports.filter(({ order }) => order === operation.result.order);
    },
    /** Returns the entry of the service's list that a completed operation has made. */
    async entryOf({ account, request, result }: DoneOperation, apiKey: string): Promise<Listed | undefined> {
      const { listing } = kinds.of(request);
      const listed = listing && (await accountReader.open({ account, apiKey }).read(listing.read));
      return listed?.kind === 'accepted' ? listed.value.find(({ id }) => id === result.order) : undefined;
    },
  };
}

/** Everything that this file stores. */
export const EVIDENCE_DATA: readonly StoredData[] = [
  SENT_OF_ACCOUNT,
  UNRESOLVED_OF_ACCOUNT,
  ORDER_OWNER,
  ORDER_REPORT,
  REPORTS_OF_ACCOUNT,
];
