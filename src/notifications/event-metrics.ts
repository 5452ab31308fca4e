import { z } from 'zod';
import { DAY_MS, MINUTE_MS, utcDay } from '../platform/clock.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';

/** Minimum time between two writes in milliseconds. A flood of rejected requests causes few writes. */
const FLUSH_MS = 5_000;
const MAX_RECENT = 10;
const BUCKETS_MS = [100, 500, 1_000, 5_000, 30_000, 5 * MINUTE_MS, Number.MAX_SAFE_INTEGER];

/** Reasons to reject a webhook request, shown to admins. `hook`: no account has its URL. */
export const REJECTION_REASONS = ['hook', 'rate', 'size', 'signature', 'body', 'old', 'storage'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Epoch milliseconds that a `Date` can represent. */
const epochMs = z.number().min(0).max(8.64e15);

const countsSchema = z.object({
  counts: z.record(z.string(), z.number()),
  /** Latest events, oldest first. `at` is in epoch milliseconds. */
  events: z.array(z.object({ at: epochMs, account: z.number(), type: z.string(), source: z.string() })),
  rejections: z.array(z.object({ at: epochMs, reason: z.enum(REJECTION_REASONS) })),
});
type Counts = z.infer<typeof countsSchema>;

const noCounts = (): Counts => ({ counts: {}, events: [], rejections: [] });

/** Counts of one day (UTC). A stored text that doesn't match the schema is overwritten. */
export const EVENT_METRICS = defineRecord({
  keys: 'event-metrics:date',
  content: 'Number of events that arrived or were rejected, and why',
  schema: countsSchema.catch(noCounts),
  // Longer than a day, because admins can still read the counts of the previous day.
  ttlMs: 3 * DAY_MS,
  signed: false,
  retained: { elsewhere: 'kept-account' },
});

/** Median and 99th percentile of delays in milliseconds, each as the upper bound of its bucket. */
interface DelaySummary {
  median: number;
  p99: number;
}

/** Events of one day (UTC), counted over all replicas. */
export interface DailyEventMetrics {
  received: number;
  /** Events found in the service's log, because their webhook requests hadn't arrived. */
  recovered: number;
  duplicates: number;
  rejected: Readonly<Record<RejectionReason, number>>;
  /** Delays from an event's arrival until it is handled. */
  handledMs: DelaySummary | undefined;
  /** Delays from queueing a notification until it is sent. */
  sentMs: DelaySummary | undefined;
  events: Counts['events'];
  rejections: Counts['rejections'];
}

export const EVENT_SOURCES = ['webhook', 'log', 'duplicate'] as const;

/** Gets everything that is counted, at once. */
export interface EventObserver {
  eventReceived(source: (typeof EVENT_SOURCES)[number]): void;
  requestRejected(reason: RejectionReason): void;
  eventHandled(delayMs: number): void;
  notificationSent(delayMs: number): void;
}

export type EventMetrics = ReturnType<typeof createEventMetrics>;

/** Counts events and their results, for admins. If the process is killed, unwritten counts are lost. */
export function createEventMetrics(deps: {
  records: SignedRecords;
  eventObserver?: EventObserver | undefined;
  now: () => number;
}) {
  const { records, eventObserver, now } = deps;
  const days = records.store(EVENT_METRICS);
  const dayOf = (at: number) => ({ date: utcDay(at) });
  let pending = noCounts();
  let flushedAt = Number.NEGATIVE_INFINITY;
  let flushing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Waits for the previous write, then writes pending counts. A caller can then read both. */
  function flush(): Promise<void> {
    flushing = flushing.catch(() => undefined).then(writePending);
    return flushing;
  }

  async function writePending(): Promise<void> {
    const counted = pending;
    if (Object.keys(counted.counts).length === 0) return;
    pending = noCounts();
    flushedAt = now();
    const write = days.update(dayOf(flushedAt), (before = noCounts()) => merge(before, counted));
    await write.catch((err: unknown) => {
      pending = merge(counted, pending);
      throw err;
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
    eventReceived(account: number, type: string, source: (typeof EVENT_SOURCES)[number]): void {
      eventObserver?.eventReceived(source);
      if (source !== 'duplicate')
        pending.events = [...pending.events, { at: now(), account, type, source }].slice(-MAX_RECENT);
      count(source);
    },
    requestRejected(reason: RejectionReason): void {
      eventObserver?.requestRejected(reason);
      pending.rejections = [...pending.rejections, { at: now(), reason }].slice(-MAX_RECENT);
      count(`rejected:${reason}`);
    },
    eventHandled(delayMs: number): void {
      eventObserver?.eventHandled(delayMs);
      countDelay('handled', delayMs);
    },
    notificationSent(delayMs: number): void {
      eventObserver?.notificationSent(delayMs);
      countDelay('notified', delayMs);
    },
    /** Returns the counts of the day (UTC) that contains `at` (epoch milliseconds). */
    async readDay(at: number): Promise<DailyEventMetrics> {
      await flush();
      const { counts, events, rejections } = (await days.get(dayOf(at))) ?? noCounts();
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
    async close(): Promise<void> {
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

/** Returns the latest items by time. Replicas write one after another, so items may be out of order. */
function latest<Item extends { at: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => a.at - b.at).slice(-MAX_RECENT);
}

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
