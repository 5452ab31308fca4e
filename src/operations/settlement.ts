import type { Outcome } from '../rental/outcome.ts';
import type { DueIndex } from './due-index.ts';
import { type Evidence, fits } from './evidence.ts';
import type { OrderReport, Result } from './kinds/kind.ts';
import type { LastPrices } from './last-price.ts';
import type { Notify } from './notifier.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { Orders } from './orders.ts';
import type { RecentAttempts } from './recent-attempts.ts';
import { reopened, settled, withStatus } from './settle.ts';
import type { OperationStore } from './store.ts';

/** How an operation comes to its end: by the answer to its request, by evidence, or by its user. */
export interface Settlement {
  /** The answer to the request. It is proof, and so it also corrects what was concluded meanwhile. May be repeated. */
  settle(sent: Operation, outcome: Outcome<Result>): Promise<void>;
  /** Takes the evidence of a search into an operation whose outcome isn't known. */
  conclude(operation: Operation, evidence: Evidence, over: boolean): Promise<void>;
  /** An order was reported: its operation's status changes, or one of unknown outcome is settled by it. */
  report(account: number, report: OrderReport): Promise<void>;
  /** Its user looked for themself and closes it. */
  close(ref: OperationRef): Promise<void>;
}

export function createSettlement(deps: {
  store: OperationStore;
  dueIndex: DueIndex;
  orders: Orders;
  recentAttempts: RecentAttempts;
  lastPrices: LastPrices;
  notify: Notify;
  now: () => number;
}): Settlement {
  const { store, dueIndex, orders, recentAttempts, lastPrices, notify, now } = deps;

  /** `false` where the order proves another operation already. */
  async function settleBy(operation: Operation, report: OrderReport): Promise<boolean> {
    if (!(await orders.bind(operation.account, report.order, operation))) return false;
    const result = { order: report.order, status: report.status };
    await store.change(operation, (present) =>
      isOpen(present)
        ? { ...settled(present, { kind: 'accepted', value: result }, now()), late: true }
        : undefined,
    );
    return true;
  }

  /** The order is this operation's by the service's own answer. One that was given it by evidence is open again. */
  async function own(operation: Operation, { order, price, status }: Result): Promise<Result> {
    if (order === undefined) return { order, price, status };
    const former = await orders.take(operation.account, order, operation);
    if (former) {
      await store.change(former, (present) =>
        present.result?.order === order ? reopened(present) : undefined,
      );
      await dueIndex.put(former, now());
    }
    await lastPrices.keep(operation, price);
    // Its event can be quicker than the answer.
    const reported = await orders.reportedStatus(operation.account, order);
    return { order, price, status: reported ?? status };
  }

  return {
    async settle(sent, outcome) {
      const answer: Outcome<Result> =
        outcome.kind === 'accepted' ? { ...outcome, value: await own(sent, outcome.value) } : outcome;
      await store.change(sent, (present) => {
        const mine = present.state === 'sent';
        if (!mine && (outcome.kind === 'unknown' || present.settledBy === 'answer')) return undefined;
        return { ...settled(present, answer, now()), late: !mine, settledBy: 'answer' };
      });
    },
    async conclude(operation, evidence, over) {
      if (evidence.kind === 'strong') {
        await settleBy(operation, evidence.report);
        return;
      }
      await store.change(operation, (present) => {
        if (present.state !== 'unknown') return undefined;
        const revised = { ...present, revision: present.revision + 1 };
        if (evidence.kind === 'likely') return { ...revised, state: 'likely', settledAt: now(), late: true };
        const count = (present.search?.count ?? 0) + 1;
        return { ...revised, search: { count, balance: evidence.balance, over } };
      });
    },
    async report(account, report) {
      await orders.keepReport(account, report);
      const owner = await orders.ownerOf(account, report.order);
      if (owner) {
        await store.change(owner, (present) => withStatus(present, report.status));
        return notify(owner);
      }
      const fitting = (await recentAttempts.of(account)).filter((operation) => fits(operation, report));
      // The answer of one that is under way may name this very order: the watch looks into the logs later.
      if (fitting.some(({ state }) => state === 'sent')) return;
      for (const operation of fitting.filter(isOpen)) {
        if (await settleBy(operation, report)) return notify(operation);
      }
    },
    async close(ref) {
      await store.change(ref, (present) =>
        isOpen(present)
          ? { ...present, state: 'closed', settledAt: now(), revision: present.revision + 1 }
          : undefined,
      );
      await notify(ref);
    },
  };
}

function isOpen({ state }: Operation): boolean {
  return state === 'unknown' || state === 'likely';
}
