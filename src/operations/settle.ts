// Settles operations: by the reply to their request, by evidence, by their user, or by an admin.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { orTimeout } from '../platform/async.ts';
import { DAY_MS, isRecent } from '../platform/clock.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Outcome } from '../rental-api/client.ts';
import type { OperationServices } from './dependencies.ts';
import { matchesReport, type OrderName, priceSeen } from './evidence.ts';
import type { Difference, Listed, OrderReport, RefundSearch, Result } from './kinds/kind.ts';
import {
  type Attempted,
  asLate,
  type DoneOperation,
  decisionOf,
  done,
  type Evidence,
  isInProgress,
  isLikely,
  isReportAwaited,
  isSame,
  isUncertain,
  type Known,
  type ManualResolution,
  type Operation,
  type OperationRef,
  refOf,
  reopened,
  resolvedManually,
  returned,
  revised,
  type SentOperation,
  type StoredOperation,
  searched,
  settled,
  wasSent,
  withNews,
  withResult,
  wrongCodesOf,
} from './operation.ts';
import { differenceOf, reportedPrice, resultAfter } from './order-reports.ts';
import {
  ARRIVAL_MS,
  isOpenRise,
  isRefundAwaited,
  isRefundMissing,
  USUAL_DELIVERY_MS,
} from './order-state.ts';
import type { NotifyOfChanges } from './receipt.ts';
import { afterRefundCheck, type RefundFinding } from './refund.ts';

export type ApplyListedStatus = Settlement['applyListedStatus'];

/**
 * Result of a manual resolution.
 *
 * - `decided`: this decision is stored.
 * - `late`: the operation was settled or decided before. `operation` shows how.
 * - `in-progress`: an attempt is in progress. Its reply is worth more than any decision.
 * - `none`: the operation doesn't exist.
 */
type Decided = { kind: 'decided' | 'late' | 'in-progress'; operation: Operation } | { kind: 'none' };

/** Delay until the reconciler notifies the user in case this process ends first, in milliseconds. */
const NOTIFY_RETRY_MS = 3_000;
/** Time after which the admin gets a reply even if the user hasn't been notified yet, in milliseconds. */
const NOTIFY_TIMEOUT_MS = 3_000;

/** Settles operations by the reply to their request, by evidence, by their user, or by an admin. */
export type Settlement = ReturnType<typeof createSettlement>;

