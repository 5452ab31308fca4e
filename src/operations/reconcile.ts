// Reconciler: completes operations whose process ended, and searches for uncertain outcomes.

import { defineLease, type Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { keyOf } from '../platform/stored-data.ts';
import type { EvidenceSearch, Orders } from './evidence.ts';
import type { Attempts, Heartbeat, NotifyExecuted, SendQueue } from './execute.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import {
  type Evidence,
  INTERRUPTED,
  isUncertain,
  isVoid,
  notMade,
  type Operation,
  type OperationRef,
  refused,
  revised,
  withStatus,
} from './operation.ts';
import type { ContinuityWatch } from './payments-gate.ts';
import type { TargetLocks } from './preflight.ts';
import type { History, Unresolved } from './queries.ts';
import type { Notify } from './receipt.ts';
import type { RecheckSchedule } from './recheck-schedule.ts';
import {
  dequeueIfDone,
  isOverdue,
  LEASE_MS,
  type NextRecheck,
  SEARCHED_MS,
  searchAgainMs,
} from './recheck-schedule.ts';
import type { Settlement } from './settle.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';

const DRAFT_RECHECK_MS = 15_000;
/** Maximum delay between a card's expiry and the commit of its claim, in milliseconds. */
export const COMMIT_MS = 60_000;
const SENT_RECHECK_MS = 3_000;
/**
 * Age from which a claim without a heartbeat counts as orphaned, as a multiple of the heartbeat's silence. A claim gets
 * its time at the confirmation. Its commit and first heartbeat may follow ten seconds later.
 */
const ORPHANED_AFTER_SILENCES = 1.5;
/** Maximum operations in one batch of jobs. */
const BATCH = 100;

interface ReconcilerDeps {
  store: OperationStore;
  attempts: Attempts;
  recheckSchedule: RecheckSchedule;
  heartbeat: Heartbeat;
  continuity: Pick<ContinuityWatch, 'check' | 'last'>;
  locks: Pick<TargetLocks, 'release'>;
  recentAttempts: Pick<RecentAttempts, 'add' | 'resolved'>;
  history: Pick<History, 'add'>;
  /** Returns whether this process is going to send the claim, or is sending it now. */
  isHeld: SendQueue['holds'];
  kinds: Kinds;
  evidenceSearch: EvidenceSearch;
  outcomeSearch: OutcomeSearch;
  unresolved: Pick<Unresolved, 'addIfUnresolved'>;
  /** Enqueues a job that calls `advance`, on this or another replica. */
  enqueue: (ref: OperationRef) => Promise<void>;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  nextRecheck: NextRecheck;
  notifyExecuted: NotifyExecuted;
  settleCaps: (operation: Operation) => Promise<unknown>;
  notify: Notify;
  now: () => number;
  log: Log;
}

export interface Reconciler {
  /** Enqueues all due operations. */
  run(): Promise<void>;
  /** Advances one operation towards an outcome of which its user is notified. May run anywhere, also concurrently. */
  advance(ref: OperationRef): Promise<void>;
}

