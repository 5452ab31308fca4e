import { z } from 'zod';
import { readJson, retryOnConflict } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';

const DAY_MS = 24 * 3600_000;

/** Counts of one day (UTC). A stored text that doesn't match the schema is overwritten. */
export const EVENT_METRICS = {
  keys: 'event-metrics:date',
  content: 'Number of events that arrived or were rejected, and why',
  expiry: '3 days',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;
/** Longer than a day, because admins can still read the counts of the previous day. */
const TTL_MS = 3 * DAY_MS;
/** Minimum time between two writes in milliseconds, so that a flood of rejected requests causes few writes. */
const FLUSH_MS = 5_000;
const MAX_RECENT = 10;
/** Upper bounds of the delay buckets, in milliseconds. */
const BUCKETS_MS = [100, 500, 1_000, 5_000, 30_000, 300_000, Number.MAX_SAFE_INTEGER];

/** Reasons to reject a webhook request. Only admins see them. `hook`: no account has its URL. */
export const REJECTION_REASONS = ['hook', 'rate', 'size', 'signature', 'body', 'old', 'storage'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Epoch milliseconds that a `Date` can represent. */
const time = z.number().min(0).max(8.64e15);

const countsSchema = z.object({
  counts: z.record(z.string(), z.number()),
  /** Latest events, oldest first. `at` is in epoch milliseconds. */
  events: z.array(z.object({ at: time, account: z.number(), type: z.string(), source: z.string() })),
  rejections: z.array(z.object({ at: time, reason: z.enum(REJECTION_REASONS) })),
});
type Counts = z.infer<typeof countsSchema>;

/** Median and 99th percentile of delays in milliseconds, each as the upper bound of its bucket. */
interface DelaySummary {
  median: number;
  p99: number;
}

/** Events of one day (UTC), counted over all replicas. */
export interface DailyEventMetrics {
  /** New events from webhook requests. */
  received: number;
  /** Events found in the service's log after their webhook requests hadn't arrived. */
  recovered: number;
  duplicates: number;
  rejected: Readonly<Record<RejectionReason, number>>;
  /** Delays of events from arrival until handled. */
  handledMs: DelaySummary | undefined;
  /** Delays of notifications from queueing until sent. */
  sentMs: DelaySummary | undefined;
  events: Counts['events'];
  rejections: Counts['rejections'];
}

/** Counts events and their results, for admins. Counts that weren't written yet are lost if the process is killed. */
export interface EventMetrics {
  eventReceived(account: number, type: string, source: 'webhook' | 'log' | 'duplicate'): void;
  requestRejected(reason: RejectionReason): void;
  eventHandled(delayMs: number): void;
  notificationSent(delayMs: number): void;
  /** Returns the counts of the day (UTC) that contains `at` (epoch milliseconds). */
  readDay(at: number): Promise<DailyEventMetrics>;
  /** Writes pending counts. */
  close(): Promise<void>;
}

const noCounts = (): Counts => ({ counts: {}, events: [], rejections: [] });

export function createEventMetrics({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  now: () => number;
}): EventMetrics {
  const keyOfDay = (at: number) =>
    keyOf(EVENT_METRICS.keys, { date: new Date(at).toISOString().slice(0, 10) });
  let pending = noCounts();
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
    pending = noCounts();
    flushedAt = now();
    await write(keyOfDay(flushedAt), counted).catch((err: unknown) => {
      // Keeps the counts for the next write: events during a storage outage count, too.
      pending = merge(counted, pending);
      throw err;
    });
  }

  async function write(key: string, counted: Counts): Promise<void> {
    await retryOnConflict(async () => {
      const text = await storage.get(key);
      const content = JSON.stringify(merge(readJson(countsSchema, text) ?? noCounts(), counted));
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
    if (now() - flushedAt >= FLUSH_MS) flushNow();
    // Writes the last counts even if no further event arrives: an admin may query another replica.
    else flushLater();
  }

  function flushLater(): void {
    timer ??= setTimeout(flushNow, FLUSH_MS).unref();
  }

  function flushNow(): void {
    clearTimeout(timer);
    timer = undefined;
    void flush().catch(flushLater);
  }

  const countDelay = (name: string, ms: number) =>
    count(`${name}:${BUCKETS_MS.find((boundMs) => ms <= boundMs)}`);

  return {
    eventReceived(account, type, source) {
      if (source !== 'duplicate')
        pending.events = [...pending.events, { at: now(), account, type, source }].slice(-MAX_RECENT);
      count(source);
    },
    requestRejected(reason) {
      pending.rejections = [...pending.rejections, { at: now(), reason }].slice(-MAX_RECENT);
      count(`rejected:${reason}`);
    },
    eventHandled: (delayMs) => countDelay('handled', delayMs),
    notificationSent: (delayMs) => countDelay('notified', delayMs),
    async readDay(at) {
      await flush();
      const stored = readJson(countsSchema, await storage.get(keyOfDay(at)));
      const { counts, events, rejections } = stored ?? noCounts();
      const rejected = Object.fromEntries(
        REJECTION_REASONS.map((reason) => [reason, counts[`rejected:${reason}`] ?? 0]),
      );
      return {
        received: counts.webhook ?? 0,
        recovered: counts.log ?? 0,
        duplicates: counts.duplicate ?? 0,
        rejected: rejected as Record<RejectionReason, number>,
        handledMs: summarizeDelays(counts, 'handled'),
        sentMs: summarizeDelays(counts, 'notified'),
        events,
        rejections,
      };
    },
    async close() {
      clearTimeout(timer);
      await flush().catch(() => undefined);
    },
  };
}

function merge(before: Counts, more: Counts): Counts {
  const counts = { ...before.counts };
  for (const [name, count] of Object.entries(more.counts)) counts[name] = (counts[name] ?? 0) + count;
  return {
    counts,
    events: latest([...before.events, ...more.events]),
    rejections: latest([...before.rejections, ...more.rejections]),
  };
}

/** Returns the latest items by time. Replicas write one after another, so merged items may be out of order. */
function latest<Item extends { at: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => a.at - b.at).slice(-MAX_RECENT);
}

/** Returns `undefined` if no delays were counted. */
function summarizeDelays(counts: Counts['counts'], name: string): DelaySummary | undefined {
  const countUpTo = (maxMs: number) =>
    BUCKETS_MS.filter((boundMs) => boundMs <= maxMs).reduce(
      (sum, boundMs) => sum + (counts[`${name}:${boundMs}`] ?? 0),
      0,
    );
  const total = countUpTo(Number.MAX_SAFE_INTEGER);
  if (total === 0) return undefined;
  const percentile = (share: number) =>
    BUCKETS_MS.find((boundMs) => countUpTo(boundMs) >= share * total) ?? Number.MAX_SAFE_INTEGER;
  return { median: percentile(0.5), p99: percentile(0.99) };
}