export function createSettlement(services: OperationServices, notifyOfChanges: NotifyOfChanges) {
  const { store, recheckSchedule, kinds, orders, recentAttempts, locks, unresolved, now } = services;

  const orderNameOf = ({ account, request }: Operation, order: number) => {
    const { namespace } = kinds.of(request);
    return namespace === undefined ? undefined : { account, namespace, order };
  };

  /** Ends an operation that `isOpen` accepts. Returns `undefined` if it was settled in the meantime. */
  async function resolve<Open extends Operation>(
    known: Known,
    isOpen: (present: Operation) => present is Open,
    end: (open: Open) => Operation,
  ): Promise<StoredOperation | undefined> {
    const ended = await store.change(known, (present) => (isOpen(present) ? end(present) : undefined));
    if (ended) {
      await Promise.all([locks.release(ended.operation), unresolved.remove(ended.operation)]);
      await recheckAfter(ended.operation);
    }
    return ended;
  }

  /** Has the balance compared at once for the refund of an order or withdrawal, also after the search's end. */
  async function recheckRefund(ref: OperationRef): Promise<void> {
    const changed = await store.change(ref, (present) => {
      if (!isRefundMissing(kinds, present)) return undefined;
      const { result, attempt } = present;
      // Later, the account's other attempts aren't known any more.
      const isKnown = isRecent(attempt.sentAt, DAY_MS, now());
      if (!isKnown || result.refund === undefined || result.refund.recheck) return undefined;
      return { ...present, result: { ...result, refund: { ...result.refund, recheck: true } } };
    });
    if (changed) await services.refundSchedule.scheduleNoLaterThan(ref, 0);
  }

  /** Has the refunds of these orders of an account looked for at once. */
  async function recheckNamed(operation: Operation, numbers: readonly number[]): Promise<void> {
    const names = numbers.flatMap((order) => orderNameOf(operation, order) ?? []);
    const owners = await Promise.all(names.map(orders.ownerOf));
    await Promise.all(owners.map((owner) => owner && recheckRefund(owner)));
  }

  /** Has the refunds and outcomes searched for at once that an operation of unknown outcome, now settled, has hidden. */
  async function recheckAfter(settled: Operation): Promise<void> {
    const isHidden = (one: Operation) => one.state === 'done' && one.result.refund?.balance === 'moved';
    const others = (await recentAttempts.of(settled.account)).filter((one) => !isSame(one, settled));
    await Promise.all([
      ...others.filter(isHidden).map((one) => recheckRefund(refOf(one))),
      ...others
        .filter((one) => one.state === 'unknown' && one.search?.over !== true)
        .map((one) => recheckSchedule.scheduleNoLaterThan(refOf(one), 0)),
    ]);
  }

  /** Returns the price that the balance of an earlier search shows, if it does. */
  async function priceSeenOf(operation: Attempted): Promise<string | undefined> {
    const price = priceSeen(operation, operation.search?.seen?.left);
    return price !== undefined && (await recentAttempts.concurrentWith(operation))?.length === 0
      ? price
      : undefined;
  }

  /**
   * Settles an uncertain operation as accepted, also one that its user has closed. Returns `undefined` if the order belongs
   * to another operation, or if the operation was settled in the meantime.
   */
  async function settleBy(known: Known, { order, ...rest }: Result): Promise<StoredOperation | undefined> {
    const operation = (await store.read(refOf(known)))?.operation;
    if (operation === undefined || !isReportAwaited(operation)) return undefined;
    const name = order === undefined ? undefined : orderNameOf(operation, order);
    if (order !== undefined && (name === undefined || !(await orders.bind(name, operation))))
      return undefined;
    const price = rest.price ?? (rest.status === 'filled' ? await priceSeenOf(operation) : undefined);
    const evident = { ...(order !== undefined && { order }), ...rest, ...(price && { price }) };
    // Earlier reports of the order may say that a part was delivered.
    const result = name ? await withReports(operation, name, evident, await orders.reportsOf(name)) : evident;
    const changed = await resolve(known, isReportAwaited, (open) => asLate(done(open, result, now())));
    if (changed === undefined && name) await orders.release(name, operation);
    return changed;
  }

  const reportContradiction = ({ id }: Operation, name: OrderName, difference: Difference) =>
    services.reportContradiction({ ...name, operation: id, difference });

  /**
   * Binds the order that the service's own reply names, and returns the result with what was reported of it. Reopens an
   * operation that got this order by evidence. Also remembers the price and the fees that the reply names.
   */
  async function bindOrder(operation: SentOperation, result: Result): Promise<Result> {
    const { account, request } = operation;
    const name = result.order === undefined ? undefined : orderNameOf(operation, result.order);
    const [isBound, reports] = await Promise.all([
      name && orders.bind(name, operation),
      // The event can arrive before the reply. An event that arrives after the binding finds the operation itself.
      name && orders.reportsOf(name),
      // The outcome must be stored even if the price and the fees can't be remembered.
      Promise.all([
        services.lastPrices.record(account, request, result),
        services.fees.record(operation, result),
      ]).catch((err) => services.log.warn({ err, operation: operation.id }, 'prices could not be stored')),
    ]);
    if (name === undefined) return result;
    if (isBound) return withReports(operation, name, result, reports ?? []);
    await rebindOrder(operation, name);
    return withReports(operation, name, result, await orders.reportsOf(name));
  }

  /** Returns the result with what the reports prove. */
  async function withReports(
    operation: Operation,
    name: OrderName,
    result: Result,
    reports: readonly OrderReport[],
  ): Promise<Result> {
    const { request } = operation;
    const kind = kinds.of(request);
    let known = result;
    for (const report of reports) {
      const difference = differenceOf(kind, request, known, report);
      if (difference === undefined) known = resultAfter(kind, request, known, report, now());
      // The outcome must be stored even if the notification fails.
      else await reportContradiction(operation, name, difference).catch(() => undefined);
    }
    return known;
  }

  /** Binds an order that another operation got by evidence. Reopens that operation first: this may be repeated. */
  async function rebindOrder(operation: Operation, name: OrderName): Promise<void> {
    for (;;) {
      const owner = await orders.ownerOf(name);
      if (owner && isSame(owner, operation)) return;
      if (owner) await reopen(owner, name.order);
      const isRebound = await orders.rebind(name, owner, operation);
      // Again, because evidence may have settled the operation in between.
      if (isRebound && owner) await reopen(owner, name.order);
      if (isRebound) return;
    }
  }

  async function reopen(former: OperationRef, order: number): Promise<void> {
    await store.change(former, (present) => {
      // An operation that the service's own reply settled doesn't depend on evidence.
      if (present.state !== 'done' || present.settledBy === 'reply') return undefined;
      return present.result.order === order ? reopened(present) : undefined;
    });
    await recheckSchedule.scheduleIn(former, 0);
  }

  /**
   * Applies a record of the service to the operation that made its order. `read` returns in which fact the record
   * contradicts the operation, or the operation's result after it. Returns the operation if it changed, and whether the
   * record contradicts it.
   */
  async function applyRecord(
    known: Known,
    order: number,
    read: (operation: Operation, result: Result) => { difference: Difference } | { result: Result },
  ): Promise<{ changed: StoredOperation | undefined; isContradiction: boolean }> {
    let contradiction: { operation: Operation; difference: Difference } | undefined;
    const changed = await store.change(known, (present) => {
      contradiction = undefined;
      if (present.state !== 'done' || present.result.order !== order) return undefined;
      const found = read(present, present.result);
      if ('result' in found) return withResult(present, found.result);
      contradiction = { operation: present, difference: found.difference };
      return undefined;
    });
    if (contradiction) {
      const { operation, difference } = contradiction;
      const name = orderNameOf(operation, order);
      if (name) await reportContradiction(operation, name, difference);
    }
    return { changed, isContradiction: contradiction !== undefined };
  }

  /**
   * Notifies the user of a report. For a failed order or withdrawal, the check for its refund does so, so that the user gets
   * one message.
   */
  async function notifyOfReport(known: Known): ReturnType<NotifyOfChanges> {
    const stored = 'record' in known ? known : await store.read(known);
    const operation = stored?.operation;
    if (operation === undefined || !isRefundAwaited(kinds, operation))
      return stored && notifyOfChanges(stored);
    await services.refundSchedule.scheduleNoLaterThan(refOf(operation), 0);
    return undefined;
  }

  /** Applies a report to the operation of its order. Returns the operation if it changed. */
  async function applyReport(known: Known, report: OrderReport): Promise<StoredOperation | undefined> {
    const { changed } = await applyRecord(known, report.order, ({ request }, result) => {
      const kind = kinds.of(request);
      const difference = differenceOf(kind, request, result, report);
      return difference ? { difference } : { result: resultAfter(kind, request, result, report, now()) };
    });
    return changed;
  }

  /**
   * Applies a report to an operation whose own reply named the order. Returns whether there is one. If so, the report
   * needn't be stored, because it can't be evidence for another operation.
   */
  async function reportProven(owner: OperationRef | undefined, report: OrderReport): Promise<boolean> {
    const stored = owner && (await store.read(owner));
    if (stored?.operation.state !== 'done') return false;
    const { settledBy, result } = stored.operation;
    if (settledBy !== 'reply' || result.order !== report.order) return false;
    await notifyOfReport((await applyReport(stored, report)) ?? stored);
    return true;
  }

  /** Settles an uncertain operation by a report that matches it. */
  function settleByReport(known: Known, report: OrderReport): Promise<StoredOperation | undefined> {
    const { order, status, at = now() } = report;
    const deliveredAt = status === 'filled' ? Math.min(at, now()) : undefined;
    const price = reportedPrice(report);
    return settleBy(known, {
      order,
      status,
      ...(price !== undefined && { price }),
      ...(deliveredAt !== undefined && { deliveredAt }),
    });
  }

  /**
   * Applies the entry of the service's list that a completed operation has made. Returns the operation if it changed,
   * and whether the entry contradicts it.
   */
  function applyEntry(known: Known, entry: Listed) {
    return applyRecord(known, entry.id, ({ request }, result) => {
      const difference = kinds.of(request).listing?.difference?.(request, entry);
      if (difference) return { difference };
      const { status, txHash } = entry;
      // A final status stays: a delayed reply must not revert it.
      if (result.status !== 'pending' || status === 'pending') return { result };
      return { result: { ...result, status, ...(txHash !== undefined && { txHash }) } };
    });
  }

  /** Returns whether an entry of the service's list would prove that a request was made. */
  function isProvenBy(operation: Operation, entry: Listed): boolean {
    if (!wasSent(operation)) return false;
    const { listedBefore: before, sentAt } = operation.attempt;
    const { listing } = kinds.of(operation.request);
    return (listing?.proofs(operation.request, [entry], { before, sentAt }) ?? []).length > 0;
  }

  /** Remembers that a one-time request has succeeded, if the outcome proves it. */
  async function rememberCompletedOnce({ request }: Operation, outcome: Outcome<Result>): Promise<void> {
    const codes = kinds.of(request).once?.codes ?? [];
    const isDone =
      outcome.kind === 'accepted' || (outcome.kind === 'rejected' && codes.includes(outcome.code));
    if (isDone) await services.completedOnce.markCompleted(request);
  }

  /** Stores what a check for the refund of an order that has most likely gone through has found. */
  async function applyLikelyRefund(before: StoredOperation, result: Result & { refund: RefundSearch }) {
    const { refund } = result;
    const isOpen = (present: Operation): present is Extract<Operation, { state: 'likely' }> =>
      present.state === 'likely' && (present.refund?.checks ?? 0) < refund.checks;
    if (refund.balance === 'back')
      return resolve(before, isOpen, (present) => returned(present, result, now()));
    const receiptAfter = (present: Operation) => {
      const receipt = revised(present);
      // The user has waited for this end in vain.
      return isConclusive(refund) ? receipt : withNews(receipt);
    };
    return store.change(before, (present) =>
      isOpen(present)
        ? { ...present, refund, ...(refund.over && { receipt: receiptAfter(present) }) }
        : undefined,
    );
  }

  const settledNow = (operation: Attempted, outcome: Outcome<Result>) =>
    settled(operation, outcome, now(), kinds.of(operation.request).isSafeToRepeat);

  return {
    /**
     * Applies the outcome of the request. The service's reply is proof, so it also corrects earlier conclusions. May be
     * repeated. Returns the current operation.
     */
    async settle(sent: StoredOperation<SentOperation>, outcome: Outcome<Result>): Promise<StoredOperation> {
      await rememberCompletedOnce(sent.operation, outcome);
      const reply: Outcome<Result> =
        outcome.kind === 'accepted'
          ? { ...outcome, value: await bindOrder(sent.operation, outcome.value) }
          : outcome;
      const { claimedAt, attempt } = sent.operation;
      let wasOpen = false;
      const changed = await store.change(sent, (present) => {
        wasOpen = isReportAwaited(present);
        if (present.state === 'sent' && present.attempt.id === attempt.id) return settledNow(present, reply);
        const isProven = 'settledBy' in present && present.settledBy === 'reply';
        if (outcome.kind === 'unknown' || isProven) return undefined;
        // The record may have been put back to a state from before the attempt.
        const attempted = wasSent(present) ? present : { ...present, claimedAt, attempt };
        return asLate(settledNow(attempted, reply));
      });
      if (changed && wasOpen) await recheckAfter(changed.operation);
      if (changed) return changed;
      // The record may be lost. Write what is known of the operation again.
      return (await store.restore(settledNow(sent.operation, reply))) ?? sent;
    },
    /** Applies the evidence of a search to an uncertain operation. Returns the operation if it changed. */
    async conclude(
      stored: StoredOperation,
      evidence: Evidence,
      over: boolean,
    ): Promise<StoredOperation | undefined> {
      if (evidence.kind === 'strong') return settleBy(stored, evidence.result);
      return store.change(stored, (present) => {
        if (!isUncertain(present)) return undefined;
        const search = searched(present, evidence, { over, at: now() });
        // After a manual search, a likely outcome stays likely. The user has nothing new to see.
        if (present.state === 'likely') return { ...present, search };
        if (evidence.kind === 'likely') {
          const receipt = withNews(revised(present));
          return { ...present, state: 'likely', settledAt: now(), search, receipt };
        }
        const ends = over && present.search?.over !== true;
        const receipt = revised(present);
        return { ...present, search, receipt: ends ? withNews(receipt) : receipt };
      });
    },
    /**
     * Applies an order report: updates the operation of the order, or settles an operation of unknown outcome that matches,
     * also one that its user has closed.
     */
    async report(account: number, report: OrderReport): Promise<void> {
      // An order that failed may have been refunded.
      services.balances.delete(account);
      const { namespace, order } = report;
      const name = { account, namespace, order };
      if (await reportProven(await orders.ownerOf(name), report)) return;
      // The order of these calls matters: a concurrent settlement that binds the order then finds the stored report.
      await orders.storeReport(account, report);
      const owner = await orders.ownerOf(name);
      if (owner) {
        const stored = await store.read(owner);
        // An earlier delivery of the event may have bound the order and failed afterwards. Settle the operation now.
        const isUnsettled =
          stored && isReportAwaited(stored.operation) && matchesReport(kinds, stored.operation, report);
        const changed = await (isUnsettled ? settleByReport(owner, report) : applyReport(owner, report));
        await notifyOfReport(changed ?? owner);
        return;
      }
      const attempts = (await recentAttempts.of(account)).filter(wasSent);
      const matching = attempts.filter((operation) => matchesReport(kinds, operation, report));
      // The pending reply of a sent operation may name this order. The reconciler searches the logs later.
      if (matching.some(({ state }) => state === 'sent')) return;
      const closed = matching.filter(({ state }) => state === 'closed');
      for (const operation of [...matching.filter(isUncertain), ...closed]) {
        const changed = await settleByReport(refOf(operation), report);
        if (changed) {
          await notifyOfReport(changed);
          return;
        }
      }
    },
    notifyOfReport,
    recheckRefund,
    applyReport,
    applyEntry,
    /**
     * Stores what a check for the refund of an order has found. `before`: the operation as it was checked. `watched`: its
     * order, also if it has only most likely gone through. Returns the operation if it changed. The user is notified of a
     * rise of the balance, of how the search after an order's failure ends, and if the search for an order that wasn't seen
     * to arrive ends without a finding. A rise that the user knows from another order changes only the receipt.
     */
    async applyRefundCheck(before: StoredOperation, watched: DoneOperation, found: RefundFinding) {
      const { refund: known, status } = watched.result;
      const at = now();
      const { refund, isNewMoney } = afterRefundCheck(kinds, watched, found, at);
      if (before.operation.state === 'likely')
        return applyLikelyRefund(before, { ...watched.result, refund });
      const changed = await store.change(before, (present) => {
        if (!isRefundAwaited(kinds, present) || present.result.status !== status) return undefined;
        // Another replica has checked, too.
        if (present.result.refund?.checks !== known?.checks) return undefined;
        // Keeps the text from the end of the search, unless the balance shows more now.
        if (known?.over && !isConclusive(refund)) {
          const { recheck: _, ...kept } = known;
          return { ...present, result: { ...present.result, refund: kept } };
        }
        // An order whose own message named the money that came back needs no second one.
        const isOpen = refund.balance === 'either' ? refund.isKnown : refund.balance !== 'back';
        const isOrder = kinds.of(present.request).withdrawalAmount === undefined;
        const isTold = isOpenRise(refund) && !isNewMoney;
        const isUnsaid = status === 'failed' ? isOpen : !isConclusive(refund);
        const isEnd = isOrder && refund.over && !known?.over && isUnsaid && !isTold;
        // Asked for while this check was made.
        const isAgain = present.result.refund?.recheck && !known?.recheck;
        const result = {
          ...present.result,
          refund: { ...refund, ...(isAgain && { recheck: true as const }) },
        };
        const { order } = result;
        if (isNewMoney && refund.rise !== undefined) {
          const orders = [...(order === undefined ? [] : [order]), ...(refund.among ?? [])];
          const open = isOpenRise(refund) && refund.open !== undefined ? { open: refund.open } : {};
          result.shared = [...(result.shared ?? []), { trx: refund.rise, orders, at, ...open }];
        }
        if (isNewMoney || isEnd) return withResult(present, result);
        const changesAt = [ARRIVAL_MS, USUAL_DELIVERY_MS].map((ms) => present.settledAt + ms);
        const isUnseen = status !== 'failed' && refund.balance !== 'either' && refund.rise === undefined;
        const isLateNow = isUnseen && changesAt.some((time) => (known?.at ?? 0) < time && refund.at >= time);
        // Other changes of the receipt need no message: a late order, a rental's end without a refund, a rise in an earlier
        // message.
        const isRise = [refund.balance, known?.balance].some((one) => one === 'back' || one === 'either');
        const isChanged =
          refund.over ||
          refund.open !== known?.open ||
          (isRise && refund.balance !== known?.balance) ||
          isLateNow;
        return { ...present, result, ...(isChanged && { receipt: revised(present) }) };
      });
      // The message names these orders. Their receipts and the lists should agree with it.
      if (changed && isNewMoney) await recheckNamed(changed.operation, refund.among ?? []);
      return changed;
    },
    /**
     * Applies an entry of the service's list to the operation that made it. Returns the operation's user. Returns
     * `undefined` if the entry wasn't made through the bot, or contradicts the operation. While an unresolved operation may
     * have made it, returns `perhaps`: the users whose unresolved operations the entry would prove. These are searched for.
     */
    async applyListedStatus(
      name: OrderName,
      entry: Omit<Listed, 'id'>,
    ): Promise<number | { perhaps: readonly number[] } | undefined> {
      // Read before the owner: an operation that is settled in between owns the entry by then.
      const open = await recentAttempts.unresolvedOf(name.account);
      const owner = await orders.ownerOf(name);
      if (owner === undefined) {
        const like = open.filter(({ request }) => kinds.of(request).namespace === name.namespace);
        const proven = like.filter((one) => isProvenBy(one, { ...entry, id: name.order }));
        await Promise.all(proven.map((one) => recheckSchedule.scheduleNoLaterThan(refOf(one), 0)));
        return like.length > 0 ? { perhaps: proven.map(({ user }) => user) } : undefined;
      }
      const { changed, isContradiction } = await applyEntry(owner, { ...entry, id: name.order });
      if (isContradiction) return undefined;
      // Notifies even if the status isn't new, because the process that stored it may have ended before notifying the user.
      await notifyOfReport(changed ?? owner);
      return owner.user;
    },
    /** Shortens the receipt of a wrong code, because a card with the same request is in the chat. */
    async markRepeated(ref: OperationRef): Promise<void> {
      // Scheduled before the change, so that the receipt is shortened even if this process ends.
      await recheckSchedule.scheduleNoLaterThan(ref, NOTIFY_RETRY_MS);
      const changed = await store.change(ref, (present) =>
        wrongCodesOf(present) > 0 && present.state === 'refused'
          ? { ...present, isRepeated: true, receipt: revised(present) }
          : undefined,
      );
      if (changed) await notifyOfChanges(changed);
    },
    /** Closes an uncertain operation whose user has checked the outcome. */
    async close(ref: OperationRef): Promise<void> {
      const closed = await resolve(ref, isUncertain, (open) => ({
        ...open,
        state: 'closed',
        settledAt: now(),
        ...(isLikely(open) && { wasLikely: true }),
        receipt: revised(open),
      }));
      await notifyOfChanges(closed ?? ref);
    },
    /**
     * Resolves an operation with an uncertain outcome manually. Sends no request. A later reply of the service still
     * corrects the decision. Repeating the same decision has no further effect.
     */
    async resolveManually(ref: OperationRef, decision: ManualResolution): Promise<Decided> {
      const [stored, isAlive] = await Promise.all([store.read(ref), services.heartbeat.isAlive(ref)]);
      if (stored === undefined) return { kind: 'none' };
      const { operation } = stored;
      if (isInProgress(operation) || (isAlive && isUncertain(operation)))
        return { kind: 'in-progress', operation };
      // Scheduled before the change, so that the user is notified even if this process ends.
      if (isUncertain(operation)) await recheckSchedule.scheduleNoLaterThan(ref, NOTIFY_RETRY_MS);
      const price = isUncertain(operation) ? await priceSeenOf(operation) : undefined;
      const changed = await resolve(stored, isUncertain, (open) =>
        resolvedManually(open, decision, { at: now(), price }),
      );
      const present = changed ?? (await store.read(ref));
      if (present === undefined) return { kind: 'none' };
      await orTimeout(notifyOfChanges(present), NOTIFY_TIMEOUT_MS);
      const isStored = isDecidedBy(present.operation, decision);
      return { kind: isStored ? 'decided' : 'late', operation: present.operation };
    },
  };
}

