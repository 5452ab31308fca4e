import { z } from 'zod';
import { readJson, retryOnConflict } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

const DAY_MS = 24 * 3600_000;
/**
 * TTL of a day's counts, in milliseconds. Longer than a day, because admins can still read those of the previous day.
 */
const TTL_MS = 3 * DAY_MS;
/** Minimum time between two writes in milliseconds, so that a flood of rejected requests causes few writes. */
const FLUSH_MS = 5_000;
const RECENT = 10;
/** Upper bounds of the delay buckets, in milliseconds. */
const STEPS_MS = [100, 500, 1_000, 5_000, 30_000, 300_000];

/** Reasons to reject a webhook request. Only admins see them. */
export const REFUSALS = ['hook', 'rate', 'size', 'signature', 'body', 'old', 'storage'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Epoch milliseconds that a `Date` can represent. */
const time = z.number().min(0).max(8.64e15);

const tallySchema = z.object({
  counts: z.record(z.string(), z.number()),
  /** Latest events, oldest first. `at` is in epoch milliseconds. */
  events: z.array(z.object({ at: time, account: z.number(), type: z.string(), how: z.string() })),
  refusals: z.array(z.object({ at: time, why: z.enum(REFUSALS) })),
});
type Counted = z.infer<typeof tallySchema>;

/** Events of one day (UTC), counted over all replicas. */
export interface DaysEvents {
  taken: number;
  /** Found in the service's log after their webhook requests hadn't arrived. */
  missed: number;
  copies: number;
  refused: Readonly<Record<Refusal, number>>;
  /**
   * Delays in milliseconds: of events from arrival until handled, and of notifications from queueing until sent. `half`
   * is the median and `most` the 99th percentile, each as the upper bound of its bucket.
   */
  handledMs: { half: number; most: number } | undefined;
  toldMs: { half: number; most: number } | undefined;
  events: Counted['events'];
  refusals: Counted['refusals'];
}

/** Counts events and their results, for admins. Counts that weren't written yet are lost if the process is killed. */
export interface Tally {
  came(account: number, type: string, how: 'sent' | 'logged' | 'copy'): void;
  refused(why: Refusal): void;
  handled(ms: number): void;
  told(ms: number): void;
  /** Returns the counts of the day (UTC) that contains `at` (epoch milliseconds). */
  day(at: number): Promise<DaysEvents>;
  /** Writes pending counts. */
  close(): Promise<void>;
}

const nothing = (): Counted => ({ counts: {}, events: [], refusals: [] });

export function createTally({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  now: () => number;
}): Tally {
  const keyOf = (at: number) => `events-of-day:${new Date(at).toISOString().slice(0, 10)}`;
  let pending = nothing();
  let flushedAt = Number.NEGATIVE_INFINITY;
  let flushing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Writes pending counts after the previous write has ended, so that a caller then reads both. */
  function flush(): Promise<void> {
    flushing = flushing.catch(() => undefined).then(writePending);
    return flushing;
  }

  async function writePending(): Promise<void> {
    const counted = pending;
    if (Object.keys(counted.counts).length === 0) return;
    pending = nothing();
    flushedAt = now();
    await write(keyOf(flushedAt), counted).catch((err: unknown) => {
      // Keeps the counts for the next write: events during a storage outage count, too.
      pending = merged(counted, pending);
      throw err;
    });
  }

  async function write(key: string, counted: Counted): Promise<void> {
    await retryOnConflict(async () => {
      const text = await storage.get(key);
      const content = JSON.stringify(merged(readJson(tallySchema, text) ?? nothing(), counted));
      const written =
        text === undefined
          ? storage.add(key, content, { ttlMs: TTL_MS })
          : storage.replace(key, text, content, { ttlMs: TTL_MS });
      return (await written) ? true : undefined;
    });
  }

  function count(name: string): void {
    pending.counts[name] = (pending.counts[name] ?? 0) + 1;
    // Runs in the background: events don't wait for their counts to be written.
    if (now() - flushedAt >= FLUSH_MS) soon();
    // Writes the last counts even if no further event arrives: an admin may ask another replica.
    else later();
  }

  function later(): void {
    timer ??= setTimeout(soon, FLUSH_MS).unref();
  }

  function soon(): void {
    clearTimeout(timer);
    timer = undefined;
    void flush().catch(later);
  }

  const delay = (name: string, ms: number) =>
    count(`${name}:${STEPS_MS.find((step) => ms <= step) ?? Number.MAX_SAFE_INTEGER}`);

  return {
    came(account, type, how) {
      if (how !== 'copy')
        pending.events = [...pending.events, { at: now(), account, type, how }].slice(-RECENT);
      count(how);
    },
    refused(why) {
      pending.refusals = [...pending.refusals, { at: now(), why }].slice(-RECENT);
      count(`refused:${why}`);
    },
    handled: (ms) => delay('handled', ms),
    told: (ms) => delay('told', ms),
    async day(at) {
      await flush();
      const { counts, events, refusals } = readJson(tallySchema, await storage.get(keyOf(at))) ?? nothing();
      const of = (name: string) => counts[name] ?? 0;
      const refused = Object.fromEntries(REFUSALS.map((why) => [why, of(`refused:${why}`)]));
      return {
        ...{ taken: of('sent'), missed: of('logged'), copies: of('copy') },
        refused: refused as Record<Refusal, number>,
        handledMs: spread(counts, 'handled'),
        toldMs: spread(counts, 'told'),
        ...{ events, refusals },
      };
    },
    async close() {
      clearTimeout(timer);
      await flush().catch(() => undefined);
    },
  };
}

function merged(before: Counted, more: Counted): Counted {
  const counts = { ...before.counts };
  for (const [name, count] of Object.entries(more.counts)) counts[name] = (counts[name] ?? 0) + count;
  return {
    counts,
    events: latest([...before.events, ...more.events]),
    refusals: latest([...before.refusals, ...more.refusals]),
  };
}

/** Returns the latest items by time. Replicas write one after another, so merged items may be out of order. */
function latest<Item extends { at: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => one.at - other.at).slice(-RECENT);
}

/** Returns median and 99th percentile as upper bounds of their buckets, or `undefined` if there are no counts. */
function spread(counts: Counted['counts'], name: string): DaysEvents['handledMs'] {
  const steps = [...STEPS_MS, Number.MAX_SAFE_INTEGER].map((ms) => ({
    ms,
    count: counts[`${name}:${ms}`] ?? 0,
  }));
  const all = steps.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return undefined;
  const upTo = (last: number) => steps.slice(0, last + 1).reduce((sum, { count }) => sum + count, 0);
  const within = (part: number) =>
    steps.find((_, at) => upTo(at) >= part * all)?.ms ?? Number.MAX_SAFE_INTEGER;
  return { half: within(0.5), most: within(0.99) };
}
