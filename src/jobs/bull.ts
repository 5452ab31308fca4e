import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Log } from '../log.ts';
import { orTimeout } from '../or-timeout.ts';
import { type Jobs, JobsUnavailable } from './jobs.ts';
import { retryDelayMs, TRIES } from './retries.ts';

const QUEUE = 'jobs';
/** The hash tag keeps the queue's keys in one slot of a Redis Cluster. */
const PREFIX = '{rental-bot}';
const CONCURRENCY = 50;
/** In milliseconds. */
const TIMINGS = {
  /** How long a call waits for Redis. */
  patience: 2_000,
  /** A start may meet a Redis that is just loading, or a machine that is. */
  startPatience: 15_000,
  /** The longest pause before another try to connect. */
  reconnect: 500,
  /** A job whose process was killed is run again after this time and the next look at stalled ones. */
  lock: 6_000,
  look: 3_000,
};

export interface BullJobsOptions {
  url: string;
  log: Log;
  timings?: Partial<typeof TIMINGS>;
}

/** Jobs on BullMQ, for any number of replicas on one Redis (`maxmemory-policy noeviction`). It connects at once. */
export function createBullJobs({ url, log, timings }: BullJobsOptions): Jobs {
  const { patience, startPatience, reconnect, lock, look } = { ...TIMINGS, ...timings };
  const handlers = new Map<string, (data: string) => Promise<void>>();
  const intervals = new Map<string, number>();
  const redis = new Redis(url, { maxRetriesPerRequest: 4, commandTimeout: patience });
  let abandoned = false;
  const workersRedis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (abandoned ? null : Math.min(5 * 2 ** times, reconnect)),
  });
  const queue = new Queue<string>(QUEUE, { connection: redis, prefix: PREFIX });
  const worker = new Worker<string>(QUEUE, run, {
    connection: workersRedis,
    prefix: PREFIX,
    autorun: false,
    concurrency: CONCURRENCY,
    lockDuration: lock,
    stalledInterval: look,
    maxStalledCount: TRIES,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    settings: { backoffStrategy: retryDelayMs },
  });

  let reached = true;
  redis.on('ready', () => {
    reached = true;
  });
  const report = (error: Error) => {
    if (reached) log.error({ reason: error.message }, 'the job queue has a problem');
    reached = redis.status === 'ready';
  };
  redis.on('error', report);
  workersRedis.on('error', report);
  queue.on('error', report);
  worker.on('error', report);
  worker.on('failed', (job, err) => {
    const final = job === undefined || job.attemptsMade >= (job.opts.attempts ?? 1);
    const fields = { job: job?.name, attempt: job?.attemptsMade, err };
    if (final && !intervals.has(job?.name ?? '')) log.error(fields, 'a job failed for good');
    else log.warn(fields, 'a job failed');
  });

  const running = new Set<Promise<void>>();
  function run(job: Job<string>): Promise<void> {
    const done = perform(job)
      .catch((cause) => {
        // BullMQ keeps an error's message and stack in Redis, where they are nobody's to read.
        throw new Error('the handler failed', { cause });
      })
      .finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  async function perform(job: Job<string>): Promise<void> {
    const handler = handlers.get(job.name);
    if (!handler) throw new Error(`no job is called ${job.name}`);
    if (!intervals.has(job.name)) return handler(job.data);
    await alone(job.name, () => handler(job.data));
  }

  /** BullMQ starts the next run of a schedule on time, whether or not the one before has ended. */
  async function alone(name: string, handler: () => Promise<void>): Promise<void> {
    const key = `${PREFIX}:running:${name}`;
    if ((await redis.set(key, '1', 'PX', lock, 'NX')) === null) return;
    const renewal = setInterval(() => redis.pexpire(key, lock).catch(() => {}), lock / 3);
    try {
      await handler();
    } finally {
      clearInterval(renewal);
      await redis.del(key);
    }
  }

  async function schedule(): Promise<void> {
    for (const { key } of await queue.getJobSchedulers()) {
      if (!intervals.has(key)) await queue.removeJobScheduler(key);
    }
    for (const [name, every] of intervals) {
      await queue.upsertJobScheduler(name, { every }, { name, data: '' });
    }
  }

  return {
    define(name, handler) {
      handlers.set(name, handler);
    },
    every(name, intervalMs, handler) {
      handlers.set(name, handler);
      intervals.set(name, intervalMs);
    },
    async add(name, data, { id, delayMs } = {}) {
      const deduplication = id === undefined ? undefined : { id: `${name}/${id}`, keepLastIfActive: true };
      const options = { delay: delayMs, deduplication, attempts: TRIES, backoff: { type: 'custom' } };
      await inTime(queue.add(name, data, options), patience);
    },
    async start() {
      await inTime(schedule(), startPatience);
      worker.run().catch((err: unknown) => log.error({ err }, 'the worker of jobs ended'));
    },
    async stop() {
      // BullMQ waits for ever for a connection that is between two attempts: without Redis, let them end first.
      abandoned = workersRedis.status !== 'ready';
      if (abandoned) await sleep(2 * reconnect);
      await worker.pause(true);
      const closed = worker.close();
      await Promise.allSettled(running);
      // And for a job to be reported as done: without Redis it is run again elsewhere.
      await inTime(closed, patience).catch(() => {});
      workersRedis.disconnect();
      redis.disconnect();
      await queue.close();
    },
  };
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  try {
    return await orTimeout(work, ms, () => {
      throw new Error('no answer');
    });
  } catch (error) {
    throw new JobsUnavailable(error instanceof Error ? error.message : 'unknown reason');
  }
}
