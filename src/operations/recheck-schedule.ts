// Schedule of the reconciler, and the delays between its checks.

import type { Storage } from '../platform/storage.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

const INDEX = 'operations:dueIndex';
const ASIDE = 'operations:setAside';
const BATCH = 100;

/**
 * Schedule of the operations that the reconciler must check. It uses the storage's clock, because the clocks of
 * replicas may differ.
 */
export interface DueIndex {
  /** Schedules a check in `ms` milliseconds. */
  scheduleIn(ref: OperationRef, ms: number): Promise<void>;
  /** Schedules a check in at most `ms` milliseconds. Never postpones an earlier check. */
  scheduleNoLaterThan(ref: OperationRef, ms: number): Promise<void>;
  remove(ref: OperationRef): Promise<void>;
  /** Removes an operation from the schedule until a process, perhaps of a newer version, calls {@link takeBack}. */
  setAside(ref: OperationRef): Promise<void>;
  /** Schedules all operations that {@link setAside} removed. */
  takeBack(): Promise<void>;
  /** Returns at most `limit` due operations, longest due first. */
  due(limit: number): Promise<OperationRef[]>;
  /** Returns how long the most overdue operation has been due, in milliseconds. Returns `undefined` if none is due. */
  overdueMs(): Promise<number | undefined>;
  /** Returns at most `limit` scheduled operations, soonest first. */
  watched(limit: number): Promise<OperationRef[]>;
}

export function createDueIndex({ storage }: { storage: Storage }): DueIndex {
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    scheduleIn: (ref, ms) => storage.index.scheduleIn(INDEX, member(ref), ms),
    scheduleNoLaterThan: (ref, ms) => storage.index.scheduleNoLaterThan(INDEX, member(ref), ms),
    remove: (ref) => storage.index.remove(INDEX, member(ref)),
    async setAside(ref) {
      await storage.index.scheduleIn(ASIDE, member(ref), 0);
      await storage.index.remove(INDEX, member(ref));
    },
    async takeBack() {
      for (;;) {
        const members = await storage.index.upTo(ASIDE, Number.POSITIVE_INFINITY, BATCH);
        for (const name of members) {
          await storage.index.scheduleIn(INDEX, name, 0);
          await storage.index.remove(ASIDE, name);
        }
        if (members.length < BATCH) return;
      }
    },
    overdueMs: () => storage.index.overdueMs(INDEX),
    watched: async (limit) =>
      (await storage.index.upTo(INDEX, Number.MAX_VALUE, limit)).map((name) => {
        const [user, id = ''] = name.split('/');
        return { user: Number(user), id };
      }),
    async due(limit) {
      const refs: OperationRef[] = [];
      for (const text of await storage.index.due(INDEX, limit)) {
        const [user, id = ''] = text.split('/');
        const ref = { user: Number(user), id };
        // Drops malformed members. They would stay due forever and block the queue.
        if (member(ref) === text) refs.push(ref);
        else await storage.index.remove(INDEX, text);
      }
      return refs;
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
    const isListed = deps.kinds.of(request).listing?.standing !== undefined;
    if (age > (isListed ? LISTED_MS : SEARCHED_MS)) return undefined;
    if (!isListed && !(reported ?? (await deps.reported(account)))) return undefined;
    return 1000 * (DELIVERY_S.find((seconds) => seconds * 1000 > age) ?? 3_600);
  };
}

/**
 * Returns the delay until the next search, in milliseconds.
 * `looks`: number of searches up to now. `age`: milliseconds since the request.
 *
 * The delay is at most twice the age, so that manual searches barely postpone the automatic ones.
 */
export function searchAgainMs(looks: number, age: number): number {
  const [first = 1] = SEARCH_S;
  const seconds = SEARCH_S[Math.min(looks, SEARCH_S.length) - 1] ?? first;
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
export async function leaveDue(
  { store, dueIndex }: { store: Pick<OperationStore, 'readable'>; dueIndex: DueIndex },
  ref: OperationRef,
): Promise<void> {
  await dueIndex.remove(ref);
  const present = await store.readable(ref);
  if (typeof present !== 'object') return;
  const { notified, revision } = present.operation;
  if (notified < revision) await dueIndex.scheduleIn(ref, 0);
}
