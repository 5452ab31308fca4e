import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { orTimeout } from './async.ts';
import {
  JOB,
  JOB_QUEUE,
  type JobRef,
  type Jobs,
  JobsUnavailable,
  jobRefSchema,
  retryDelayMs,
} from './jobs.ts';
import { createLogThrottle, type Log } from './log.ts';
import { kindOf } from './records.ts';

const PREFIX = kindOf(JOB_QUEUE.keys);
/** Maximum number of times that a job is found stalled because its process was killed. */
const STALLED = 10;
/** Errors of a Redis that accepts no writes: full, a replica, without its replicas, or without its disk. */
const REFUSES = /\b(OOM|READONLY|NOREPLICAS|MISCONF)\b/;
/** Delays between probe writes, in milliseconds. Each one is twice as long as the previous one. */
const FIRST_PROBE_MS = 250;
const LONGEST_PROBE_MS = 4_000;
/** Timings in milliseconds. */
const TIMINGS = {
  /** Maximum wait of a call for Redis. */
  patience: 2_000,
  /** Maximum wait at the start. Redis or the machine may still be loading. */
  startPatience: 15_000,
  /** Maximum delay between connection attempts. */
  reconnect: 500,
  /** A job of a killed process runs again after this time and the next search for stalled jobs. */
  lock: 6_000,
  stalledCheck: 3_000,
};

export interface BullJobsOptions {
  url: string;
  log: Log;
  timings?: Partial<typeof TIMINGS>;
}

/** Queue and worker of one job name. */
interface Lane {
  queue: Queue<JobRef>;
  /** Other clients may have written to Redis, so the data of each job is parsed first. */
  worker: Worker<unknown>;
  tries: number;
}

/**
 * Creates jobs on BullMQ, for any number of replicas on one Redis (`maxmemory-policy noeviction`). Connects with
 * `start` or when a job is added: before that, the storage must have checked the permissions in Redis.
 */
