// Reconciler: completes operations whose process ended, and searches for uncertain outcomes.

import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import type { Attempts, Heartbeat } from './attempts.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { Evidence, Search } from './evidence.ts';
import type { Announce } from './execute.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import { isUncertain, isVoid, type Operation, type OperationRef } from './operation.ts';
import type { Orders } from './orders.ts';
import type { Locks } from './preflight.ts';
import type { History, Unresolved } from './queries.ts';
import type { Notify } from './receipt.ts';
import type { DueIndex } from './recheck-schedule.ts';
import {
  isOverdue,
  LEASE_MS,
  leaveDue,
  type NextRecheck,
  SEARCHED_MS,
  searchAgainMs,
} from './recheck-schedule.ts';
import type { SendQueue } from './send-queue.ts';
import type { Settlement } from './settle.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';
import { INTERRUPTED, notMade, refused, revised, withStatus } from './transitions.ts';

const DRAFT_LOOK_MS = 15_000;
/** Maximum delay between a card's expiry and the commit of its claim, in milliseconds. */
export const COMMIT_MS = 60_000;
const SENT_LOOK_MS = 3_000;
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
  dueIndex: DueIndex;
  heartbeat: Heartbeat;
  continuity: Pick<ContinuityWatch, 'check' | 'last'>;
  locks: Pick<Locks, 'release'>;
  recentAttempts: Pick<RecentAttempts, 'add' | 'resolved'>;
  history: Pick<History, 'add'>;
  /** Returns whether this process is going to send the claim, or is sending it now. */
  isHeld: SendQueue['holds'];
  kinds: Kinds;
  search: Search;
  outcomeSearch: OutcomeSearch;
  unresolved: Pick<Unresolved, 'seen'>;
  /** Schedules `advance` for an operation soon, on this or another replica. */
  hand: (ref: OperationRef) => Promise<void>;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  nextRecheck: NextRecheck;
  announce: Announce;
  settleCaps: (operation: Operation) => Promise<unknown>;
  notify: Notify;
  now: () => number;
  log: Log;
}

export interface Reconciler {
  /** Hands on all due operations, until none is left. */
  run(): Promise<void>;
  /** Advances one operation towards an outcome of which its user is notified. May run anywhere, also concurrently. */
  advance(ref: OperationRef): Promise<void>;
}

