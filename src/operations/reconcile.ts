// Reconciler: completes operations whose process ended, and searches for uncertain outcomes.

import { isRecent } from '../platform/clock.ts';
import { createDueWork } from '../platform/due-work.ts';
import { defineLease } from '../platform/leases.ts';
import { keyOf } from '../platform/records.ts';
import type { OperationServices } from './dependencies.ts';
import { createEvidenceSearch } from './evidence.ts';
import type { NotifyExecuted, SendQueue } from './execute.ts';
import { COMMIT_MS } from './limits.ts';
import {
  type Attempted,
  type ClaimedOperation,
  type DoneOperation,
  type Evidence,
  INTERRUPTED,
  isInProgress,
  isUncertain,
  isUnresolved,
  isUpToDate,
  isVoid,
  notMade,
  type Operation,
  type OperationRef,
  refOf,
  refused,
  revised,
  type StoredOperation,
  wasSent,
} from './operation.ts';
import type { NotifyOfChanges } from './receipt.ts';
import { isOverdue, LEASE_MS, nextRecheckMs, SEARCHED_MS, searchAgainMs } from './recovery.ts';
import { createRefundWork } from './refund.ts';
import type { Settlement } from './settle.ts';

/** Interval in which the reconciler processes due operations, in milliseconds. */
export const RECONCILE_MS = 3_000;
const DRAFT_RECHECK_MS = 15_000;
const SENT_RECHECK_MS = 3_000;
/**
 * Age from which a claim without a heartbeat counts as orphaned, as a multiple of the heartbeat's silence. A claim gets
 * its time at the confirmation. Its commit and first heartbeat may follow ten seconds later.
 */
const ORPHANED_AFTER_SILENCES = 1.5;

/**
 * Time for which Telegram may delay the last edit of a lost process, in milliseconds. That edit says *in progress* and may
 * overwrite the outcome, so the receipt is shown once more after this time.
 */
const LATE_EDIT_MS = 60_000;

export const SEARCHING_OUTCOME = defineLease({
  keys: 'searching-outcome:{user}:id',
  content: 'Lease while an admin has the service asked about an operation',
  retained: { own: 'kept-under-way' },
});

const UNREADABLE_ADVICE =
  'If a newer version wrote it, start that version again. Otherwise check SECRET_KEY, and who can write to Redis.';

const UNREAD: Evidence = { kind: 'none', balance: 'unread' };

/** Returns whether a search has seen neither the balance nor the service's list. */
function isUnread(found: Evidence): boolean {
  if (found.kind !== 'none' || found.balance !== 'unread') return false;
  return found.seen?.left === undefined && found.seen?.listed === undefined;
}

/** Minimum interval between manual searches for the outcome of one operation, in milliseconds. */
const SEARCH_INTERVAL_MS = 5_000;

/** Completes operations whose process has ended, and searches for the outcome of uncertain ones. */
export type Reconciler = ReturnType<typeof createReconciler>;

