import { BigNumber } from 'bignumber.js';
import type { Rental } from '../rental/client.ts';
import { readLoggedEvent } from '../rental/webhook.ts';
import type { OrderReport, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';
import { isSame, type Orders } from './orders.ts';
import type { RecentAttempts } from './recent-attempts.ts';

/** The service's clock and ours may differ by this much. */
const SKEW_MS = 30_000;
/** The service rounds prices to two decimals, so a fitting change may miss an estimate by less than this. */
const ROUNDING_TRX = '0.01';

/** What the traces of an operation say. Strong evidence names what it came to; a fitting balance is only *likely*. */
export type Evidence =
  | { kind: 'strong'; result: Result }
  | { kind: 'likely' }
  | { kind: 'none'; balance: 'same' | 'moved' | 'unread' };

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
  async function listedResult(operation: Operation, apiKey: string): Promise<Result | undefined> {
    const { request, account, listedBefore: before = [], sentAt = 0 } = operation;
    const { listing, numbering = '' } = kinds.of(request);
    const listed = await listing?.read(rental, apiKey);
    if (listed?.kind !== 'accepted') return undefined;
    for (const result of listing?.proofs(request, listed.value, { before, sentAt }) ?? []) {
      const { order } = result;
      const owner = order === undefined ? undefined : await orders.ownerOf({ account, numbering, order });
      if (owner === undefined || isSame(owner, operation)) return result;
    }
    return undefined;
  }

  return {
    async look(operation, apiKey) {
      if (kinds.of(operation.request).listing) {
        const result = await listedResult(operation, apiKey);
        return result ? { kind: 'strong', result } : { kind: 'none', balance: 'unread' };
      }
      for (const report of await reports(operation, apiKey)) {
        if (fits(kinds, operation, report) && (await free(operation, report))) {
          return { kind: 'strong', result: { order: report.order, status: report.status } };
        }
      }
      const profile = await rental.profile(apiKey);
      if (profile.kind !== 'accepted' || operation.balanceBefore === undefined) {
        return { kind: 'none', balance: 'unread' };
      }
      const fell = new BigNumber(operation.balanceBefore).minus(profile.value.balance_trx);
      if (fell.isZero()) return { kind: 'none', balance: 'same' };
      const alone = operation.estimate !== undefined && !(await recentAttempts.anyBeside(operation));
      const fitting =
        alone &&
        fell
          .minus(operation.estimate ?? 0)
          .abs()
          .lt(ROUNDING_TRX);
      return fitting ? { kind: 'likely' } : { kind: 'none', balance: 'moved' };
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