/** Creates the reconciler. It completes operations whose process has ended. */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { store, attempts, recheckSchedule, heartbeat, continuity, evidenceSearch, notify, now, log } = deps;
  const recheckIn = (ref: OperationRef, ms: number) => recheckSchedule.scheduleIn(ref, ms);

  /** Restores a missing or invalid record from the mark of its attempt. */
  async function restoreFromAttempt(ref: OperationRef): Promise<Stored | undefined> {
    const sent = await attempts.operationOf(ref);
    return sent && store.restore(sent);
  }

  async function advance(ref: OperationRef): Promise<void> {
    const found = await store.readable(ref);
    if (found === 'unreadable') {
      log.error(
        { operation: ref.id },
        'an operation could not be read; it is quarantined until a process restarts',
      );
      return recheckSchedule.quarantine(ref);
    }
    const known = found === undefined || found === 'unverified' ? await restoreFromAttempt(ref) : found;
    const { stored, isDue } = known ? await deps.notifyExecuted(known) : { stored: known, isDue: false };
    if (stored) await deps.unresolved.addIfUnresolved(stored.operation);
    await advanceByState(ref, stored);
    // After the step, which may have removed the operation from the schedule.
    if (isDue) await recheckSchedule.scheduleNoLaterThan(ref, LEASE_MS);
  }

  async function advanceByState(ref: OperationRef, stored: Stored | undefined): Promise<void> {
    switch (stored?.operation.state) {
      case 'draft':
        // The user has tapped Confirm. If that was committed, the state changes.
        return now() > stored.operation.expiresAt + COMMIT_MS
          ? recheckSchedule.remove(ref)
          : recheckIn(ref, DRAFT_RECHECK_MS);
      case 'awaiting':
        return advanceAwaiting(stored);
      case 'claimed':
        return advanceClaimed(stored);
      case 'sent':
        return advanceSent(stored);
      case 'unknown':
        return deps.outcomeSearch.search(stored);
      case 'done':
        return advanceDone(stored);
      default:
        return finish(ref, stored);
    }
  }

  /**
   * Ends a claim whose process is gone. Only the process that committed a claim may send its request. If nothing was
   * rolled back since the claim, no request was made. Otherwise the request may have been made, and its outcome is
   * searched for.
   */
  async function advanceClaimed(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    const { claimedAt = 0 } = stored.operation;
    const isYoung = now() - claimedAt < ORPHANED_AFTER_SILENCES * heartbeat.silentMs;
    if (isYoung || deps.isHeld(ref) || (await heartbeat.isAlive(ref))) return recheckIn(ref, SENT_RECHECK_MS);
    const [present, sent] = await Promise.all([continuity.check(), attempts.operationOf(ref)]);
    if (!present.isProved) return recheckIn(ref, SENT_RECHECK_MS);
    const isContinuous = !isVoid(stored.operation, present) && stored.operation.run === present.run;
    const isUnsent = sent === undefined && !attempts.wasMadeHere(ref) && isContinuous;
    log.warn({ operation: ref.id, isUnsent }, 'a claim lost its process; it is not sent');
    const ended = await store.change(stored, (operation) => {
      if (operation.state !== 'claimed') return undefined;
      if (isUnsent) return refused(operation, INTERRUPTED, now());
      const isSafeToRepeat = deps.kinds.of(operation.request).isSafeToRepeat === true;
      const attempted = { ...operation, sentAt: claimedAt, ...sent };
      return isSafeToRepeat ? notMade(attempted, now()) : revised(attempted, { state: 'unknown' });
    });
    if (ended === undefined) return recheckIn(ref, 0);
    const { operation } = ended;
    await deps.history.add(operation);
    if (operation.state === 'unknown') {
      await deps.recentAttempts.add(operation);
      await notify(ended);
      return recheckIn(ref, 0);
    }
    await Promise.all([deps.locks.release(operation), deps.recentAttempts.resolved(operation)]);
    return finish(ref, ended);
  }

  /** Ends an operation whose one-time code didn't arrive in time. */
  async function advanceAwaiting(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    if (now() <= stored.operation.expiresAt) return recheckIn(ref, DRAFT_RECHECK_MS);
    const present = await continuity.last();
    const expired = await store.change(stored, (operation) =>
      operation.state === 'awaiting'
        ? revised(operation, { state: isVoid(operation, present) ? 'void' : 'expired' })
        : undefined,
    );
    return finish(ref, expired);
  }

  async function advanceSent(sent: Stored): Promise<void> {
    const ref = refOf(sent);
    if (deps.isHeld(ref) || (await heartbeat.isAlive(ref))) return recheckIn(ref, SENT_RECHECK_MS);
    log.warn({ operation: ref.id }, 'the process of an attempt is gone');
    const isSafeToRepeat = deps.kinds.of(sent.operation.request).isSafeToRepeat === true;
    const ended = await store.change(sent, (present) => {
      if (present.state !== 'sent') return undefined;
      return isSafeToRepeat ? notMade(present, now()) : revised(present, { state: 'unknown' });
    });
    await notify(ended ?? ref);
    await recheckIn(ref, 0);
  }

  async function advanceDone(done: Stored): Promise<void> {
    const { operation } = done;
    const ref = refOf(done);
    const wait = await deps.nextRecheck(operation);
    if (wait === undefined) return finish(ref, done);
    await recheckIn(ref, LEASE_MS);
    const notified = await notify(done);
    if (notified === undefined || notified.isDue) return;
    await recheckIn(ref, wait);
    if (!isOverdue(operation, now())) return;
    const apiKey = await deps.apiKey(operation.user, operation.account);
    const found = apiKey && (await evidenceSearch.orderStatus(operation, apiKey));
    const changed = found && (await store.change(notified.stored, (present) => withStatus(present, found)));
    if (changed) await Promise.all([notify(changed), recheckIn(ref, 0)]);
  }

  async function finish(ref: OperationRef, stored: Stored | undefined): Promise<void> {
    await recheckIn(ref, LEASE_MS);
    const notified = await notify(stored ?? ref);
    if (stored) await deps.settleCaps(stored.operation);
    if (!notified?.isDue) await dequeueIfDone(deps, ref);
  }

  let isQuarantineEnded = false;

  return {
    advance,
    async run() {
      if (!isQuarantineEnded) await recheckSchedule.endQuarantine();
      isQuarantineEnded = true;
      await recheckSchedule.takeDue({ leaseMs: LEASE_MS, limit: BATCH }, deps.enqueue);
    },
  };
}