/** Creates the reconciler. `isHeld` returns whether this process is going to send the claim, or is sending it now. */
export function createReconciler(
  services: OperationServices,
  notifyOfChanges: NotifyOfChanges,
  settlement: Settlement,
  notifyExecuted: NotifyExecuted,
  isHeld: SendQueue['holds'],
) {
  const { store, attempts, recheckSchedule, heartbeat, continuity, kinds, now, log } = services;
  /** Scheduled searches wait if the service's rate limit is almost used up. */
  const scheduled = createEvidenceSearch({ ...services, rental: services.rental.withPriority('background') });
  const requested = createEvidenceSearch(services);
  const recheckIn = (ref: OperationRef, ms: number) => recheckSchedule.scheduleIn(ref, ms);

  /** Restores a missing or invalid record from the mark of its attempt. */
  async function restoreFromAttempt(ref: OperationRef): Promise<StoredOperation | undefined> {
    const sent = await attempts.operationOf(ref);
    return sent && store.restore(sent);
  }

  /** Returns a sent operation whose process is gone, as *unknown*, or as not made if it moves no money. */
  function withoutReply(operation: Attempted): Operation {
    if (kinds.of(operation.request).isSafeToRepeat) return notMade(operation, now());
    return { ...operation, state: 'unknown', receipt: revised(operation) };
  }

  /** Records that the process of an operation was found lost. */
  function withLostProcess(operation: Operation): Operation {
    return { ...operation, receipt: { ...operation.receipt, lostAt: now() } };
  }

  /**
   * Records that the process that stored the outcome of a request may have been lost before it showed it. If it is only slow,
   * the receipt is shown once more in vain.
   */
  async function withProcessChecked(stored: StoredOperation): Promise<StoredOperation> {
    const { operation } = stored;
    const { lostAt, shownAt } = operation.receipt;
    const isUnshown = wasSent(operation) && !isInProgress(operation) && shownAt === undefined;
    if (!isUnshown || lostAt !== undefined || attempts.wasMadeHere(operation)) return stored;
    return (await store.change(stored, withLostProcess)) ?? stored;
  }

  /** Has the receipt shown once more if the last edit of a lost process may have overwritten it. */
  async function repeatAfterLateEdit(stored: StoredOperation): Promise<StoredOperation> {
    const { lostAt } = stored.operation.receipt;
    if (lostAt === undefined || isRecent(lostAt, LATE_EDIT_MS, now())) return stored;
    const repeated = await store.change(stored, (present) => ({
      ...present,
      receipt: revised(present, { lostAt: undefined }),
    }));
    return repeated ?? stored;
  }

  const advance = (ref: OperationRef) =>
    log.withFields({ operation: ref.id, user: ref.user }, () => advanceOnce(ref));

  async function advanceOnce(ref: OperationRef): Promise<void> {
    const found = await store.readable(ref);
    if (found === 'unreadable') {
      log.error(
        { advice: UNREADABLE_ADVICE },
        'an operation could not be read; it waits until a process restarts',
      );
      return recheckSchedule.quarantine(ref);
    }
    const known = found === undefined || found === 'unverified' ? await restoreFromAttempt(ref) : found;
    if (known === undefined) return finish(ref, undefined);
    const { stored, isDue } = await notifyExecuted(
      await repeatAfterLateEdit(await withProcessChecked(known)),
    );
    if (isUnresolved(stored.operation)) await services.unresolved.addIfStuck(stored.operation);
    // The process that ended the operation may have died before it released the lock.
    else await services.locks.release(stored.operation);
    await advanceByState(ref, stored);
    // After the step, which may have removed the operation from the schedule.
    if (isDue) await recheckSchedule.scheduleNoLaterThan(ref, LEASE_MS);
  }

  async function advanceByState(ref: OperationRef, stored: StoredOperation): Promise<void> {
    const { operation } = stored;
    switch (operation.state) {
      case 'draft':
        // The user has tapped Confirm. If that was committed, the state changes.
        return now() > operation.expiresAt + COMMIT_MS
          ? recheckSchedule.remove(ref)
          : recheckIn(ref, DRAFT_RECHECK_MS);
      case 'awaiting':
        return advanceAwaiting(stored);
      case 'claimed':
        return advanceClaimed(stored, operation);
      case 'sent':
        return advanceSent(stored);
      case 'unknown':
        await search(stored);
        return;
      case 'done':
        return advanceDone(stored, operation);
      default:
        return finish(ref, stored);
    }
  }

  /**
   * Ends a claim whose process is gone. Only the process that committed a claim may send its request. In the epoch of
   * the claim nothing was rolled back, so no request was made. Otherwise the request may have been made, and its
   * outcome is searched for.
   */
  async function advanceClaimed(stored: StoredOperation, claim: ClaimedOperation): Promise<void> {
    const ref = refOf(stored);
    const { claimedAt } = claim;
    const isYoung = isRecent(claimedAt, ORPHANED_AFTER_SILENCES * heartbeat.silentMs, now());
    if (isYoung || isHeld(ref) || (await heartbeat.isAlive(ref))) return recheckIn(ref, SENT_RECHECK_MS);
    const [present, sent] = await Promise.all([continuity.check(), attempts.operationOf(ref)]);
    const isUnsent = sent === undefined && !attempts.wasMadeHere(ref) && !isVoid(claim, present);
    log.warn({ isUnsent }, 'a confirmed operation has lost its process; its request is not sent');
    const ended = await store.change(stored, (operation) => {
      if (operation.state !== 'claimed') return undefined;
      if (isUnsent) return withLostProcess(refused(operation, INTERRUPTED, now()));
      return withLostProcess(withoutReply(sent ?? { ...operation, attempt: { sentAt: claimedAt } }));
    });
    if (ended === undefined) return recheckIn(ref, 0);
    const { operation } = ended;
    await services.history.recordConfirmed(claim);
    if (operation.state === 'unknown') {
      await services.recentAttempts.recordAttempt(operation);
      await notifyOfChanges(ended);
      return recheckIn(ref, 0);
    }
    await Promise.all([services.locks.release(operation), services.recentAttempts.resolved(operation)]);
    return finish(ref, ended);
  }

  /** Ends an operation whose one-time code didn't arrive in time. */
  async function advanceAwaiting(stored: StoredOperation): Promise<void> {
    const ref = refOf(stored);
    if (now() <= stored.operation.expiresAt) return recheckIn(ref, DRAFT_RECHECK_MS);
    const present = await continuity.last();
    const expired = await store.change(stored, (operation) =>
      operation.state === 'awaiting'
        ? {
            ...operation,
            state: isVoid(operation, present) ? 'void' : 'expired',
            receipt: revised(operation),
          }
        : undefined,
    );
    return finish(ref, expired);
  }

  async function advanceSent(sent: StoredOperation): Promise<void> {
    const ref = refOf(sent);
    if (isHeld(ref) || (await heartbeat.isAlive(ref))) return recheckIn(ref, SENT_RECHECK_MS);
    log.warn('an operation has lost its process after its request was begun');
    const ended = await store.change(sent, (present) =>
      present.state === 'sent' ? withLostProcess(withoutReply(present)) : undefined,
    );
    await notifyOfChanges(ended ?? ref);
    await recheckIn(ref, 0);
  }

  async function advanceDone(stored: StoredOperation, operation: DoneOperation): Promise<void> {
    const ref = refOf(stored);
    const waitMs = await nextRecheckMs(services, operation);
    if (waitMs === undefined) return finish(ref, stored);
    await recheckIn(ref, LEASE_MS);
    const notified = await notifyOfChanges(stored);
    if (notified === undefined || notified.isDue) return;
    await recheckIn(ref, waitMs);
    if (!isOverdue(operation, now())) return;
    const apiKey = await services.keyToFollow(operation);
    const changed = apiKey && (await applyNews(notified.stored, apiKey));
    if (changed) await Promise.all([settlement.notifyOfReport(changed), recheckIn(ref, LEASE_MS)]);
  }

  /** Applies what the service shows of a completed operation. Returns the operation if it changed. */
  async function applyNews(done: StoredOperation, apiKey: string): Promise<StoredOperation | undefined> {
    const { operation } = done;
    if (operation.state !== 'done') return undefined;
    if (kinds.of(operation.request).listing) {
      const entry = await scheduled.entryOf(operation, apiKey);
      return entry && (await settlement.applyEntry(done, entry)).changed;
    }
    let changed: StoredOperation | undefined;
    for (const report of await scheduled.reportsOf(operation, apiKey))
      changed = (await settlement.applyReport(changed ?? done, report)) ?? changed;
    return changed;
  }

  async function finish(ref: OperationRef, stored: StoredOperation | undefined): Promise<void> {
    await recheckIn(ref, LEASE_MS);
    const notified = await notifyOfChanges(stored ?? ref);
    if (stored) await services.settleCaps(stored.operation);
    if (!notified?.isDue) await dequeueIfDone(ref);
  }

  /**
   * Removes an operation from the schedule after its user was notified. Schedules it again if its receipt has to be shown
   * once more, or if its record has a change that the user hasn't seen: another process may have scheduled it just before
   * the removal.
   */
  async function dequeueIfDone(ref: OperationRef): Promise<void> {
    await recheckSchedule.remove(ref);
    const present = await store.readable(ref);
    if (typeof present !== 'object') return;
    if (!isUpToDate(present.operation)) await recheckIn(ref, 0);
    else if (present.operation.receipt.lostAt !== undefined) await recheckIn(ref, LATE_EDIT_MS);
  }

  /**
   * Searches for an outcome. Notifies the user first: they must know that they shouldn't repeat the operation. Returns
   * `unread` if the service couldn't be read.
   */
  async function search(stored: StoredOperation, evidence = scheduled): Promise<'unread' | undefined> {
    const ref = refOf(stored);
    await recheckIn(ref, LEASE_MS);
    const notified = await notifyOfChanges(stored);
    if (notified === undefined || notified.isDue) return undefined;
    const { operation } = notified.stored;
    // Settled in the meantime.
    if (!isUncertain(operation)) {
      await recheckIn(ref, 0);
      return undefined;
    }
    const apiKey = await services.keyToFollow(operation);
    const age = now() - operation.attempt.sentAt;
    const over = age > SEARCHED_MS;
    const found = apiKey === undefined ? UNREAD : await evidence.search(operation, apiKey);
    if (found.kind === 'held-back') {
      await recheckIn(ref, found.waitMs);
      return 'unread';
    }
    const concluded = await settlement.conclude(notified.stored, found, over);
    const notifiedAgain = await (concluded ? settlement.notifyOfReport(concluded) : notifyOfChanges(ref));
    if (!notifiedAgain?.isDue)
      await (over
        ? dequeueIfDone(ref)
        : recheckIn(ref, searchAgainMs((operation.search?.count ?? 0) + 1, age)));
    return isUnread(found) ? 'unread' : undefined;
  }

  async function searchByState(ref: OperationRef): Promise<'unread' | undefined> {
    const first = await store.read(ref);
    if (first?.operation.state === 'sent') await advance(ref);
    const present = await store.read(ref);
    return present && isUncertain(present.operation) ? search(present, requested) : undefined;
  }

  const dueWork = createDueWork({
    queue: recheckSchedule,
    work: advance,
    leaseMs: LEASE_MS,
    failureMessage: 'advancing an operation failed; it will be retried',
    log,
  });
  const refundWork = createRefundWork(services, notifyOfChanges, settlement.applyRefundCheck);
  let isQuarantineEnded = false;

  return {
    /** Advances one operation towards an outcome of which its user is notified. May run anywhere, also concurrently. */
    advance,
    /** Starts advancing all due operations, and all due checks for refunds. */
    async run(): Promise<void> {
      if (!isQuarantineEnded) await recheckSchedule.endQuarantine();
      isQuarantineEnded = true;
      await Promise.all([dueWork.startDue(), refundWork.startDue()]);
    },
    /** Starts nothing more. Resolves when running work has ended. */
    close: () => Promise.all([dueWork.close(), refundWork.close()]),
    /** Compares the balance at once for refunds that weren't seen. Resolves when the checks have ended, or are slow. */
    checkRefunds: (refs: readonly OperationRef[]): Promise<unknown> =>
      Promise.all(
        refs.map(async (ref) => {
          await settlement.recheckRefund(ref);
          await refundWork.checkNow(ref);
        }),
      ),
    /**
     * Searches for an outcome at once, on request. Also covers likely outcomes, and attempts that may have lost their
     * process. `beforeSearch` runs before the search. `unread`: the service couldn't be read. `busy`: a search is running, or
     * ran just now, so nothing is done.
     */
    async searchNow(
      ref: OperationRef,
      beforeSearch?: () => Promise<unknown>,
    ): Promise<'searched' | 'unread' | 'busy'> {
      let unread: 'unread' | undefined;
      const searchOnce = async () => {
        await beforeSearch?.();
        unread = await searchByState(ref);
      };
      const key = keyOf(SEARCHING_OUTCOME.keys, ref);
      const result = await services.leases.withLease(key, searchOnce, { keptMs: SEARCH_INTERVAL_MS });
      return result === 'done' ? (unread ?? 'searched') : 'busy';
    },
  };
}
