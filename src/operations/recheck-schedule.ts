// Schedule of the reconciler, and the delays between its checks.

import { createDueQueue, type DueQueue, defineDueQueue } from '../platform/due-queue.ts';
import type { Storage } from '../platform/storage.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

export const RECHECKS = defineDueQueue({
  keys: 'operations:due',
  ref: { user: 'number', id: 'string' },
  content: 'When the reconciler processes each operation next',
  expiry: 'none: one for all; finished operations are removed',
  retained: { elsewhere: 'kept-under-way' },
});

export const QUARANTINED = defineDueQueue({
  keys: 'operations:quarantined',
  ref: { user: 'number', id: 'string' },
  content: "Operations that couldn't be read",
  expiry: 'none: until the next start takes them back',
  retained: { elsewhere: 'kept-under-way' },
});

const BATCH = 100;

/**
 * Schedule of the operations that the reconciler must check. It uses the storage's clock, because the clocks of
 * replicas may differ.
 */
export interface RecheckSchedule extends DueQueue<OperationRef> {
  /** Removes an operation until a process, perhaps of a newer version, calls {@link endQuarantine}. */
  quarantine(ref: OperationRef): Promise<void>;
  /** Schedules all operations that {@link quarantine} removed. */
  endQuarantine(): Promise<void>;
}

export function createRecheckSchedule({ storage }: { storage: Storage }): RecheckSchedule {
  const rechecks = createDueQueue(RECHECKS, { storage });
  const quarantined = createDueQueue(QUARANTINED, { storage });
  return {
    ...rechecks,
    async quarantine(ref) {
      await quarantined.scheduleIn(ref, 0);
      await rechecks.remove(ref);
    },
    async endQuarantine() {
      for (;;) {
        const refs = await quarantined.scheduled(BATCH);
        for (const ref of refs) {
          await rechecks.scheduleIn(ref, 0);
          await quarantined.remove(ref);
        }
        if (refs.length < BATCH) return;
      }
    },
  };
}

/** Age of a request after which no outcome is searched for any more, in milliseconds. */
export const SEARCHED_MS = 24 * 3600_000;
/** Delays between searches, in seconds. The last one repeats until the day is over. */
const SEARCH_S = [2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];
/**
 * Time that a process has for an operation before another one takes it, in milliseconds. Also the retry interval of
 * failed notifications.
 */
export const LEASE_MS = 10_000;
/** Age of a listed operation up to which its status is polled, in milliseconds. */
const LISTED_MS = 30 * 24 * 3600_000;
/**
 * Delays between searches for a delivery, in seconds: the first one that exceeds the order's age. The last one repeats
 * until the day is over.
 */
const DELIVERY_S = [30, 60, 120, 300, 600, 1_800, 3_600];

/**
 * Returns the delay until an operation must be checked again after its user was notified, in milliseconds. Returns
 * `undefined` if the operation waits for nothing.
 */
export type NextRecheck = (operation: Operation) => Promise<number | undefined>;

export function createNextRecheck(deps: {
  kinds: Kinds;
  /** Returns whether the service sends the account's events here. If so, its logs show deliveries too. */
  reported: (account: number) => Promise<boolean>;
  now: () => number;
}): NextRecheck {
  return async ({ state, request, result, settledAt, account, reported }) => {
    if (state === 'unknown' || state === 'sent' || state === 'claimed') return 0;
    if (state !== 'done' || result?.status !== 'pending' || result.order === undefined) return undefined;
    const age = deps.now() - (settledAt ?? 0);
    const isListed = deps.kinds.of(request).listing?.status !== undefined;
    if (age > (isListed ? LISTED_MS : SEARCHED_MS)) return undefined;
    if (!isListed && !(reported ?? (await deps.reported(account)))) return undefined;
    return 1000 * (DELIVERY_S.find((seconds) => seconds * 1000 > age) ?? 3_600);
  };
}

/**
 * Returns the delay until the next search, in milliseconds.
 * `searches`: number of searches up to now. `age`: milliseconds since the request.
 *
 * The delay is at most twice the age, so that manual searches barely postpone the automatic ones.
 */
export function searchAgainMs(searches: number, age: number): number {
  const [first = 1] = SEARCH_S;
  const seconds = SEARCH_S[Math.min(searches, SEARCH_S.length) - 1] ?? first;
  return Math.min(1000 * seconds, Math.max(1000 * first, 2 * age));
}

/**
 * Returns when the next automatic search is due, in epoch milliseconds. Returns `undefined` if there is none or it
 * isn't known.
 */
export function nextSearchAt({ state, search, sentAt = 0 }: Operation): number | undefined {
  if (state !== 'unknown' || search?.at === undefined || search.over) return undefined;
  return search.at + searchAgainMs(search.count, search.at - sentAt);
}

/** Returns whether to search for the delivery instead of waiting for its event. */
export function isOverdue({ settledAt }: Operation, now: number): boolean {
  return now - (settledAt ?? 0) >= 1000 * (DELIVERY_S[0] ?? 0);
}

/**
 * Removes an operation from the schedule after its user was notified. Schedules it again if its record has a change
 * that the user hasn't seen: another process may have scheduled it just before the removal.
 */
export async function dequeueIfDone(
  { store, recheckSchedule }: { store: Pick<OperationStore, 'readable'>; recheckSchedule: RecheckSchedule },
  ref: OperationRef,
): Promise<void> {
  await recheckSchedule.remove(ref);
  const present = await store.readable(ref);
  if (typeof present !== 'object') return;
  const { notified, revision } = present.operation;
  if (notified < revision) await recheckSchedule.scheduleIn(ref, 0);
}
