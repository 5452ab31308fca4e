import type { Log } from '../log.ts';
import type { Announce } from './announce.ts';
import type { Attempts } from './attempts.ts';
import type { DueIndex } from './due-index.ts';
import type { Search } from './evidence.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Kinds } from './kinds/kinds.ts';
import { leaveDue } from './leave-due.ts';
import { isOverdue, type NextLook, TAKEN_MS } from './next-look.ts';
import type { Notify } from './notifier.ts';
import type { Operation, OperationRef } from './operation.ts';
import { notMade, revised, withStatus } from './settle.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';
import type { TraceLooks } from './trace-looks.ts';
import type { Unresolved } from './unresolved.ts';

const DRAFT_LOOK_MS = 15_000;
/** A confirmation in the last moment may be committed this much later. */
export const COMMIT_MS = 60_000;
const SENT_LOOK_MS = 3_000;
/** So many are handed on at once, and held in memory. */
const BATCH = 100;

export interface ReconcilerDeps {
  store: OperationStore;
  attempts: Attempts;
  dueIndex: DueIndex;
  heartbeat: Heartbeat;
  kinds: Kinds;
  search: Search;
  traceLooks: TraceLooks;
  unresolved: Pick<Unresolved, 'seen'>;
  /** Has `advance` run for it soon, here or on another replica. */
  hand: (ref: OperationRef) => Promise<void>;
  /** Has it carried out soon, where it was confirmed: watching never waits for that. */
  carryOut: (ref: OperationRef) => Promise<void>;
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
  const { store, attempts, dueIndex, heartbeat, search, notify, now, log } = deps;
  const again = (ref: OperationRef, ms: number) => dueIndex.putIn(ref, ms);

  /** Its record is gone, or isn't ours any more, amid an attempt: it goes on from that. */
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

  /** Whoever is at it may hold its code, which can be read only once. */
  async function claimed(stored: Stored): Promise<void> {
    const { operation } = stored;
    const ref = refOf(stored);
    const needsCode = deps.kinds.of(operation.request).needsCode?.(operation.request) === true;
    const isTaken = needsCode && (await heartbeat.isAlive(ref));
    return isTaken ? again(ref, SENT_LOOK_MS) : deps.carryOut(ref);
  }

  /** Its code never came: nothing will be sent, and its card says so. */
  async function awaiting(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    if (now() <= stored.operation.expiresAt) return again(ref, DRAFT_LOOK_MS);
    const expired = await store.change(stored, (present) =>
      present.state === 'awaiting' ? revised(present, { state: 'expired' }) : undefined,
    );
    return finish(ref, expired);
  }

  async function orphaned(sent: Stored): Promise<void> {
    const ref = refOf(sent);
    if (await heartbeat.isAlive(ref)) return again(ref, SENT_LOOK_MS);
    log.warn({ operation: ref.id }, 'an attempt lost its process; its outcome is not known');
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
