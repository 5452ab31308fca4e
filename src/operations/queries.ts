// Read models of operations: history, last prices, daily counts, and lists of unfinished operations.

import { randomUUID } from 'node:crypto';
import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { readJson, retryOnConflict } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { OperationRequest, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import { isUncertain, isUnresolved, type Operation, type OperationRef } from './operation.ts';
import type { DueIndex } from './recheck-schedule.ts';
import type { OperationStore } from './store.ts';

/** TTL of the index: as long as the operations themselves. */
const HISTORY_TTL_MS = 90 * 24 * 3600_000;
/** Number of operations that are read at once. */
const READ = 20;
/** Maximum operations that are read for one page. */
const MAX_READ = 200;

interface Page {
  /** Latest first. */
  operations: Operation[];
  /** Number of operations within this page whose records can't be read. */
  unreadable: number;
  /** Id of the operation after which the next page begins. `undefined` if nothing older is known. */
  older: string | undefined;
}

/** Confirmed operations of a user within the last 90 days. */
export interface History {
  add(operation: Operation): Promise<void>;
  /**
   * Returns at most `size` operations, latest first. Begins after the operation `after`, if given. `kind` restricts the
   * page to one kind.
   */
  page(
    user: number,
    about: { size: number; after?: string | undefined; kind?: OperationRequest['kind'] | undefined },
  ): Promise<Page>;
}

export function createHistory({
  storage,
  store,
}: {
  storage: Pick<Storage, 'index'>;
  store: Pick<OperationStore, 'readable'>;
}): History {
  const { index } = storage;
  const keyOf = (user: number) => `operations-of-user:{${user}}`;

  /** Removes entries whose records have expired. Removes two for each added one, so that their number shrinks. */
  async function forgetOld(user: number, until: number): Promise<void> {
    const old = await index.upTo(keyOf(user), until, 2);
    await Promise.all(old.map((id) => index.remove(keyOf(user), id)));
  }

  return {
    async add({ user, id, claimedAt = 0 }) {
      await Promise.all([
        index.put(keyOf(user), id, claimedAt, { ttlMs: HISTORY_TTL_MS }),
        forgetOld(user, claimedAt - HISTORY_TTL_MS),
      ]);
    },
    async page(user, { size, after, kind }) {
      const operations: Operation[] = [];
      let unreadable = 0;
      let last = after;
      for (let seen = 0; seen < MAX_READ; seen += READ) {
        const ids = await (last === undefined
          ? index.last(keyOf(user), READ)
          : index.before(keyOf(user), last, READ));
        const found = await Promise.all(ids.map((id) => store.readable({ user, id })));
        for (const one of found) {
          if (typeof one === 'string') unreadable += 1;
          if (typeof one !== 'object') continue;
          const { operation } = one;
          if (kind !== undefined && operation.request.kind !== kind) continue;
          // There is one more operation than fits on the page, so there is a next page.
          if (operations.length === size) return { operations, unreadable, older: operations.at(-1)?.id };
          operations.push(operation);
        }
        if (ids.length < READ) return { operations, unreadable, older: undefined };
        last = ids.at(-1);
      }
      return { operations, unreadable, older: last };
    },
  };
}

/** TTL of a price, in milliseconds. Older prices say nothing about current ones. */
const PRICE_TTL_MS = 30 * 24 * 3600_000;

const seenSchema = z.object({
  amount: z.number(),
  price: z.string(),
  transferFee: z.string().optional(),
  variant: z.string().optional(),
});

/** Last prices that an account paid, for estimates if the service names no prices. */
export interface LastPrices {
  keep(account: number, request: OperationRequest, result: Result): Promise<void>;
  /** Returns an estimate in TRX (decimal), in proportion to the last order of the same kind and duration. */
  estimate(
    account: number,
    kind: string,
    wanted: { amount: number; hours: number },
  ): Promise<string | undefined>;
  /** Returns the fee per transfer of the last operation of this kind, in TRX (decimal), if that was of this variant. */
  transferFee(account: number, kind: string, variant: string): Promise<string | undefined>;
}

/** Duration of a kind that is paid by the day, in hours. */
const DAY_H = 24;

export function createLastPrices({ storage, kinds }: { storage: Storage; kinds: Kinds }): LastPrices {
  const keyOf = (account: number, kind: string, hours: number) => `last-price:${account}:${kind}:${hours}`;
  return {
    async keep(account, request, { price, transferFee }) {
      const priced = kinds.of(request).priced?.(request);
      if (price === undefined || priced === undefined) return;
      const seen = { amount: priced.amount, price, transferFee, variant: priced.variant };
      await storage.set(keyOf(account, request.kind, priced.hours), JSON.stringify(seen), {
        ttlMs: PRICE_TTL_MS,
      });
    },
    async estimate(account, kind, { amount, hours }) {
      const seen = readJson(seenSchema, await storage.get(keyOf(account, kind, hours)));
      if (seen === undefined) return undefined;
      return new BigNumber(seen.price).times(amount).div(seen.amount).toFixed(6);
    },
    async transferFee(account, kind, variant) {
      const seen = readJson(seenSchema, await storage.get(keyOf(account, kind, DAY_H)));
      return seen?.variant === variant ? seen.transferFee : undefined;
    },
  };
}

const DAY_MS = 24 * 3600_000;
/** Longest period that callers ask for, in days. */
export const COUNTED_DAYS = 30;
const COUNTS_TTL_MS = (COUNTED_DAYS + 2) * DAY_MS;
/**
 * Interval of writes, in milliseconds. A process writes a day's record once per interval, however many operations
 * settle.
 */
const FLUSH_MS = 2_000;

/** Outcomes that are counted. `failed`: an order that was charged but not delivered. */
export const SETTLED = ['done', 'failed', 'refused', 'closed'] as const;
type Settled = (typeof SETTLED)[number];

/**
 * Counts by `kind:outcome`. `write` is random, so that two processes with the same counts don't write the same text.
 */
const daySchema = z.object({ counts: z.record(z.string(), z.number()), write: z.string() });
type Counts = z.infer<typeof daySchema>['counts'];

/** Returns how many operations of a kind ended with an outcome within a period. */
export type CountOf = (kind: string, outcome: Settled) => number;

/**
 * Counts of outcomes by the day (UTC) on which the operations were settled. The process whose write settled an
 * operation counts it in memory and stores its counts soon after, so no request waits.
 *
 * Counts can be wrong in three cases. A killed process loses its counts of the last two seconds. An operation isn't
 * counted if the reply to its settling write was lost. An operation that is settled again after its record was lost
 * counts twice.
 *
 * If an outcome is corrected, its count moves to the new outcome.
 */
export interface SettledCounts {
  /** Called after a record was written in place of another one. */
  changed(before: Operation | undefined, after: Operation): void;
  /**
   * Returns the counts of the day that contains `at` (epoch milliseconds) and the days before it. Each of `spans` is a
   * number of days and gets its own result.
   */
  upTo<const Spans extends readonly number[]>(
    at: number,
    spans: Spans,
  ): Promise<{ [Span in keyof Spans]: CountOf }>;
  /** Writes all pending counts. */
  close(): Promise<void>;
}

export function createSettledCounts({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  now: () => number;
}): SettledCounts {
  const pending = new Map<string, Counts>();
  let flushing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function count({ request, settledAt = now() }: Operation, outcome: Settled, by: 1 | -1): void {
    const key = keyOf(settledAt);
    pending.set(key, sum(pending.get(key) ?? {}, { [`${request.kind}:${outcome}`]: by }));
    timer ??= setTimeout(soon, FLUSH_MS).unref();
  }

  function soon(): void {
    clearTimeout(timer);
    timer = undefined;
    void flush().catch(() => {
      timer ??= setTimeout(soon, FLUSH_MS).unref();
    });
  }

  /** Writes sequentially, so that a caller who reads afterwards gets the counts of all earlier writes. */
  function flush(): Promise<void> {
    flushing = flushing.catch(() => undefined).then(writePending);
    return flushing;
  }

  async function writePending(): Promise<void> {
    for (const [key, counts] of pending) {
      pending.delete(key);
      await write(key, counts).catch((err: unknown) => {
        pending.set(key, sum(counts, pending.get(key) ?? {}));
        throw err;
      });
    }
  }

  async function write(key: string, counts: Counts): Promise<void> {
    await retryOnConflict(async () => {
      const text = await storage.get(key);
      const content = JSON.stringify({ counts: sum(countsIn(text), counts), write: randomUUID() });
      const written =
        text === undefined
          ? storage.add(key, content, { ttlMs: COUNTS_TTL_MS })
          : storage.replace(key, text, content, { ttlMs: COUNTS_TTL_MS });
      return (await written) ? true : undefined;
    });
  }

  return {
    changed(before, after) {
      const [was, is] = [before && outcomeOf(before), outcomeOf(after)];
      if (was === is) return;
      if (before && was) count(before, was, -1);
      if (is) count(after, is, 1);
    },
    async upTo(at, spans) {
      await flush();
      const days = Array.from({ length: Math.max(...spans) }, (_, ago) => keyOf(at - ago * DAY_MS));
      const read = await Promise.all(days.map(async (key) => countsIn(await storage.get(key))));
      const counted = spans.map((span): CountOf => {
        const counts = read.slice(0, span).reduce(sum, {});
        return (kind, outcome) => Math.max(0, counts[`${kind}:${outcome}`] ?? 0);
      });
      return counted as { [Span in keyof typeof spans]: CountOf };
    },
    async close() {
      clearTimeout(timer);
      await flush().catch(() => undefined);
    },
  };
}

function keyOf(at: number): string {
  return `operations-of-day:${new Date(at).toISOString().slice(0, 10)}`;
}

function countsIn(text: string | undefined): Counts {
  return readJson(daySchema, text)?.counts ?? {};
}

function outcomeOf({ state, result }: Operation): Settled | undefined {
  if (state === 'done') return result?.status === 'failed' ? 'failed' : 'done';
  return state === 'refused' || state === 'closed' ? state : undefined;
}

function sum(one: Counts, other: Counts): Counts {
  const counts = { ...one };
  for (const [name, count] of Object.entries(other)) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

/** Maximum operations that are counted. */
const COUNTED = 200;

/** Number of confirmed operations without a known outcome. If `isMore`, there may be more than these. */
export interface UnderWay {
  /** Claimed or sent operations without a reply. */
  going: number;
  /** Operations with an uncertain outcome, including all that are listed as unresolved. */
  uncertain: number;
  isMore: boolean;
}

/**
 * Creates a function that counts the scheduled and the unresolved operations. It needs few reads, however many there
 * are.
 */
export function createUnderWay(deps: {
  store: Pick<OperationStore, 'readable'>;
  dueIndex: Pick<DueIndex, 'watched'>;
  unresolved: Pick<Unresolved, 'list'>;
}): () => Promise<UnderWay> {
  return async () => {
    const [refs, listed] = await Promise.all([deps.dueIndex.watched(COUNTED + 1), deps.unresolved.list()]);
    const found = await Promise.all(refs.slice(0, COUNTED).map(deps.store.readable));
    const operations = found.flatMap((one) => (typeof one === 'object' ? [one.operation] : []));
    const uncertain = [...operations, ...listed.operations].filter(isUncertain);
    return {
      going: operations.filter(({ state }) => state === 'claimed' || state === 'sent').length,
      uncertain: new Set(uncertain.map(({ user, id }) => `${user}/${id}`)).size + listed.unreadable,
      isMore: refs.length > COUNTED || listed.isMore,
    };
  };
}

const INDEX = 'unresolved';
/** TTL of the index: as long as the operations themselves. */
const UNRESOLVED_TTL_MS = 90 * 24 * 3600_000;
/** Maximum operations that are listed. When an admin resolves some of them, others are listed. */
const MAX_UNRESOLVED = 200;
/**
 * Age from which a claimed or sent operation counts as stuck, in milliseconds. A request takes half a minute at most.
 */
const STUCK_MS = 60_000;

interface Listed {
  /** Oldest first. */
  operations: Operation[];
  /** Number of listed operations whose records this version can't read. */
  unreadable: number;
  /** Whether there are more operations than listed. */
  isMore: boolean;
}

/**
 * Operations of all users whose outcome is uncertain, and those that are stuck before. The reconciler adds them a few
 * seconds after their request, so successful operations cost nothing here.
 */
export interface Unresolved {
  /** Adds the operation if it is uncertain or stuck. */
  seen(operation: Operation): Promise<void>;
  /** Removes an operation that is settled. */
  left(ref: OperationRef): Promise<void>;
  list(): Promise<Listed>;
}

export function createUnresolved(deps: {
  storage: Pick<Storage, 'index'>;
  store: Pick<OperationStore, 'readable'>;
  now: () => number;
}): Unresolved {
  const { store, now } = deps;
  const { index } = deps.storage;
  const memberOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  async function entry(member: string) {
    const [user, id = ''] = member.split('/');
    const stored = await store.readable({ user: Number(user), id });
    if (typeof stored === 'string') return 'unreadable';
    if (stored && isUnresolved(stored.operation)) return stored.operation;
    // Settled without an update of this list, or deleted.
    await index.remove(INDEX, member);
    return undefined;
  }

  return {
    async seen(operation) {
      const { claimedAt = 0, sentAt = claimedAt } = operation;
      const isStuck = isUnresolved(operation) && now() - sentAt > STUCK_MS;
      if (isUncertain(operation) || isStuck)
        await index.put(INDEX, memberOf(operation), sentAt, { ttlMs: UNRESOLVED_TTL_MS });
    },
    left: (ref) => index.remove(INDEX, memberOf(ref)),
    async list() {
      const members = await index.upTo(INDEX, Number.POSITIVE_INFINITY, MAX_UNRESOLVED + 1);
      const entries = await Promise.all(members.slice(0, MAX_UNRESOLVED).map(entry));
      const operations = entries.filter((one) => one !== undefined && one !== 'unreadable');
      const unreadable = entries.filter((one) => one === 'unreadable').length;
      return { operations, unreadable, isMore: members.length > MAX_UNRESOLVED };
    },
  };
}
