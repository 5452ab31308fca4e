import { z } from 'zod';
import { readJson, untilWritten } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

const DAY_MS = 24 * 3600_000;
/** Yesterday's is still of interest. */
const KEPT_MS = 3 * DAY_MS;
/** A flood of refusals costs the storage one write in this time. */
const FLUSH_MS = 5_000;
const RECENT = 10;
/** Upper ends of what delays are counted by, in milliseconds. */
const STEPS_MS = [100, 500, 1_000, 5_000, 30_000, 300_000];

/** Why a delivery wasn't taken: said to admins alone. */
export const REFUSALS = ['hook', 'rate', 'size', 'signature', 'body', 'old', 'storage'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What no date can be made of isn't ours. */
const time = z.number().min(0).max(8.64e15);

const tallySchema = z.object({
  counts: z.record(z.string(), z.number()),
  /** The latest, oldest first; `at` in epoch milliseconds. */
  events: z.array(z.object({ at: time, account: z.number(), type: z.string(), how: z.string() })),
  refusals: z.array(z.object({ at: time, why: z.enum(REFUSALS) })),
});
type Counted = z.infer<typeof tallySchema>;

/** What came in within a day (UTC), of all replicas. */
export interface DaysEvents {
  taken: number;
  /** Found in the service's log, after they had not arrived. */
  missed: number;
  copies: number;
  refused: Readonly<Record<Refusal, number>>;
  /** From arrival until it was handled, and from then until somebody was told, in milliseconds: half were within. */
  handledMs: { half: number; most: number } | undefined;
  toldMs: { half: number; most: number } | undefined;
  events: Counted['events'];
  refusals: Counted['refusals'];
}

/** Counts what becomes of events, for admins. What a process that is killed hadn't yet written is lost. */
export interface Tally {
  came(account: number, type: string, how: 'sent' | 'logged' | 'copy'): void;
  refused(why: Refusal): void;
  handled(ms: number): void;
  told(ms: number): void;
  /** Of the day that holds `at`, in epoch milliseconds. */
  day(at: number): Promise<DaysEvents>;
  /** Writes what isn't written yet. */
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

  /** One after another: whoever asks then reads what was being written. */
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
      // While the storage was away, of all times, there is something to be counted.
      pending = merged(counted, pending);
      throw err;
    });
  }

  async function write(key: string, counted: Counted): Promise<void> {
    await untilWritten(async () => {
      const text = await storage.get(key);
      const content = JSON.stringify(merged(readJson(tallySchema, text) ?? nothing(), counted));
      const written =
        text === undefined
          ? storage.add(key, content, { ttlMs: KEPT_MS })
          : storage.replace(key, text, content, { ttlMs: KEPT_MS });
      return (await written) ? true : undefined;
    });
  }

  function count(name: string): void {
    pending.counts[name] = (pending.counts[name] ?? 0) + 1;
    // Nobody's event waits for its being counted.
    if (now() - flushedAt >= FLUSH_MS) soon();
    // What came last must not wait for what comes next: an admin may ask another replica.
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

/** Replicas write after one another what came to them at once. */
function latest<Item extends { at: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => one.at - other.at).slice(-RECENT);
}

/** Within which time half of them were, and all but one of a hundred. */
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
