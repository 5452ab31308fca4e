import { DAY_MS } from './clock.ts';
import { createDueQueue, defineDueQueue } from './due-queue.ts';
import { createLogThrottle, type Log } from './log.ts';
import type { Storage } from './storage.ts';

export const RECURRING_WORK = defineDueQueue({
  keys: 'recurring-work',
  ref: { name: 'string' },
  // Each piece of work also has its own interval (`restore`).
  longestMs: DAY_MS,
  content: 'When each piece of recurring work runs next',
  expiry: 'none: a single key',
});

/** Timings in milliseconds. Work of a process that dies runs again after `lease`. */
const TIMINGS = { lease: 8_000, renew: 2_500 };
/** Interval of searches for due work, in milliseconds. Work with shorter intervals shortens it. */
const TICK_MS = 1_000;
/** Maximum time from a failed run to the next one, in milliseconds. */
const RETRY_MS = 60_000;
/** Interval at which missing work is scheduled again, in milliseconds. */
const RESTORE_MS = 10_000;
/** Difference from this process's monotonic clock by which the storage's clock counts as set back, in milliseconds. */
const SET_BACK_MS = 1_000;

export type RecurringWork = ReturnType<typeof createRecurringWork>;

/**
 * Creates recurring work. Each piece of work runs on one replica at a time, or on each replica (`onEachReplica`). The
 * schedule of shared work is a due queue by the storage's clock. If the storage loses the schedule, replicas restore it
 * within ten seconds. A process that was stopped for longer than its lease may run work concurrently with another one, so
 * work must be safe to repeat.
 *
 * @example
 * recurringWork.every('events', 3_000, inbox.run);
 */
