// Orders and their reports, and the search for the outcome of operations whose reply was lost.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import type { Rental } from '../rental-api/client.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';
import type { Listed, OrderReport, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import {
  type Evidence,
  isSame,
  type Operation,
  type OperationRef,
  type SearchFindings,
} from './operation.ts';

const TTL_MS = 30 * 24 * 3600_000;

export const ORDER_OWNER = defineRecord({
  keys: 'order:account:namespace:order',
  content: 'Operation that an order belongs to',
  schema: z.object({ user: z.number(), id: z.string() }),
  ttlMs: TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-money' },
});

export const ORDER_REPORT = defineRecord({
  keys: 'order-report:account:namespace:order',
  content: 'Last report of an order by the service',
  schema: z.object({
    order: z.number(),
    namespace: z.string(),
    status: z.enum(['filled', 'failed']),
    at: z.number().optional(),
    address: z.string().optional(),
    amount: z.number().optional(),
  }),
  ttlMs: TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-account' },
});

export const REPORTS_OF_ACCOUNT = {
  keys: 'reports-of-account:account',
  content: 'Orders that were reported lately',
  expiry: '1 day since the latest one',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;

/** TTL of an account's list of recent reports after its last report, in milliseconds. */
const RECENT_TTL_MS = 24 * 3600_000;
/** Maximum recent reports of one account that serve as evidence. */
const MAX_RECENT = 200;

/**
 * Identifies an order of an account. Energy and bandwidth orders are numbered separately, so an order number is
 * unique only within its namespace.
 */
export interface OrderName {
  account: number;
  namespace: string;
  order: number;
}

/** Bindings of orders to operations, and reports of orders that may not be bound yet. */
export interface Orders {
  /**
   * Binds an order to an operation. Returns whether the order is bound to it, now or already. An order proves only one
   * operation.
   */
  bind(name: OrderName, ref: OperationRef): Promise<boolean>;
  /**
   * Binds an order to `ref` if it is still bound to `former` (or unbound if `former` is `undefined`). Returns whether
   * it did.
   */
  rebind(name: OrderName, former: OperationRef | undefined, ref: OperationRef): Promise<boolean>;
  /** Unbinds an order if it is bound to this operation. */
  release(name: OrderName, ref: OperationRef): Promise<void>;
  ownerOf(name: OrderName): Promise<OperationRef | undefined>;
  storeReport(account: number, report: OrderReport): Promise<void>;
  reportedStatus(name: OrderName): Promise<OrderReport['status'] | undefined>;
  /** Returns the account's recent order reports, latest first. */
  recentReports(account: number): Promise<OrderReport[]>;
}

/** Creates the order store. All records are signed, because they decide outcomes. */
export function createOrders({
  storage,
  records,
  now,
}: {
  storage: Storage;
  records: SignedRecords;
  now: () => number;
}): Orders {
  const owners = records.store(ORDER_OWNER);
  const reports = records.store(ORDER_REPORT);
  const ownerOf = (name: OrderName) => owners.get(name);

  return {
    async bind(name, { user, id }) {
      if (await owners.add(name, { user, id })) return true;
      const owner = await ownerOf(name);
      return owner !== undefined && isSame(owner, { user, id });
    },
    async rebind(name, former, { user, id }) {
      const present = await owners.read(name);
      if (present === undefined) {
        // A record that fails verification would block `add`.
        if (await records.has(owners.keyOf(name))) await owners.delete(name);
        return former === undefined && owners.add(name, { user, id });
      }
      if (former === undefined || !isSame(present.value, former)) return false;
      return (await owners.replace(name, present, { user, id })) !== undefined;
    },
    async release(name, ref) {
      const owner = await ownerOf(name);
      if (owner && isSame(owner, ref)) await owners.delete(name);
    },
    ownerOf,
    async storeReport(account, report) {
      const { namespace, order } = report;
      const name = { account, namespace, order };
      // A report without a time gets its arrival time, so it can't match a request that is sent later.
      const dated = { ...report, at: report.at ?? now() };
      await Promise.all([
        reports.set(name, dated),
        storage.index.scheduleIn(keyOf(REPORTS_OF_ACCOUNT.keys, { account }), memberOf(name), 0, {
          ttlMs: RECENT_TTL_MS,
        }),
      ]);
    },
    reportedStatus: async (name) => (await reports.get(name))?.status,
    async recentReports(account) {
      const members = await storage.index.last(keyOf(REPORTS_OF_ACCOUNT.keys, { account }), MAX_RECENT);
      const found = await Promise.all(members.map((member) => reports.get(nameOf(account, member))));
      return found.filter((report) => report !== undefined);
    },
  };
}

function memberOf({ namespace, order }: OrderName): string {
  return `${namespace}:${order}`;
}

function nameOf(account: number, member: string): OrderName {
  const [namespace = '', order] = member.split(':');
  return { account, namespace, order: Number(order) };
}

/** Maximum difference between the service's clock and ours, in milliseconds. */
const SKEW_MS = 30_000;
/**
 * The service rounds prices to two decimals. So a matching change of the balance may differ from an estimate by less
 * than this.
 */
const ROUNDING_TRX = '0.01';
/** Maximum findings of each sort that are kept for an admin. */
const MAX_SEEN = 5;

/** Returns whether a report is about an order that was made after this request, and matches it exactly. */
export function matchesReport(kinds: Kinds, operation: Operation, report: OrderReport): boolean {
  const kind = kinds.of(operation.request);
  const after = report.at === undefined || report.at >= (operation.sentAt ?? 0) - SKEW_MS;
  return (
    after && report.namespace === kind.namespace && kind.matchesReport?.(operation.request, report) === true
  );
}

export interface EvidenceSearch {
  /**
   * Searches for the outcome of a sent operation: on the service's list if there is one, otherwise in the webhook logs
   * and the balance.
   */
  search(operation: Operation, apiKey: string): Promise<Evidence>;
  /**
   * Returns the current status of a completed operation, or `undefined`. Reads the service's list if there is one,
   * otherwise the webhook logs, because the event may never have arrived.
   */
  orderStatus(operation: Operation, apiKey: string): Promise<Pick<Result, 'status' | 'txHash'> | undefined>;
}

export function createEvidenceSearch(deps: {
  rental: Rental;
  kinds: Kinds;
  orders: Orders;
  recentAttempts: RecentAttempts;
}): EvidenceSearch {
  const { rental, kinds, orders, recentAttempts } = deps;

  /**
   * Returns order reports of the operation's kind: from the webhook logs, and those that arrived as events, which the
   * logs may lack.
   */
  async function reports({ account, request }: Operation, apiKey: string): Promise<OrderReport[]> {
    const { namespace } = kinds.of(request);
    if (namespace === undefined) return [];
    const [logs, stored] = await Promise.all([rental.webhookLogs(apiKey), orders.recentReports(account)]);
    const logged = logs.kind === 'accepted' ? logs.value : [];
    return [...logged.flatMap((entry) => kinds.report(readLoggedEvent(entry)) ?? []), ...stored].filter(
      (report) => report.namespace === namespace,
    );
  }

  /** Returns whether no other operation has the order, and no pending reply can still name it. */
  async function isUnclaimed(operation: Operation, report: OrderReport): Promise<boolean> {
    const { namespace, order } = report;
    const owner = await orders.ownerOf({ account: operation.account, namespace, order });
    if (owner) return isSame(owner, operation);
    const others = await recentAttempts.of(operation.account);
    return !others.some((other) => other.state === 'sent' && matchesReport(kinds, other, report));
  }

  /** Searches the service's list. Returns the first proof that belongs to no other operation. */
  async function byList(operation: Operation, apiKey: string): Promise<Evidence> {
    const { request, account, listedBefore: before, sentAt = 0 } = operation;
    const { listing, namespace = '' } = kinds.of(request);
    const listed = await listing?.read(rental, apiKey);
    if (listed?.kind !== 'accepted') return { kind: 'none', balance: 'unread' };
    for (const result of listing?.proofs(request, listed.value, { before, sentAt }) ?? []) {
      const { order } = result;
      const owner = order === undefined ? undefined : await orders.ownerOf({ account, namespace, order });
      if (owner === undefined || isSame(owner, operation)) return { kind: 'strong', result };
    }
    return { kind: 'none', balance: 'unread', seen: { listed: listedNear(operation, listed.value) } };
  }

  /** Returns list entries with the same address, and entries that are new since the request. */
  function listedNear({ request, listedBefore = [] }: Operation, listed: Listed[]): SearchFindings['listed'] {
    const address = kinds.of(request).target(request);
    return listed
      .filter((one) => one.address === address || !listedBefore.includes(one.id))
      .slice(0, MAX_SEEN)
      .map(({ id, status, amount }) => ({ id, status, ...(amount !== undefined && { amount }) }));
  }

  return {
    async search(operation, apiKey) {
      if (kinds.of(operation.request).listing) return byList(operation, apiKey);
      const matching = (await reports(operation, apiKey)).filter((report) =>
        matchesReport(kinds, operation, report),
      );
      for (const report of matching) {
        const { order, status } = report;
        if (await isUnclaimed(operation, report)) return { kind: 'strong', result: { order, status } };
      }
      const reported = matching.slice(0, MAX_SEEN).map(({ order, status }) => ({ order, status }));
      const profile = await rental.profile(apiKey);
      if (profile.kind !== 'accepted')
        return { kind: 'none', balance: 'unread', seen: { reports: reported } };
      const seen = { left: profile.value.balance_trx, reports: reported };
      if (operation.balanceBefore === undefined) return { kind: 'none', balance: 'unread', seen };
      const fell = new BigNumber(operation.balanceBefore).minus(profile.value.balance_trx);
      if (fell.isZero()) return { kind: 'none', balance: 'same', seen };
      const isOnlyOperation =
        operation.estimate !== undefined && !(await recentAttempts.hasConcurrent(operation));
      const isPrice =
        isOnlyOperation &&
        fell
          .minus(operation.estimate ?? 0)
          .abs()
          .lt(ROUNDING_TRX);
      return isPrice ? { kind: 'likely', seen } : { kind: 'none', balance: 'moved', seen };
    },
    async orderStatus(operation, apiKey) {
      const { result = {}, request } = operation;
      const { listing } = kinds.of(request);
      if (listing) {
        const listed = await listing.read(rental, apiKey);
        return listed.kind === 'accepted' ? listing.status?.(result, listed.value) : undefined;
      }
      const report = (await reports(operation, apiKey)).find(({ order }) => order === result.order);
      return report && { status: report.status };
    },
  };
}
