import type { Log } from '../log.ts';
import type { Announce } from './announce.ts';
import type { Attempts } from './attempts.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { DueIndex } from './due-index.ts';
import type { Search } from './evidence.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { History } from './history.ts';
import type { Kinds } from './kinds/kinds.ts';
import { leaveDue } from './leave-due.ts';
import type { Locks } from './locks.ts';
import { isOverdue, type NextLook, TAKEN_MS } from './next-look.ts';
import type { Notify } from './notifier.ts';
import { isVoid, type Operation, type OperationRef } from './operation.ts';
import type { RecentAttempts } from './recent-attempts.ts';
import type { SendQueue } from './send-queue.ts';
import { INTERRUPTED, notMade, refused, revised, withStatus } from './settle.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';
import type { TraceLooks } from './trace-looks.ts';
import type { Unresolved } from './unresolved.ts';

const DRAFT_LOOK_MS = 15_000;
/** A confirmation in the last moment may be committed this much later. */
export const COMMIT_MS = 60_000;
const SENT_LOOK_MS = 3_000;
/**
 * Age, as a multiple of the heartbeat's silence, from which a claim without a heartbeat has lost its process. A claim is
 * dated when it is decided on; its commit and first heartbeat may follow ten seconds later.
 */
const ORPHANED_AFTER_SILENCES = 1.5;
/** So many are handed on at once, and held in memory. */
const BATCH = 100;

export interface ReconcilerDeps {
  store: OperationStore;
  attempts: Attempts;
  dueIndex: DueIndex;
  heartbeat: Heartbeat;
  continuity: Pick<ContinuityWatch, 'check' | 'last'>;
  locks: Pick<Locks, 'release'>;
  recentAttempts: Pick<RecentAttempts, 'add' | 'resolved'>;
  history: Pick<History, 'add'>;
  /** Whether this process is going to send it, or does so just now. */
  isHeld: SendQueue['holds'];
  kinds: Kinds;
  search: Search;
  traceLooks: TraceLooks;
  unresolved: Pick<Unresolved, 'seen'>;
  /** Has `advance` run for it soon, here or on another replica. */
  hand: (ref: OperationRef) => Promise<void>;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  nextLook: NextLook;
  announce: Announce;
  settleCaps: (operation: Operation) => Promise<unknown>;
  notify: Notify;
  now: () => number;
  log: Log;
}

export interface Reconciler {
  /** Hands on everything that came due, until nothing is. */
  run(): Promise<void>;
  /** Takes one operation a step towards an outcome that its user is told. May run anywhere, also twice at once. */
  advance(ref: OperationRef): Promise<void>;
}

/** Looks after operations: whatever became of the process that began one, it is finished by another. */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { store, attempts, dueIndex, heartbeat, continuity, search, notify, now, log } = deps;
  const again = (ref: OperationRef, ms: number) => dueIndex.putIn(ref, ms);

  /** Restores a missing or invalid record from the mark of its attempt. */
  async function recall(ref: OperationRef): Promise<Stored | undefined> {
    const sent = await attempts.recall(ref);
    return sent && store.restore(sent);
  }

  async function advance(ref: OperationRef): Promise<void> {
    const found = await store.readable(ref);
    if (found === 'unreadable') {
      log.error({ operation: ref.id }, 'an operation could not be read and is set aside until another start');
      return dueIndex.setAside(ref);
    }
    const known = found === undefined || found === 'not ours' ? await recall(ref) : found;
    const { stored, isDue } = known ? await deps.announce(known) : { stored: known, isDue: false };
    if (stored) await deps.unresolved.seen(stored.operation);
    await step(ref, stored);
    // After the step, which may have found nothing else to wait for.
    if (isDue) await dueIndex.putWithin(ref, TAKEN_MS);
  }

  async function step(ref: OperationRef, stored: Stored | undefined): Promise<void> {
    switch (stored?.operation.state) {
      case 'draft':
        // Somebody began to confirm it; whether that was committed is seen by its state.
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
        return deps.traceLooks.look(stored);
      case 'done':
        return delivery(stored);
      default:
        return finish(ref, stored);
    }
  }

  /**
   * Ends a claim whose process is gone: only the process that committed it may send its request. If nothing was rolled back
   * since the claim, no request was made. Otherwise it may have been made, and its outcome is searched for.
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

  /** Ends a withdrawal whose one-time code never came. */
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
    const wait = await deps.nextLook(operation);
    if (wait === undefined) return finish(ref, done);
    await again(ref, TAKEN_MS);
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
    await again(ref, TAKEN_MS);
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
            await again(ref, TAKEN_MS);
            await deps.hand(ref);
          }),
        );
        if (due.length < BATCH) return;
      }
    },
  };
}
