import type { Log } from '../log.ts';
import type { Jobs } from './jobs.ts';
import { retryDelayMs, TRIES } from './retries.ts';

interface Job {
  name: string;
  data: string;
  key?: string;
  dueAt: number;
  failures: number;
  intervalMs?: number;
  running?: boolean;
  /** The last one added under the same key while this one ran. */
  next?: Job;
}

/** In milliseconds. */
const TIMINGS = {
  /** A clock that is moved is noticed within this time. */
  look: 1_000,
};

export interface MemoryJobsOptions {
  log: Log;
  /** The time in epoch milliseconds. */
  now?: () => number;
  timings?: Partial<typeof TIMINGS>;
}

/** Jobs that end with the process. */
export function createMemoryJobs({ log, now = Date.now, timings }: MemoryJobsOptions): Jobs {
  const { look } = { ...TIMINGS, ...timings };
  const handlers = new Map<string, (data: string) => Promise<void>>();
  const waiting = new Set<Job>();
  const byKey = new Map<string, Job>();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let started = false;

  function arm(): void {
    clearTimeout(timer);
    if (!started || waiting.size === 0) return;
    const dueAt = [...waiting].reduce(
      (soonest, job) => Math.min(soonest, job.dueAt),
      Number.POSITIVE_INFINITY,
    );
    timer = setTimeout(runDue, Math.min(Math.max(dueAt - now(), 0), look));
  }

  function runDue(): void {
    const time = now();
    for (const job of waiting) {
      if (job.dueAt > time) continue;
      waiting.delete(job);
      const run = attempt(job).finally(() => running.delete(run));
      running.add(run);
    }
    arm();
  }

  function wait(job: Job): void {
    if (job.key !== undefined) byKey.set(job.key, job);
    waiting.add(job);
    arm();
  }

  async function attempt(job: Job): Promise<void> {
    const startedAt = now();
    job.running = true;
    try {
      const handler = handlers.get(job.name);
      if (!handler) throw new Error(`no job is called ${job.name}`);
      await handler(job.data);
      job.failures = 0;
    } catch (err) {
      job.failures += 1;
      log.warn({ job: job.name, attempt: job.failures, err }, 'a job failed');
    }
    job.running = false;
    settle(job, startedAt);
  }

  function settle(job: Job, startedAt: number): void {
    if (job.intervalMs !== undefined) wait({ ...job, dueAt: startedAt + job.intervalMs });
    else if (job.failures > 0 && job.failures < TRIES) {
      wait({ ...job, dueAt: now() + retryDelayMs(job.failures) });
    } else {
      if (job.failures > 0) log.error({ job: job.name, attempts: TRIES }, 'a job failed for good');
      if (job.key !== undefined) byKey.delete(job.key);
      if (job.next) wait(job.next);
    }
  }

  return {
    define(name, handler) {
      handlers.set(name, handler);
    },
    every(name, intervalMs, handler) {
      handlers.set(name, handler);
      waiting.add({ name, data: '', dueAt: 0, failures: 0, intervalMs });
    },
    async add(name, data, { id, delayMs = 0 } = {}) {
      const key = id === undefined ? undefined : JSON.stringify([name, id]);
      const job: Job = { name, data, key, dueAt: now() + delayMs, failures: 0 };
      const same = key === undefined ? undefined : byKey.get(key);
      if (!same) wait(job);
      else if (same.running) same.next = job;
    },
    async start() {
      started = true;
      arm();
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