/** Creates the reconciler. It completes operations whose process has ended. */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { store, attempts, dueIndex, heartbeat, continuity, search, notify, now, log } = deps;
  const again = (ref: OperationRef, ms: number) => dueIndex.scheduleIn(ref, ms);

  /** Restores a missing or invalid record from the mark of its attempt. */
  async function recall(ref: OperationRef): Promise<Stored | undefined> {
    const sent = await attempts.recall(ref);
    return sent && store.restore(sent);
  }

  async function advance(ref: OperationRef): Promise<void> {
    const found = await store.readable(ref);
    if (found === 'unreadable') {
      log.error(
        { operation: ref.id },
        'an operation could not be read and is set aside until a process restarts',
      );
      return dueIndex.setAside(ref);
    }
    const known = found === undefined || found === 'not ours' ? await recall(ref) : found;
    const { stored, isDue } = known ? await deps.announce(known) : { stored: known, isDue: false };
    if (stored) await deps.unresolved.seen(stored.operation);
    await step(ref, stored);
    // After the step, which may have removed the operation from the schedule.
    if (isDue) await dueIndex.scheduleNoLaterThan(ref, LEASE_MS);
  }

  async function step(ref: OperationRef, stored: Stored | undefined): Promise<void> {
    switch (stored?.operation.state) {
      case 'draft':
        // The user has tapped Confirm. If that was committed, the state changes.
        return now() > stored.operation.expiresAt + COMMIT_MS
          ? dueIndex.remove(ref)
          : again(ref, DRAFT_LOOK_MS);
      case 'awaiting':
        return awaiting(stored);
      case 'claimed':
        return claimed(stored);
      case 'sent':
        return orphaned(stored);
      case 'unknown':
        return deps.outcomeSearch.look(stored);
      case 'done':
        return delivery(stored);
      default:
        return finish(ref, stored);
    }
  }

  /**
   * Ends a claim whose process is gone. Only the process that committed a claim may send its request. If nothing was
   * rolled back since the claim, no request was made. Otherwise the request may have been made, and its outcome is
   * searched for.
   */
  async function claimed(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    const { claimedAt = 0 } = stored.operation;
    const isYoung = now() - claimedAt < ORPHANED_AFTER_SILENCES * heartbeat.silentMs;
    if (isYoung || deps.isHeld(ref) || (await heartbeat.isAlive(ref))) return again(ref, SENT_LOOK_MS);
    const [present, sent] = await Promise.all([continuity.check(), attempts.recall(ref)]);
    if (!present.isProved) return again(ref, SENT_LOOK_MS);
    const isContinuous = !isVoid(stored.operation, present) && stored.operation.run === present.run;
    const isUnsent = sent === undefined && !attempts.wasMadeHere(ref) && isContinuous;
    log.warn({ operation: ref.id, isUnsent }, 'a claim lost its process; it is not sent');
    const ended = await store.change(stored, (operation) => {
      if (operation.state !== 'claimed') return undefined;
      if (isUnsent) return refused(operation, INTERRUPTED, now());
      const isHarmless = deps.kinds.of(operation.request).isHarmless === true;
      const attempted = { ...operation, sentAt: claimedAt, ...sent };
      return isHarmless ? notMade(attempted, now()) : revised(attempted, { state: 'unknown' });
    });
    if (ended === undefined) return again(ref, 0);
    const { operation } = ended;
    await deps.history.add(operation);
    if (operation.state === 'unknown') {
      await deps.recentAttempts.add(operation);
      await notify(ended);
      return again(ref, 0);
    }
    await Promise.all([deps.locks.release(operation), deps.recentAttempts.resolved(operation)]);
    return finish(ref, ended);
  }

  /** Ends an operation whose one-time code didn't arrive in time. */
  async function awaiting(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    if (now() <= stored.operation.expiresAt) return again(ref, DRAFT_LOOK_MS);
    const present = await continuity.last();
    const expired = await store.change(stored, (operation) =>
      operation.state === 'awaiting'
        ? revised(operation, { state: isVoid(operation, present) ? 'void' : 'expired' })
        : undefined,
    );
    return finish(ref, expired);
  }

  async function orphaned(sent: Stored): Promise<void> {
    const ref = refOf(sent);
    if (deps.isHeld(ref) || (await heartbeat.isAlive(ref))) return again(ref, SENT_LOOK_MS);
    log.warn({ operation: ref.id }, 'the process of an attempt is gone');
    const isHarmless = deps.kinds.of(sent.operation.request).isHarmless === true;
    const ended = await store.change(sent, (present) => {
      if (present.state !== 'sent') return undefined;
      return isHarmless ? notMade(present, now()) : revised(present, { state: 'unknown' });
    });
    await notify(ended ?? ref);
    await again(ref, 0);
  }

  async function delivery(done: Stored): Promise<void> {
    const { operation } = done;
    const ref = refOf(done);
    const wait = await deps.nextRecheck(operation);
    if (wait === undefined) return finish(ref, done);
    await again(ref, LEASE_MS);
    const told = await notify(done);
    if (told === undefined || told.isDue) return;
    await again(ref, wait);
    if (!isOverdue(operation, now())) return;
    const apiKey = await deps.apiKey(operation.user, operation.account);
    const found = apiKey && (await search.standing(operation, apiKey));
    const changed = found && (await store.change(told.stored, (present) => withStatus(present, found)));
    if (changed) await Promise.all([notify(changed), again(ref, 0)]);
  }

  async function finish(ref: OperationRef, stored: Stored | undefined): Promise<void> {
    await again(ref, LEASE_MS);
    const told = await notify(stored ?? ref);
    if (stored) await deps.settleCaps(stored.operation);
    if (!told?.isDue) await leaveDue(deps, ref);
  }

  let tookBack = false;

  return {
    advance,
    async run() {
      if (!tookBack) await dueIndex.takeBack();
      tookBack = true;
      for (;;) {
        const due = await dueIndex.due(BATCH);
        await Promise.all(
          due.map(async (ref) => {
            await again(ref, LEASE_MS);
            await deps.hand(ref);
          }),
        );
        if (due.length < BATCH) return;
      }
    },
  };
}

