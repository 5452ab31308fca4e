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

/** How an operation comes to its end: by the answer to its request, by evidence, or by its user. */
export interface Settlement {
  /**
   * The answer to the request. It is proof, and so it also corrects what was concluded meanwhile. May be repeated.
   * Answers the operation as it is now.
   */
  settle(sent: Stored, outcome: Outcome<Result>): Promise<Stored>;
  /** Takes the evidence of a search into an operation whose outcome isn't known; answers it where it changed. */
  conclude(stored: Stored, evidence: Evidence, over: boolean): Promise<Stored | undefined>;
  /** An order was reported: its operation's status changes, or one of unknown outcome is settled by it. */
  report(account: number, report: OrderReport): Promise<void>;
  /** Its user looked for themself and closes it. */
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

  /** `undefined` where the order proves another operation already, or this one was settled meanwhile. */
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

  /** The order is this operation's by the service's own answer. One that was given it by evidence is open again. */
  async function own(operation: Operation, result: Result): Promise<Result> {
    const { account, request } = operation;
    const name = result.order === undefined ? undefined : nameOf(operation, result.order);
    const [isOwn, reported] = await Promise.all([
      name && orders.bind(name, operation),
      // Its event can be quicker than the answer: whatever comes once it is bound finds it by itself.
      name && orders.reportedStatus(name),
      lastPrices.keep(account, request, result),
    ]);
    if (name === undefined || isOwn) return { ...result, status: reported ?? result.status };
    await takeOver(operation, name);
    return { ...result, status: (await orders.reportedStatus(name)) ?? result.status };
  }

  /** Whoever has the order by evidence is open again: before it is taken, so that a repeated settlement finds it still to do. */
  async function takeOver(operation: Operation, name: OrderName): Promise<void> {
    for (;;) {
      const owner = await orders.ownerOf(name);
      if (owner && isSame(owner, operation)) return;
      if (owner) await reopen(owner, name.order);
      const taken = await orders.take(name, owner, operation);
      // Once more, for evidence that settled it in between.
      if (taken && owner) await reopen(owner, name.order);
      if (taken) return;
    }
  }

  async function reopen(former: OperationRef, order: number): Promise<void> {
    await store.change(former, (present) => {
      // The service's own answer is no evidence that could have been taken for another's.
      const byEvidence = present.result?.order === order && present.settledBy !== 'answer';
      return byEvidence ? reopened(present) : undefined;
    });
    await dueIndex.putIn(former, 0);
  }

  const statusOf = (report: OrderReport) => (present: Operation) =>
    present.result?.order === report.order ? withStatus(present, { status: report.status }) : undefined;

  /**
   * The order is its owner's by the service's own answer, and nobody else's ever: the report needn't be kept for whom it
   * might prove. Answers whether that is so.
   */
  async function reportProven(owner: OperationRef | undefined, report: OrderReport): Promise<boolean> {
    const stored = owner && (await store.read(owner));
    const { settledBy, result } = stored?.operation ?? {};
    if (stored === undefined || settledBy !== 'answer' || result?.order !== report.order) return false;
    await notify((await store.change(stored, statusOf(report))) ?? stored);
    return true;
  }

  const resultOf = ({ order, status }: OrderReport): Result => ({ order, status });

  /** What the answer says of the world, apart from the operation. */
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
      // Its record may be gone, with much else: what is known of it is written again.
      return (await store.restore(ended(sent.operation, answer))) ?? sent;
    },
    async conclude(stored, evidence, over) {
      if (evidence.kind === 'strong') return settleBy(stored, evidence.result);
      return store.change(stored, (present) => {
        const search = searched(present, evidence, { over, at: now() });
        // Asked for by hand: what is likely stays so, and its user has nothing new to see.
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
      // Together, and in this order: whose answer names the order meanwhile finds what was reported.
      const [, owner] = await Promise.all([orders.keepReport(account, report), orders.ownerOf(name)]);
      if (owner) {
        const changed = await store.change(owner, statusOf(report));
        // Bound by an earlier delivery whose work failed then: it is settled now.
        await notify(changed ?? (await settleBy(owner, resultOf(report))) ?? owner);
        return;
      }
      const attempts = await recentAttempts.of(account);
      const fitting = attempts.filter((operation) => fits(kinds, operation, report));
      // The answer of one that is under way may name this very order: the reconciler looks into the logs later.
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
 * Ends an operation whose outcome isn't known: by evidence, by its user, or by hand. Answers it; `undefined` where it was
 * settled meanwhile, and stays as it is.
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
