import type { Evidence } from './evidence.ts';
import { fits } from './evidence.ts';
import type { OrderReport } from './kinds/kind.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { Orders } from './orders.ts';
import type { Rivals } from './rivals.ts';
import { withStatus } from './settle.ts';
import type { OperationStore } from './store.ts';
import type { Tell } from './telling.ts';

/** Settles what had no clear outcome, from evidence, and keeps what the service reports of orders. */
export interface Settlement {
  /** Takes the evidence of a search into an operation whose outcome isn't known. */
  conclude(operation: Operation, evidence: Evidence): Promise<void>;
  /** An order was reported: its operation's status changes, or one of unknown outcome is settled by it. */
  report(account: number, report: OrderReport): Promise<void>;
  /** Its user looked for themself and closes it. Answers whether there was something to close. */
  close(ref: OperationRef): Promise<boolean>;
}

export function createSettlement(deps: {
  store: OperationStore;
  orders: Orders;
  rivals: Rivals;
  tell: Tell;
  now: () => number;
}): Settlement {
  const { store, orders, rivals, tell, now } = deps;

  /** `false` where the order proves another operation already. */
  async function settleBy(operation: Operation, report: OrderReport): Promise<boolean> {
    if (!(await orders.bind(operation.account, report.order, operation))) return false;
    await store.change(operation, (present) =>
      isOpen(present)
        ? {
            ...present,
            state: 'done',
            result: { order: report.order, status: report.status },
            settledAt: now(),
            late: true,
            revision: present.revision + 1,
          }
        : undefined,
    );
    return true;
  }

  return {
    async conclude(operation, evidence) {
      if (evidence.kind === 'strong') {
        await settleBy(operation, evidence.report);
        return;
      }
      await store.change(operation, (present) => {
        if (present.state !== 'unknown') return undefined;
        const revised = { ...present, revision: present.revision + 1 };
        if (evidence.kind === 'likely') return { ...revised, state: 'likely', settledAt: now(), late: true };
        const count = (present.search?.count ?? 0) + 1;
        return { ...revised, search: { count, balance: evidence.balance } };
      });
    },
    async report(account, report) {
      await orders.keepReport(account, report);
      const owner = await orders.ownerOf(account, report.order);
      if (owner) {
        if (await store.change(owner, (present) => withStatus(present, report.status))) await tell(owner);
        return;
      }
      for (const operation of await rivals.of(account)) {
        if (!isOpen(operation) || !fits(operation, report)) continue;
        if (await settleBy(operation, report)) return tell(operation);
      }
    },
    async close(ref) {
      const closed = await store.change(ref, (present) =>
        isOpen(present)
          ? { ...present, state: 'closed', settledAt: now(), revision: present.revision + 1 }
          : undefined,
      );
      if (closed) await tell(ref);
      return closed !== undefined;
    },
  };
}

function isOpen({ state }: Operation): boolean {
  return state === 'unknown' || state === 'likely';
}
