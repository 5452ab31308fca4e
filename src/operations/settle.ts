import type { Outcome } from '../rental-api/http.ts';
import { type Evidence, fits } from './evidence.ts';
import type { OrderReport, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import { isUncertain, type Operation, type OperationRef } from './operation.ts';
import { isSame, type OrderName, type Orders } from './orders.ts';
import type { AlreadyDone, Locks } from './preflight.ts';
import type { LastPrices, Unresolved } from './queries.ts';
import type { Notify } from './receipt.ts';
import type { DueIndex } from './recheck-schedule.ts';
import { type Known, type OperationStore, refOf, type Stored } from './store.ts';
import { reopened, revised, searched, settled, withStatus } from './transitions.ts';

/** Settles operations by the reply to their request, by evidence, or by their user. */
export interface Settlement {
  /**
   * Applies the outcome of the request. The service's reply is proof, so it also corrects earlier conclusions. May be
   * repeated. Returns the current operation.
   */
  settle(sent: Stored, outcome: Outcome<Result>): Promise<Stored>;
  /**
   * Applies the evidence of a search to an operation with an uncertain outcome. Returns the operation if it changed.
   */
  conclude(stored: Stored, evidence: Evidence, over: boolean): Promise<Stored | undefined>;
  /** Applies an order report: updates the operation of the order, or settles an uncertain operation that matches. */
  report(account: number, report: OrderReport): Promise<void>;
  /** Closes an uncertain operation whose user has checked the outcome. */
  close(ref: OperationRef): Promise<void>;
}

export function createSettlement(deps: {
  store: OperationStore;
  dueIndex: DueIndex;
  kinds: Kinds;
  orders: Orders;
  recentAttempts: RecentAttempts;
  lastPrices: LastPrices;
  alreadyDone: AlreadyDone;
  settleOpen: SettleOpen;
  notify: Notify;
  now: () => number;
}): Settlement {
  const { store, dueIndex, kinds, orders, recentAttempts, lastPrices, alreadyDone, settleOpen, notify, now } =
    deps;

  const nameOf = ({ account, request }: Operation, order: number) => {
    const { numbering } = kinds.of(request);
    return numbering === undefined ? undefined : { account, numbering, order };
  };

  /**
   * Settles an uncertain operation as accepted. Returns `undefined` if the order belongs to another operation, or if
   * the operation was settled in the meantime.
   */
  async function settleBy(known: Known, { order, ...rest }: Result): Promise<Stored | undefined> {
    const operation = (await store.read(refOf(known)))?.operation;
    if (operation === undefined || !isUncertain(operation)) return undefined;
    const name = order === undefined ? undefined : nameOf(operation, order);
    if (order !== undefined && (name === undefined || !(await orders.bind(name, operation))))
      return undefined;
    const result = { ...(order !== undefined && { order }), ...rest };
    const changed = await settleOpen(known, (open) => ({
      ...settled(open, { kind: 'accepted', value: result }, now()),
      late: true,
    }));
    if (changed === undefined && name) await orders.release(name, operation);
    return changed;
  }

  /**
   * Binds the order that the service's own reply names, and returns the result with the latest reported status. An
   * operation that got this order by evidence is reopened.
   */
  async function own(operation: Operation, result: Result): Promise<Result> {
    const { account, request } = operation;
    const name = result.order === undefined ? undefined : nameOf(operation, result.order);
    const [isOwn, reported] = await Promise.all([
      name && orders.bind(name, operation),
      // The event can arrive before the reply. An event that arrives after the binding finds the operation itself.
      name && orders.reportedStatus(name),
      lastPrices.keep(account, request, result),
    ]);
    if (name === undefined || isOwn) return { ...result, status: reported ?? result.status };
    await takeOver(operation, name);
    return { ...result, status: (await orders.reportedStatus(name)) ?? result.status };
  }

  /**
   * Takes an order from the operation that got it by evidence. Reopens that operation first, so that a repeated
   * settlement can complete this.
   */
  async function takeOver(operation: Operation, name: OrderName): Promise<void> {
    for (;;) {
      const owner = await orders.ownerOf(name);
      if (owner && isSame(owner, operation)) return;
      if (owner) await reopen(owner, name.order);
      const taken = await orders.take(name, owner, operation);
      // Again, because evidence may have settled the operation in between.
      if (taken && owner) await reopen(owner, name.order);
      if (taken) return;
    }
  }

  async function reopen(former: OperationRef, order: number): Promise<void> {
    await store.change(former, (present) => {
      // An operation that the service's own reply settled doesn't depend on evidence.
      const byEvidence = present.result?.order === order && present.settledBy !== 'answer';
      return byEvidence ? reopened(present) : undefined;
    });
    await dueIndex.scheduleIn(former, 0);
  }

  const statusOf = (report: OrderReport) => (present: Operation) =>
    present.result?.order === report.order ? withStatus(present, { status: report.status }) : undefined;

  /**
   * Applies a report to an operation whose own reply named the order. Returns whether there is one. If so, the report
   * needn't be stored, because it can't be evidence for another operation.
   */
  async function reportProven(owner: OperationRef | undefined, report: OrderReport): Promise<boolean> {
    const stored = owner && (await store.read(owner));
    const { settledBy, result } = stored?.operation ?? {};
    if (stored === undefined || settledBy !== 'answer' || result?.order !== report.order) return false;
    await notify((await store.change(stored, statusOf(report))) ?? stored);
    return true;
  }

  const resultOf = ({ order, status }: OrderReport): Result => ({ order, status });

  /** Remembers that a one-time request has succeeded, if the outcome proves it. */
  async function learn({ request }: Operation, outcome: Outcome<Result>): Promise<void> {
    const codes = kinds.of(request).once?.codes ?? [];
    const isDone =
      outcome.kind === 'accepted' || (outcome.kind === 'rejected' && codes.includes(outcome.code));
    if (isDone) await alreadyDone.remember(request);
  }

  const ended = (operation: Operation, outcome: Outcome<Result>) =>
    settled(operation, outcome, now(), kinds.of(operation.request).isHarmless);

  return {
    async settle(sent, outcome) {
      await learn(sent.operation, outcome);
      const answer: Outcome<Result> =
        outcome.kind === 'accepted'
          ? { ...outcome, value: await own(sent.operation, outcome.value) }
          : outcome;
      const { attempt } = sent.operation;
      const changed = await store.change(sent, (present) => {
        const mine = present.state === 'sent' && present.attempt === attempt;
        if (!mine && (outcome.kind === 'unknown' || present.settledBy === 'answer')) return undefined;
        const proven = outcome.kind !== 'unknown' && { settledBy: 'answer' as const };
        return { ...ended(present, answer), late: !mine, ...proven };
      });
      if (changed) return changed;
      // The record may be lost. Write what is known of the operation again.
      return (await store.restore(ended(sent.operation, answer))) ?? sent;
    },
    async conclude(stored, evidence, over) {
      if (evidence.kind === 'strong') return settleBy(stored, evidence.result);
      return store.change(stored, (present) => {
        const search = searched(present, evidence, { over, at: now() });
        // After a manual search, a likely outcome stays likely. The user has nothing new to see.
        if (present.state === 'likely') return { ...present, search };
        if (present.state !== 'unknown') return undefined;
        if (evidence.kind === 'likely') {
          return revised(present, { state: 'likely', settledAt: now(), search, late: true });
        }
        const ends = over && present.search?.over !== true;
        return revised(present, { search, late: present.late || ends });
      });
    },
    async report(account, report) {
      const { numbering, order } = report;
      const name = { account, numbering, order };
      if (await reportProven(await orders.ownerOf(name), report)) return;
      // The order of these calls matters: a concurrent settlement that binds the order then finds the stored report.
      const [, owner] = await Promise.all([orders.keepReport(account, report), orders.ownerOf(name)]);
      if (owner) {
        const changed = await store.change(owner, statusOf(report));
        // An earlier delivery of the event may have bound the order and failed afterwards. Settle the operation now.
        await notify(changed ?? (await settleBy(owner, resultOf(report))) ?? owner);
        return;
      }
      const attempts = await recentAttempts.of(account);
      const fitting = attempts.filter((operation) => fits(kinds, operation, report));
      // The pending reply of a sent operation may name this order. The reconciler searches the logs later.
      if (fitting.some(({ state }) => state === 'sent')) return;
      for (const operation of fitting.filter(isUncertain)) {
        const settledNow = await settleBy(refOf(operation), resultOf(report));
        if (settledNow) {
          await notify(settledNow);
          return;
        }
      }
    },
    async close(ref) {
      const closed = await settleOpen(ref, (open) => revised(open, { state: 'closed', settledAt: now() }));
      await notify(closed ?? ref);
    },
  };
}

/**
 * Ends an operation with an uncertain outcome: by evidence, by its user, or by an admin. Returns the operation, or
 * `undefined` if it was settled in the meantime.
 */
export type SettleOpen = (known: Known, end: (open: Operation) => Operation) => Promise<Stored | undefined>;

export function createSettleOpen(deps: {
  store: Pick<OperationStore, 'change'>;
  locks: Pick<Locks, 'release'>;
  unresolved: Pick<Unresolved, 'left'>;
}): SettleOpen {
  const { store, locks, unresolved } = deps;
  return async (known, end) => {
    const ended = await store.change(known, (present) => (isUncertain(present) ? end(present) : undefined));
    if (ended) await Promise.all([locks.release(ended.operation), unresolved.left(ended.operation)]);
    return ended;
  };
}
