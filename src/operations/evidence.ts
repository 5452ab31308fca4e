import { BigNumber } from 'bignumber.js';
import type { Rental } from '../rental-api/client.ts';
import { readLoggedEvent } from '../rental-api/webhook.ts';
import type { Listed, OrderReport, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import type { Operation, Seen } from './operation.ts';
import { isSame, type Orders } from './orders.ts';

/** The service's clock and ours may differ by this much. */
const SKEW_MS = 30_000;
/** The service rounds prices to two decimals, so a fitting change may miss an estimate by less than this. */
const ROUNDING_TRX = '0.01';
/** As many of a kind are kept for who reads what was seen. */
const MOST_SEEN = 5;

/** What the traces of an operation say. Strong evidence names what it came to; a fitting balance is only *likely*. */
export type Evidence =
  | { kind: 'strong'; result: Result }
  | { kind: 'likely'; seen?: Seen }
  | { kind: 'none'; balance: 'same' | 'moved' | 'unread'; seen?: Seen };

/** Whether `report` is about an order made after this request was sent, and of just what it asked for. */
export function fits(kinds: Kinds, operation: Operation, report: OrderReport): boolean {
  const kind = kinds.of(operation.request);
  const after = report.at === undefined || report.at >= (operation.sentAt ?? 0) - SKEW_MS;
  return after && report.numbering === kind.numbering && kind.fits?.(operation.request, report) === true;
}

export interface Search {
  /** Looks for traces of a sent operation: in the webhook logs, then in the balance. */
  look(operation: Operation, apiKey: string): Promise<Evidence>;
  /**
   * What is new about what was done: by the list that it is on, or by the webhook logs, where its event may never have
   * arrived.
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

  /** Those of the operation's kind: from the logs, and those that came here, which the logs need not repeat. */
  async function reports({ account, request }: Operation, apiKey: string): Promise<OrderReport[]> {
    const { numbering } = kinds.of(request);
    if (numbering === undefined) return [];
    const [logs, kept] = await Promise.all([rental.webhookLogs(apiKey), orders.recentReports(account)]);
    const logged = logs.kind === 'accepted' ? logs.value : [];
    return [...logged.flatMap((entry) => kinds.report(readLoggedEvent(entry)) ?? []), ...kept].filter(
      (report) => report.numbering === numbering,
    );
  }

  /** Nobody else has the order, and nobody else's answer can still name it. */
  async function free(operation: Operation, report: OrderReport): Promise<boolean> {
    const { numbering, order } = report;
    const owner = await orders.ownerOf({ account: operation.account, numbering, order });
    if (owner) return isSame(owner, operation);
    const others = await recentAttempts.of(operation.account);
    return !others.some((other) => other.state === 'sent' && fits(kinds, other, report));
  }

  /** By the list that the request was about: the first that nobody else has. */
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

  /** What stands on the list for the same address, or has come to it. */
  function listedNear({ request, listedBefore = [] }: Operation, listed: Listed[]): Seen['listed'] {
    const address = kinds.of(request).target(request);
    return listed
      .filter((one) => one.address === address || !listedBefore.includes(one.id))
      .slice(0, MOST_SEEN)
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
      const reported = fitting.slice(0, MOST_SEEN).map(({ order, status }) => ({ order, status }));
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
