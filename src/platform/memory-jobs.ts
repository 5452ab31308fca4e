import { JOB, type JobOptions, type JobRef, type Jobs, retryDelayMs } from './jobs.ts';
import type { Log } from './log.ts';

interface Kind extends Required<JobOptions> {
  handler: (ref: JobRef) => Promise<void>;
  active: number;
}

interface Job {
  name: string;
  run: () => Promise<void>;
  key?: string;
  dueAt: number;
  failures: number;
  running?: boolean;
  /** Last job added under the same key while this one ran. */
  next?: Job;
}

/** Maximum wait before the clock is read again, in milliseconds, so that a moved clock is noticed. */
const MAX_WAIT_MS = 1_000;

/** Creates jobs in memory. They are lost when the process ends. `now` returns epoch milliseconds. */
export function createMemoryJobs({ log, now = Date.now }: { log: Log; now?: () => number }): Jobs {
  const kinds = new Map<string, Kind>();
  const waiting = new Set<Job>();
  const byKey = new Map<string, Job>();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let started = false;

  function arm(): void {
    clearTimeout(timer);
    if (!started) return;
    const startable = [...waiting].filter(hasCapacity).map(({ dueAt }) => dueAt);
    if (startable.length === 0) return;
    timer = setTimeout(runDue, Math.min(Math.max(Math.min(...startable) - now(), 0), MAX_WAIT_MS));
  }

  function runDue(): void {
    const time = now();
    const due = [...waiting].filter((job) => job.dueAt <= time).sort((a, b) => a.dueAt - b.dueAt);
    for (const job of due) {
      if (!hasCapacity(job)) continue;
      waiting.delete(job);
      const run = attempt(job).finally(() => running.delete(run));
      running.add(run);
    }
    arm();
  }

  function hasCapacity({ name }: Job): boolean {
    const { active, concurrency } = kindOf(name);
    return active < concurrency;
  }

  function kindOf(name: string): Kind {
    const kind = kinds.get(name);
    if (!kind) throw new RangeError(`no job is called ${name}`);
    return kind;
  }

  function wait(job: Job): void {
    if (job.key !== undefined) byKey.set(job.key, job);
    waiting.add(job);
    arm();
  }

  async function attempt(job: Job): Promise<void> {
    const kind = kindOf(job.name);
    job.running = true;
    kind.active += 1;
    try {
      await job.run();
      job.failures = 0;
    } catch (err) {
      job.failures += 1;
      log.warn({ job: job.name, attempt: job.failures, err }, 'a job failed');
    }
    kind.active -= 1;
    job.running = false;
    settle(job, kind);
    arm();
  }

  function settle(job: Job, { tries }: Kind): void {
    if (job.failures > 0 && job.failures < tries) {
      wait({ ...job, dueAt: now() + retryDelayMs(job.failures) });
    } else {
      if (job.failures > 0 && tries > 1) {
        log.error({ job: job.name, attempts: tries }, 'a job failed for good');
      }
      if (job.key !== undefined) byKey.delete(job.key);
      if (job.next) wait(job.next);
    }
  }

  return {
    define(name, handler, options) {
      kinds.set(name, { ...JOB, ...options, handler, active: 0 });
    },
    async add(name, ref, { delayMs = 0 } = {}) {
      const { handler } = kindOf(name);
      const key = JSON.stringify([name, ref.user, ref.id]);
      const job: Job = { name, run: () => handler(ref), key, dueAt: now() + delayMs, failures: 0 };
      const same = byKey.get(key);
      if (!same) wait(job);
      else if (same.running) same.next = job;
    },
    async overdueMs() {
      const [first, at] = [Math.min(...[...waiting].map(({ dueAt }) => dueAt)), now()];
      return first <= at ? at - first : undefined;
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