export const SEARCHING_OUTCOME = defineLease({
  keys: 'searching-outcome:{user}:id',
  content: 'Lease while an admin has the service asked about an operation',
  retained: { own: 'kept-under-way' },
});

const UNREAD: Evidence = { kind: 'none', balance: 'unread' };
/** Minimum interval between manual searches for the outcome of one operation, in milliseconds. */
const SEARCH_INTERVAL_MS = 5_000;

/** Searches for the outcome of uncertain operations and settles them. */
export interface OutcomeSearch {
  /** Searches for the outcome of a due operation. */
  search(unknown: Stored): Promise<void>;
  /**
   * Searches at once, on request. Also covers likely outcomes, and attempts that may have lost their process.
   * `beforeSearch` runs before the search. `busy`: a search is running, or ran just now, so nothing is done.
   */
  searchNow(ref: OperationRef, beforeSearch?: () => Promise<unknown>): Promise<'searched' | 'busy'>;
}

export function createOutcomeSearch(deps: {
  leases: Leases;
  store: OperationStore;
  recheckSchedule: RecheckSchedule;
  evidenceSearch: Pick<EvidenceSearch, 'search'>;
  settlement: Pick<Settlement, 'conclude'>;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Advances an operation like the reconciler. */
  advance: (ref: OperationRef) => Promise<void>;
  notify: Notify;
  now: () => number;
}): OutcomeSearch {
  const { leases, store, recheckSchedule, evidenceSearch, settlement, notify, now } = deps;

  /** Notifies the user before searching: they must know first that they shouldn't repeat the operation. */
  async function search(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    await recheckSchedule.scheduleIn(ref, LEASE_MS);
    const notified = await notify(stored);
    if (notified === undefined || notified.isDue) return;
    const { operation } = notified.stored;
    const apiKey = await deps.apiKey(operation.user, operation.account);
    const age = now() - (operation.sentAt ?? 0);
    const over = age > SEARCHED_MS;
    const found = apiKey === undefined ? UNREAD : await evidenceSearch.search(operation, apiKey);
    const concluded = await settlement.conclude(notified.stored, found, over);
    const notifiedAgain = await notify(concluded ?? ref);
    if (notifiedAgain?.isDue) return;
    if (over) return dequeueIfDone(deps, ref);
    await recheckSchedule.scheduleIn(ref, searchAgainMs((operation.search?.count ?? 0) + 1, age));
  }

  async function searchByState(ref: OperationRef): Promise<void> {
    const first = await store.read(ref);
    if (first?.operation.state === 'sent') await deps.advance(ref);
    const present = await store.read(ref);
    if (present && isUncertain(present.operation)) await search(present);
  }

  return {
    search,
    async searchNow(ref, beforeSearch) {
      const searchOnce = async () => {
        await beforeSearch?.();
        await searchByState(ref);
      };
      const key = keyOf(SEARCHING_OUTCOME.keys, ref);
      const result = await leases.withLease(key, searchOnce, { keptMs: SEARCH_INTERVAL_MS });
      return result === 'done' ? 'searched' : 'busy';
    },
  };
}

/** Entry of a list of the service, identified by the order namespace of its kind. */
interface ListedName {
  account: number;
  namespace: string;
  order: number;
}

/**
 * Applies the status that a list of the service shows to the operation that made the entry. Returns the operation's
 * user. Returns `undefined` if the entry wasn't made through the bot, and `perhaps` if an unresolved operation may have
 * made it.
 */
export type ApplyListedStatus = (
  name: ListedName,
  status: Pick<Result, 'status' | 'txHash'>,
) => Promise<number | 'perhaps' | undefined>;

export function createApplyListedStatus(deps: {
  kinds: Kinds;
  orders: Pick<Orders, 'ownerOf'>;
  recentAttempts: Pick<RecentAttempts, 'unresolvedOf'>;
  store: Pick<OperationStore, 'change'>;
  notify: Notify;
}): ApplyListedStatus {
  const { kinds, orders, recentAttempts, store, notify } = deps;
  return async (name, status) => {
    // Read before the owner: an operation that is settled in between owns the entry by then.
    const open = await recentAttempts.unresolvedOf(name.account);
    const owner = await orders.ownerOf(name);
    const isLike = ({ request }: Operation) => kinds.of(request).namespace === name.namespace;
    if (owner === undefined) return open.some(isLike) ? 'perhaps' : undefined;
    // A final status stays: a delayed reply must not revert it.
    const changed = await store.change(owner, (present) =>
      present.result?.order === name.order && present.result.status === 'pending'
        ? withStatus(present, status)
        : undefined,
    );
    // Also if the status isn't new: the process that stored it may have ended before notifying the user.
    await notify(changed ?? owner);
    return owner.user;
  };
}