export function createRecurringWork(deps: {
  storage: Pick<Storage, 'index' | 'now'>;
  log: Log;
  timings?: typeof TIMINGS | undefined;
}) {
  const { log, timings = TIMINGS } = deps;
  const queue = createDueQueue(RECURRING_WORK, deps);
  const works = new Map<string, { intervalMs: number; run: () => Promise<void> }>();
  const replicaWorks = new Map<number, { name: string; run: () => Promise<void> }[]>();
  const replicaTimers: NodeJS.Timeout[] = [];
  const running = new Map<string, Promise<void>>();
  /**
   * Next runs of work that has run since the last tick, with times by `performance.now`. The next tick schedules them in
   * the round trip of its search for due work.
   */
  const nextRuns = new Map<string, { nextAt: number; leasedUntil: number }>();
  const throttle = createLogThrottle();
  let timer: NodeJS.Timeout | undefined;
  let tick: Promise<void> | undefined;
  let restoredAt = Number.NEGATIVE_INFINITY;
  let clockOffset = Number.NEGATIVE_INFINITY;

  const tickMs = () => Math.min(TICK_MS, ...[...works.values()].map(({ intervalMs }) => intervalMs));

  function warn(err: unknown, job?: string): void {
    const throttled = throttle(`${job} ${err instanceof Error ? err.message : err}`);
    const message = job ? 'recurring work failed' : 'recurring work was not started';
    if (throttled) log.warn({ job, err, ...throttled }, message);
  }

  async function execute(name: string, takenAt: number): Promise<void> {
    const work = works.get(name);
    // This work belongs to another version, whose replicas restore it. If it can't be removed, it comes due again.
    if (work === undefined) return queue.remove({ name }).catch(warn);
    const startedAt = performance.now();
    let leasedUntil = takenAt + timings.lease;
    async function renew(): Promise<void> {
      const at = performance.now();
      await queue.scheduleIn({ name }, timings.lease);
      // After the lease has expired, another replica may be running this work.
      if (at < leasedUntil) leasedUntil = at + timings.lease;
    }
    // The next renewal makes up for a failed one.
    const renewal = setInterval(() => void renew().catch(() => undefined), timings.renew);
    let waitMs = work.intervalMs;
    await work.run().catch((err) => {
      warn(err, name);
      waitMs = Math.min(waitMs, RETRY_MS);
    });
    clearInterval(renewal);
    // A little early, so that the tick at the end of the interval finds it due.
    nextRuns.set(name, { nextAt: startedAt + waitMs - tickMs() / 4, leasedUntil });
  }

  /** Runs missing work at once, and brings forward work that was postponed because the storage's clock was set back. */
  async function restore(): Promise<void> {
    const at = performance.now();
    const previousOffset = clockOffset;
    clockOffset = deps.storage.now() - at;
    if (at - restoredAt < RESTORE_MS && clockOffset > previousOffset - SET_BACK_MS) return;
    restoredAt = at;
    const restored = [...works].flatMap(([name, { intervalMs }]) => [
      queue.scheduleIfMissing({ name }, 0),
      queue.scheduleNoLaterThan({ name }, Math.max(intervalMs, timings.lease)),
    ]);
    await Promise.all(restored);
  }

  async function scheduleNextRuns(): Promise<void> {
    const at = performance.now();
    // Work whose lease has expired comes due by itself. Another replica may be running it.
    const ended = [...nextRuns].filter(([, { leasedUntil }]) => at < leasedUntil);
    // Cleared first, because work may run and end again before the storage responds.
    nextRuns.clear();
    const scheduled = ended.map(async ([name, next]) => {
      try {
        await queue.scheduleIn({ name }, Math.max(0, Math.round(next.nextAt - at)));
      } catch (error) {
        nextRuns.set(name, next);
        throw error;
      }
    });
    await Promise.all(scheduled);
  }

  /** Commands are sent in this order, so that the search finds work that was just scheduled for now. */
  async function runDue(): Promise<void> {
    const takenAt = performance.now();
    await Promise.all([
      restore(),
      scheduleNextRuns(),
      queue.takeDue({ leaseMs: timings.lease, limit: 50 }, ({ name }) => {
        if (running.has(name)) return;
        running.set(
          name,
          execute(name, takenAt).finally(() => running.delete(name)),
        );
      }),
    ]).catch(warn);
  }

  /** Runs work of this replica unless its last run is still going on. */
  function runHere({ name, run }: { name: string; run: () => Promise<void> }): void {
    if (running.has(name)) return;
    running.set(
      name,
      run()
        .catch((err) => warn(err, name))
        .finally(() => running.delete(name)),
    );
  }

  function onTick(): void {
    tick ??= runDue().finally(() => {
      tick = undefined;
    });
  }

  return {
    /**
     * Runs `run` about every `intervalMs`, measured from start to start, and never concurrently. Logs its errors. A run
     * that lasts longer than the interval delays the next one. A failed run is repeated after a minute at most. Call before
     * `start`.
     */
    every(name: string, intervalMs: number, run: () => Promise<void>): void {
      works.set(name, { intervalMs, run });
    },
    /**
     * Runs `run` on this replica every `intervalMs`, whatever other replicas do, and never concurrently with itself. Logs its
     * errors. Call before `start`. The name must differ from those of `every`.
     */
    onEachReplica(name: string, intervalMs: number, run: () => Promise<void>): void {
      replicaWorks.set(intervalMs, [...(replicaWorks.get(intervalMs) ?? []), { name, run }]);
    },
    start(): void {
      onTick();
      timer = setInterval(onTick, tickMs());
      for (const [intervalMs, works] of replicaWorks) {
        // Works of one interval run in the same moment, so that their calls share a round trip.
        const runAll = () => works.forEach(runHere);
        runAll();
        replicaTimers.push(setInterval(runAll, intervalMs));
      }
    },
    /** Ends the schedule of this process and waits for its running work. */
    async stop(): Promise<void> {
      clearInterval(timer);
      for (const each of replicaTimers) clearInterval(each);
      await tick;
      await Promise.all(running.values());
      // Otherwise other replicas would wait for the leases to expire.
      await scheduleNextRuns().catch(() => undefined);
    },
  };
}
