import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { untilWritten } from '../storage/contention.ts';
import { readJson } from '../storage/read-json.ts';
import type { Storage } from '../storage/storage.ts';
import type { Operation } from './operation.ts';

const DAY_MS = 24 * 3600_000;
/** The longest time that is asked for, in days. */
export const COUNTED_DAYS = 30;
const KEPT_MS = (COUNTED_DAYS + 2) * DAY_MS;
/** However many settle, a day's record costs one write of a process in this time. */
const FLUSH_MS = 2_000;

/** How an operation ended; `failed`: an order that was charged and came to nothing. */
export const SETTLED = ['done', 'failed', 'refused', 'closed'] as const;
export type Settled = (typeof SETTLED)[number];

/** By `kind:outcome`. `write`: two processes that count the same at once must not write the same. */
const daySchema = z.object({ counts: z.record(z.string(), z.number()), write: z.string() });
type Counts = z.infer<typeof daySchema>['counts'];

/** How many of a kind ended in a way, within some days. */
export type CountOf = (kind: string, outcome: Settled) => number;

/**
 * How many operations ended how, by the day (UTC) when they were settled. Each is counted by the process whose write
 * settled it, in memory, and written with others soon after: no request waits for it. What a process that is killed had
 * counted within the last two seconds is lost, and what it settled by a write whose answer was lost; one that was settled
 * again after its record was lost counts twice. A corrected outcome is moved to what it is now.
 */
export interface SettledCounts {
  /** A record was written, in place of another. */
  changed(before: Operation | undefined, after: Operation): void;
  /** Of the day that holds `at` (epoch milliseconds) and those before it, so many in all: one answer for each of `spans`. */
  upTo<const Spans extends readonly number[]>(
    at: number,
    spans: Spans,
  ): Promise<{ [Span in keyof Spans]: CountOf }>;
  /** Writes what isn't written yet. */
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

  /** One after another: whoever asks then reads what was being written. */
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
    await untilWritten(async () => {
      const text = await storage.get(key);
      const content = JSON.stringify({ counts: sum(countsIn(text), counts), write: randomUUID() });
      const written =
        text === undefined
          ? storage.add(key, content, { ttlMs: KEPT_MS })
          : storage.replace(key, text, content, { ttlMs: KEPT_MS });
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
