// Searches for the outcome of operations whose reply was lost.

import { BigNumber } from 'bignumber.js';
import type { Rental } from '../rental-api/client.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';
import type { Listed, OrderReport, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import type { Operation, Seen } from './operation.ts';
import { isSame, type Orders } from './orders.ts';

/** Maximum difference between the service's clock and ours, in milliseconds. */
const SKEW_MS = 30_000;
/**
 * The service rounds prices to two decimals. So a matching change of the balance may differ from an estimate by less
 * than this.
 */
const ROUNDING_TRX = '0.01';
/** Maximum findings of each sort that are kept for an admin. */
const MAX_SEEN = 5;

/**
 * Result of an outcome search. Strong evidence proves a result. A matching change of the balance makes it only
 * *likely*.
 */
export type Evidence =
  | { kind: 'strong'; result: Result }
  | { kind: 'likely'; seen?: Seen }
  | { kind: 'none'; balance: 'same' | 'moved' | 'unread'; seen?: Seen };

/** Returns whether a report is about an order that was made after this request, and matches it exactly. */
export function fits(kinds: Kinds, operation: Operation, report: OrderReport): boolean {
  const kind = kinds.of(operation.request);
  const after = report.at === undefined || report.at >= (operation.sentAt ?? 0) - SKEW_MS;
  return after && report.numbering === kind.numbering && kind.fits?.(operation.request, report) === true;
}

export interface Search {
  /**
   * Searches for the outcome of a sent operation: on the service's list if there is one, otherwise in the webhook logs
   * and the balance.
   */
  look(operation: Operation, apiKey: string): Promise<Evidence>;
  /**
   * Returns the current status of a completed operation, or `undefined`. Reads the service's list if there is one,
   * otherwise the webhook logs, because the event may never have arrived.
   */
  standing(operation: Operation, apiKey: string): Promise<Pick<Result, 'status' | 'txHash'> | undefined>;
}

export function createSearch(deps: {
  rental: Rental;
  kinds: Kinds;
  orders: Orders;
  recentAttempts: RecentAttempts;
}): Search {
  const { rental, kinds, orders, recentAttempts } = deps;

  /**
   * Returns order reports of the operation's kind: from the webhook logs, and those that arrived as events, which the
   * logs may lack.
   */
  async function reports({ account, request }: Operation, apiKey: string): Promise<OrderReport[]> {
    const { numbering } = kinds.of(request);
    if (numbering === undefined) return [];
    const [logs, kept] = await Promise.all([rental.webhookLogs(apiKey), orders.recentReports(account)]);
    const logged = logs.kind === 'accepted' ? logs.value : [];
    return [...logged.flatMap((entry) => kinds.report(readLoggedEvent(entry)) ?? []), ...kept].filter(
      (report) => report.numbering === numbering,
    );
  }

  /** Returns whether no other operation has the order, and no pending reply can still name it. */
  async function free(operation: Operation, report: OrderReport): Promise<boolean> {
    const { numbering, order } = report;
    const owner = await orders.ownerOf({ account: operation.account, numbering, order });
    if (owner) return isSame(owner, operation);
    const others = await recentAttempts.of(operation.account);
    return !others.some((other) => other.state === 'sent' && fits(kinds, other, report));
  }

  /** Searches the service's list. Returns the first proof that belongs to no other operation. */
  async function byList(operation: Operation, apiKey: string): Promise<Evidence> {
    const { request, account, listedBefore: before, sentAt = 0 } = operation;
    const { listing, numbering = '' } = kinds.of(request);
    const listed = await listing?.read(rental, apiKey);
    if (listed?.kind !== 'accepted') return { kind: 'none', balance: 'unread' };
    for (const result of listing?.proofs(request, listed.value, { before, sentAt }) ?? []) {
      const { order } = result;
      const owner = order === undefined ? undefined : await orders.ownerOf({ account, numbering, order });
      if (owner === undefined || isSame(owner, operation)) return { kind: 'strong', result };
    }
    return { kind: 'none', balance: 'unread', seen: { listed: listedNear(operation, listed.value) } };
  }

  /** Returns list entries with the same address, and entries that are new since the request. */
  function listedNear({ request, listedBefore = [] }: Operation, listed: Listed[]): Seen['listed'] {
    const address = kinds.of(request).target(request);
    return listed
      .filter((one) => one.address === address || !listedBefore.includes(one.id))
      .slice(0, MAX_SEEN)
      .map(({ id, status, amount }) => ({ id, status, ...(amount !== undefined && { amount }) }));
  }

  return {
    async look(operation, apiKey) {
      if (kinds.of(operation.request).listing) return byList(operation, apiKey);
      const fitting = (await reports(operation, apiKey)).filter((report) => fits(kinds, operation, report));
      for (const report of fitting) {
        const { order, status } = report;
        if (await free(operation, report)) return { kind: 'strong', result: { order, status } };
      }
      const reported = fitting.slice(0, MAX_SEEN).map(({ order, status }) => ({ order, status }));
      const profile = await rental.profile(apiKey);
      if (profile.kind !== 'accepted')
        return { kind: 'none', balance: 'unread', seen: { reports: reported } };
      const seen = { left: profile.value.balance_trx, reports: reported };
      if (operation.balanceBefore === undefined) return { kind: 'none', balance: 'unread', seen };
      const fell = new BigNumber(operation.balanceBefore).minus(profile.value.balance_trx);
      if (fell.isZero()) return { kind: 'none', balance: 'same', seen };
      const alone = operation.estimate !== undefined && !(await recentAttempts.anyBeside(operation));
      const isPrice =
        alone &&
        fell
          .minus(operation.estimate ?? 0)
          .abs()
          .lt(ROUNDING_TRX);
      return isPrice ? { kind: 'likely', seen } : { kind: 'none', balance: 'moved', seen };
    },
    async standing(operation, apiKey) {
      const { result = {}, request } = operation;
      const { listing } = kinds.of(request);
      if (listing) {
        const listed = await listing.read(rental, apiKey);
        return listed.kind === 'accepted' ? listing.standing?.(result, listed.value) : undefined;
      }
      const report = (await reports(operation, apiKey)).find(({ order }) => order === result.order);
      return report && { status: report.status };
    },
  };
}
