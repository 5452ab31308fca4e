import type { Storage } from '../platform/storage.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

const INDEX = 'operations:dueIndex';
const ASIDE = 'operations:setAside';
const BATCH = 100;

/** When which operation must be looked at next, by the storage's clock: replicas' clocks may differ. */
export interface DueIndex {
  putIn(ref: OperationRef, ms: number): Promise<void>;
  /** The same, unless it is to be looked at sooner: never puts off. */
  putWithin(ref: OperationRef, ms: number): Promise<void>;
  remove(ref: OperationRef): Promise<void>;
  /** It isn't looked at again until a process, of a newer version perhaps, takes back what was set aside. */
  setAside(ref: OperationRef): Promise<void>;
  /** What was set aside comes due. */
  takeBack(): Promise<void>;
  /** What has come due, longest first, and at most `limit`. */
  due(limit: number): Promise<OperationRef[]>;
  /** For how long what is due the longest has been, in milliseconds; `undefined` where nothing is due. */
  overdueMs(): Promise<number | undefined>;
  /** What is to be looked at at any time, soonest first, and at most `limit`. */
  watched(limit: number): Promise<OperationRef[]>;
}

export function createDueIndex({ storage }: { storage: Storage }): DueIndex {
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    putIn: (ref, ms) => storage.index.putIn(INDEX, member(ref), ms),
    putWithin: (ref, ms) => storage.index.putWithin(INDEX, member(ref), ms),
    remove: (ref) => storage.index.remove(INDEX, member(ref)),
    async setAside(ref) {
      await storage.index.putIn(ASIDE, member(ref), 0);
      await storage.index.remove(INDEX, member(ref));
    },
    async takeBack() {
      for (;;) {
        const members = await storage.index.upTo(ASIDE, Number.POSITIVE_INFINITY, BATCH);
        for (const name of members) {
          await storage.index.putIn(INDEX, name, 0);
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
        // A name that this house doesn't give would stay due for ever, in the way of all others.
        if (member(ref) === text) refs.push(ref);
        else await storage.index.remove(INDEX, text);
      }
      return refs;
    },
  };
}

/** After so long nothing is looked for any more. */
export const SEARCHED_MS = 24 * 3600_000;
/** How long after what a trace is looked for again, in seconds; the last one goes on until the day is over. */
const SEARCH_S = [2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];
/** Whoever takes an operation up has this long before another does; also the pace of saying what could not be said. */
export const TAKEN_MS = 10_000;
/** What is on a list of the service says there how it stands, for as long as anybody waits for it. */
const LISTED_MS = 30 * 24 * 3600_000;
/** How long after its order a delivery is looked for in the logs, in seconds; the last one goes on until the day is over. */
const DELIVERY_S = [30, 60, 120, 300, 600, 1_800, 3_600];

/** In how many milliseconds an operation whose user was told is to be looked at again; `undefined`: it waits for nothing. */
export type NextLook = (operation: Operation) => Promise<number | undefined>;

export function createNextLook(deps: {
  kinds: Kinds;
  /** Whether the service's events of the account come here: then its logs tell of deliveries too. */
  reported: (account: number) => Promise<boolean>;
  now: () => number;
}): NextLook {
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
 * In how many milliseconds traces are looked for again, after so many looks, `age` milliseconds after the request: what
 * was looked at more often by hand isn't left alone for longer.
 */
export function searchAgainMs(looks: number, age: number): number {
  const [first = 1] = SEARCH_S;
  const seconds = SEARCH_S[Math.min(looks, SEARCH_S.length) - 1] ?? first;
  return Math.min(1000 * seconds, Math.max(1000 * first, 2 * age));
}

/** Epoch milliseconds: when traces are looked for next by themselves; `undefined`: never again, or not known. */
export function nextSearchAt({ state, search, sentAt = 0 }: Operation): number | undefined {
  if (state !== 'unknown' || search?.at === undefined || search.over) return undefined;
  return search.at + searchAgainMs(search.count, search.at - sentAt);
}

/** Whether it is time to look for its delivery, rather than to wait for the event. */
export function isOverdue({ settledAt }: Operation, now: number): boolean {
  return now - (settledAt ?? 0) >= 1000 * (DELIVERY_S[0] ?? 0);
}

/**
 * Takes an operation whose user was told out of the due index. What came meanwhile, and could not be told, may have been
 * entered just before: it is seen in the record, and entered again.
 */
export async function leaveDue(
  { store, dueIndex }: { store: Pick<OperationStore, 'readable'>; dueIndex: DueIndex },
  ref: OperationRef,
): Promise<void> {
  await dueIndex.remove(ref);
  const present = await store.readable(ref);
  if (typeof present !== 'object') return;
  const { notified, revision } = present.operation;
  if (notified < revision) await dueIndex.putIn(ref, 0);
}