export function createBullJobs({ url, log, timings }: BullJobsOptions): Jobs {
  const { patience, startPatience, reconnect, lock, stalledCheck } = { ...TIMINGS, ...timings };
  const throttle = createLogThrottle();
  // After a failover, another server may accept writes.
  const reconnectOnError = ({ message }: Error) => message.startsWith('READONLY');
  const options = { reconnectOnError, lazyConnect: true };
  const redis = new Redis(url, { ...options, maxRetriesPerRequest: 4, commandTimeout: patience });
  let abandoned = false;
  // BullMQ checks Redis once when a queue is created. If that check fails, the queue never works, so this connection
  // retries until Redis is up.
  const queuesRedis = new Redis(url, {
    ...options,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (abandoned ? null : Math.min(5 * 2 ** times, reconnect)),
  });
  const lanes = new Map<string, Lane>();
  /** Functions that create the defined lanes. BullMQ connects when a lane is created. */
  const defined: (() => void)[] = [];
  /** Handlers in progress. They never reject. */
  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let isPaused = false;
  let reached = true;

  function openLanes(): void {
    for (const create of defined.splice(0)) create();
  }

  const workers = () => [...lanes.values()].map(({ worker }) => worker);

  function track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.then(
      () => running.delete(settled),
      () => running.delete(settled),
    );
    running.add(settled);
    return work;
  }

  /** Pauses workers until Redis accepts writes. Otherwise they would send thousands of requests a second. */
  async function pauseWorkers(): Promise<void> {
    const { signal } = stopping;
    isPaused = true;
    await Promise.all(workers().map((worker) => worker.pause(true)));
    let isWritten = false;
    for (
      let waitMs = FIRST_PROBE_MS;
      !isWritten && !signal.aborted;
      waitMs = Math.min(2 * waitMs, LONGEST_PROBE_MS)
    ) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      const reply = await redis.set(`${PREFIX}:probe`, '', 'PX', LONGEST_PROBE_MS).catch(() => undefined);
      isWritten = reply !== undefined;
    }
    isPaused = false;
    if (!signal.aborted) await Promise.all(workers().map((worker) => worker.resume()));
  }

  function report(error: Error): void {
    const throttled = reached && throttle(error.message);
    if (throttled) log.error({ reason: error.message, ...throttled }, 'the job queue reported an error');
    reached = redis.status === 'ready';
    if (!isPaused && !stopping.signal.aborted && REFUSES.test(error.message)) void pauseWorkers();
  }
  redis.on('ready', () => {
    reached = true;
  });
  redis.on('error', report);
  queuesRedis.on('error', report);

  /** Logs a failure. Repeated failures with the same reason are throttled. */
  function warn(level: 'warn' | 'error', fields: { job: string; attempt?: number; err: unknown }): void {
    const { cause } = fields.err instanceof Error ? fields.err : {};
    const reason = cause instanceof Error ? cause.message : fields.err;
    const throttled = throttle(`${level} ${fields.job} ${reason}`);
    const message = level === 'error' ? 'a job failed for good' : 'a job failed';
    if (throttled) log[level]({ ...fields, ...throttled }, message);
  }

  async function run(
    name: string,
    handler: (ref: JobRef) => Promise<void>,
    job: Job<unknown>,
  ): Promise<void> {
    const ref = jobRefSchema.safeParse(job.data).data;
    if (ref === undefined) {
      const throttled = throttle(`malformed ${name}`);
      if (throttled)
        log.warn({ job: name, ...throttled }, 'dropped a job whose data is not a valid reference');
      return;
    }
    await track(handler(ref)).catch((cause) => {
      // BullMQ stores an error's message and stack in Redis, where they must not be readable.
      throw new Error('the handler failed', { cause });
    });
  }

  return {
    define(name, handler, options) {
      const { concurrency, tries } = { ...JOB, ...options };
      defined.push(() => {
        const queue = new Queue<JobRef>(name, { connection: queuesRedis, prefix: PREFIX });
        const worker = new Worker<unknown>(name, (job) => run(name, handler, job), {
          connection: queuesRedis,
          prefix: PREFIX,
          autorun: false,
          concurrency,
          lockDuration: lock,
          stalledInterval: stalledCheck,
          maxStalledCount: STALLED,
          removeOnComplete: { count: 0 },
          removeOnFail: { count: 0 },
          settings: { backoffStrategy: retryDelayMs },
        });
        queue.on('error', report);
        worker.on('error', report);
        worker.on('failed', (job, err) => {
          const isFinal = job === undefined || job.attemptsMade >= tries;
          warn(isFinal && tries > 1 ? 'error' : 'warn', { job: name, attempt: job?.attemptsMade, err });
        });
        lanes.set(name, { queue, worker, tries });
      });
    },
    async add(name, { user, id }, { delayMs } = {}) {
      openLanes();
      const lane = lanes.get(name);
      if (!lane) throw new RangeError(`no job is called ${name}`);
      const deduplication = { id: hashOf(`${user}/${id}`), keepLastIfActive: true };
      const options = { delay: delayMs, deduplication, attempts: lane.tries, backoff: { type: 'custom' } };
      await inTime(lane.queue.add(name, { user, id }, options), patience);
    },
    async overdueMs() {
      openLanes();
      const firsts = [...lanes.values()].flatMap(({ queue }) =>
        (['waiting', 'delayed'] as const).map((state) => queue.getJobs(state, 0, 0, true)),
      );
      const found = (await inTime(Promise.all(firsts), patience)).flat();
      // BullMQ resets the delay of a delayed job when the job comes due.
      const longest = Math.max(...found.map(({ timestamp, delay }) => Date.now() - timestamp - delay));
      return longest >= 0 ? longest : undefined;
    },
    async start() {
      await inTime(ready(redis), startPatience);
      openLanes();
      for (const worker of workers()) {
        worker.run().catch((err: unknown) => log.error({ err }, 'the worker of jobs ended'));
      }
    },
    async stop() {
      stopping.abort();
      // BullMQ waits forever for a connection that is between two attempts. Without Redis, the attempts must end first.
      abandoned = !['ready', 'wait'].includes(queuesRedis.status);
      if (abandoned) await sleep(2 * reconnect);
      await Promise.all(workers().map((worker) => worker.pause(true)));
      const closed = Promise.all(workers().map((worker) => worker.close()));
      await Promise.all(running);
      // Waits until finished jobs are reported as done. Without Redis, another replica executes them again.
      await inTime(closed, patience).catch(() => {});
      queuesRedis.disconnect();
      redis.disconnect();
      await Promise.all([...lanes.values()].map(({ queue }) => queue.close()));
    },
  };
}

/**
 * Hashes a deduplication id. BullMQ writes the id to a stream of events that outlives the job, and the id may identify
 * a user.
 */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

async function ready(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  const isReady = new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  // ioredis retries a failed connection by itself.
  if (redis.status === 'wait') redis.connect().catch(() => {});
  await isReady;
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