/** Returns whether a search has shown if money came back. */
function isConclusive({ balance }: RefundSearch): boolean {
  return balance === 'back' || balance === 'either' || balance === 'same';
}

function isDecidedBy(operation: Operation, { outcome, reason, admin }: ManualResolution): boolean {
  const decided = decisionOf(operation);
  return decided?.outcome === outcome && decided.reason === reason && decided.admin === admin;
}

/** Time for which the card of a resolution can be confirmed, in milliseconds. */
const TTL_MS = 15 * 60_000;
const NAME_LENGTH = 24;

const proposalSchema = z.object({
  /** User and id of the operation. */
  user: z.number(),
  id: z.string(),
  outcome: z.enum(['done', 'not-done']),
  reason: z.string(),
});

export type Proposal = z.infer<typeof proposalSchema>;

/** The hash tag is that of the admin. The operation may be another user's. */
export const PROPOSAL = defineRecord({
  keys: 'proposal:{user}:name',
  content: 'Manual resolution that an admin is about to confirm, with its reason',
  schema: proposalSchema,
  ttlMs: TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-others' },
});

/** Manual resolutions that wait for the admin's tap. Signed, because they settle operations. Admins find only their own. */
export type Proposals = ReturnType<typeof createProposals>;

export function createProposals({ records }: { records: SignedRecords }) {
  const proposals = records.store(PROPOSAL);
  return {
    /** Stores a proposal. Returns the name that `find` needs. */
    async storeProposal(admin: number, proposal: Proposal): Promise<string> {
      // A repeated update makes the same card, because the name depends only on the content.
      const digest = createHash('sha256').update(JSON.stringify(proposal)).digest('hex');
      const name = digest.slice(0, NAME_LENGTH);
      await proposals.set({ user: admin, name }, proposal);
      return name;
    },
    find: (admin: number, name: string) => proposals.get({ user: admin, name }),
  };
}