const UNREAD: Evidence = { kind: 'none', balance: 'unread' };
/** Minimum interval between manual searches for the outcome of one operation, in milliseconds. */
const ASKED_MS = 5_000;

/** Searches for the outcome of uncertain operations and settles them. */
export interface OutcomeSearch {
  /** Searches for the outcome of a due operation. */
  look(unknown: Stored): Promise<void>;
  /**
   * Searches at once, on request. Also covers likely outcomes, and attempts that may have lost their process.
   * `beforeAsking` runs before the search. `busy`: a search is running, or ran just now, so nothing is done.
   */
  ask(ref: OperationRef, beforeAsking?: () => Promise<unknown>): Promise<'asked' | 'busy'>;
}

export function createOutcomeSearch(deps: {
  leases: Leases;
  store: OperationStore;
  dueIndex: DueIndex;
  search: Pick<Search, 'look'>;
  settlement: Pick<Settlement, 'conclude'>;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Advances an operation like the reconciler. */
  advance: (ref: OperationRef) => Promise<void>;
  notify: Notify;
  now: () => number;
}): OutcomeSearch {
  const { leases, store, dueIndex, search, settlement, notify, now } = deps;

  /** Notifies the user before searching: they must know first that they shouldn't repeat the operation. */
  async function look(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    await dueIndex.scheduleIn(ref, LEASE_MS);
    const told = await notify(stored);
    if (told === undefined || told.isDue) return;
    const { operation } = told.stored;
    const apiKey = await deps.apiKey(operation.user, operation.account);
    const age = now() - (operation.sentAt ?? 0);
    const over = age > SEARCHED_MS;
    const found = apiKey === undefined ? UNREAD : await search.look(operation, apiKey);
    const concluded = await settlement.conclude(told.stored, found, over);
    const toldAgain = await notify(concluded ?? ref);
    if (toldAgain?.isDue) return;
    if (over) return leaveDue(deps, ref);
    await dueIndex.scheduleIn(ref, searchAgainMs((operation.search?.count ?? 0) + 1, age));
  }

  async function lookNow(ref: OperationRef): Promise<void> {
    const first = await store.read(ref);
    if (first?.operation.state === 'sent') await deps.advance(ref);
    const present = await store.read(ref);
    if (present && isUncertain(present.operation)) await look(present);
  }

  return {
    look,
    async ask(ref, beforeAsking) {
      const key = `asking:{${ref.user}}:${ref.id}`;
      const look = async () => {
        await beforeAsking?.();
        await lookNow(ref);
      };
      const turn = await leases.withLease(key, look, { keptMs: ASKED_MS });
      return turn === 'done' ? 'asked' : 'busy';
    },
  };
}

/** Entry of a list of the service, identified by the order namespace of its kind. */
interface ListedName {
  account: number;
  numbering: string;
  order: number;
}

/**
 * Applies the status that a list of the service shows to the operation that made the entry. Returns the operation's
 * user. Returns `undefined` if the entry wasn't made through the bot, and `perhaps` if an unresolved operation may have
 * made it.
 */
export type NoteListed = (
  name: ListedName,
  standing: Pick<Result, 'status' | 'txHash'>,
) => Promise<number | 'perhaps' | undefined>;

export function createNoteListed(deps: {
  kinds: Kinds;
  orders: Pick<Orders, 'ownerOf'>;
  recentAttempts: Pick<RecentAttempts, 'unresolvedOf'>;
  store: Pick<OperationStore, 'change'>;
  notify: Notify;
}): NoteListed {
  const { kinds, orders, recentAttempts, store, notify } = deps;
  return async (name, standing) => {
    // Read before the owner: an operation that is settled in between owns the entry by then.
    const open = await recentAttempts.unresolvedOf(name.account);
    const owner = await orders.ownerOf(name);
    const isLike = ({ request }: Operation) => kinds.of(request).numbering === name.numbering;
    if (owner === undefined) return open.some(isLike) ? 'perhaps' : undefined;
    // A final status stays: a delayed reply must not revert it.
    const changed = await store.change(owner, (present) =>
      present.result?.order === name.order && present.result.status === 'pending'
        ? withStatus(present, standing)
        : undefined,
    );
    // Also if the status isn't new: the process that stored it may have ended before notifying the user.
    await notify(changed ?? owner);
    return owner.user;
  };
}
