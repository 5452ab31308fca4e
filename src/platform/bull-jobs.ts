import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import {
  JOB,
  JOB_QUEUE,
  type JobRef,
  type Jobs,
  JobsUnavailable,
  jobRefSchema,
  retryDelayMs,
} from './jobs.ts';
import { defineLease, type Leases } from './leases.ts';
import { createLogThrottle, type Log } from './log.ts';
import { orTimeout } from './retry.ts';
import { keyOf, kindOf } from './stored-data.ts';

const PREFIX = kindOf(JOB_QUEUE.keys);
/** Maximum number of times that a job is found stalled because its process was killed. */
const STALLED = 10;
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
  look: 3_000,
};

export interface BullJobsOptions {
  url: string;
  /** Leases on the same Redis, for recurring work. */
  leases: Leases;
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
export function createBullJobs({ url, leases, log, timings }: BullJobsOptions): Jobs {
  const { patience, startPatience, reconnect, lock, look } = { ...TIMINGS, ...timings };
  const quiet = createLogThrottle();
  // After a failover, another server may accept writes.
  const reconnectOnError = ({ message }: Error) => message.startsWith('READONLY');
  const redis = new Redis(url, {
    maxRetriesPerRequest: 4,
    commandTimeout: patience,
    reconnectOnError,
    lazyConnect: true,
  });
  let abandoned = false;
  // BullMQ checks Redis once when a queue is created. If that check fails, the queue never works, so this connection
  // retries until Redis is up.
  const queuesRedis = new Redis(url, {
    maxRetriesPerRequest: null,
    reconnectOnError,
    lazyConnect: true,
    retryStrategy: (times) => (abandoned ? null : Math.min(5 * 2 ** times, reconnect)),
  });
  const lanes = new Map<string, Lane>();
  /** Functions that create the defined lanes. BullMQ connects when a lane is created. */
  const defined: (() => void)[] = [];
  const openLanes = () => {
    for (const make of defined.splice(0)) make();
  };
  const workers = () => [...lanes.values()].map(({ worker }) => worker);
  const recurring = createRecurring({ leases });
  const rest = createRest({ redis, key: `${PREFIX}:probe`, workers });

  let reached = true;
  redis.on('ready', () => {
    reached = true;
  });
  const report = (error: Error) => {
    const said = reached && quiet(error.message);
    if (said) log.error({ reason: error.message, ...said }, 'the job queue reported an error');
    reached = redis.status === 'ready';
    rest.after(error);
  };
  redis.on('error', report);
  queuesRedis.on('error', report);

  /** Logs a failure. Repeated failures with the same reason are throttled. */
  function warn(level: 'warn' | 'error', fields: { job?: string; attempt?: number; err: unknown }): void {
    const { cause } = fields.err instanceof Error ? fields.err : {};
    const said = quiet(`${level} ${fields.job} ${cause instanceof Error ? cause.message : fields.err}`);
    if (said)
      log[level]({ ...fields, ...said }, level === 'error' ? 'a job failed for good' : 'a job failed');
  }

  const running = new Set<Promise<void>>();
  function runBy(name: string, handler: (ref: JobRef) => Promise<void>) {
    return async (job: Job<unknown>): Promise<void> => {
      const ref = jobRefSchema.safeParse(job.data).data;
      if (ref === undefined) {
        const said = quiet(`malformed ${name}`);
        if (said) log.warn({ job: name, ...said }, 'dropped a job whose data is not a valid reference');
        return;
      }
      const done: Promise<void> = handler(ref)
        .catch((cause) => {
          // BullMQ stores an error's message and stack in Redis, where they must not be readable.
          throw new Error('the handler failed', { cause });
        })
        .finally(() => running.delete(done));
      running.add(done);
      await done;
    };
  }

  function makeLane(
    name: string,
    handler: Parameters<Jobs['define']>[1],
    options: Parameters<Jobs['define']>[2],
  ) {
    const { concurrency, tries } = { ...JOB, ...options };
    const queue = new Queue<JobRef>(name, { connection: queuesRedis, prefix: PREFIX });
    const worker = new Worker<unknown>(name, runBy(name, handler), {
      connection: queuesRedis,
      prefix: PREFIX,
      autorun: false,
      concurrency,
      lockDuration: lock,
      stalledInterval: look,
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
  }

  return {
    define(name, handler, options) {
      defined.push(() => makeLane(name, handler, options));
    },
    every(name, intervalMs, handler) {
      recurring.every(name, intervalMs, handler, (err) => warn('warn', { job: name, err }));
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
      const since = found.map(({ timestamp, delay }) => Date.now() - timestamp - delay);
      const longest = Math.max(...since);
      return longest >= 0 ? longest : undefined;
    },
    async start() {
      await inTime(ready(redis), startPatience);
      openLanes();
      recurring.start();
      for (const worker of workers()) {
        worker.run().catch((err: unknown) => log.error({ err }, 'the worker of jobs ended'));
      }
    },
    async stop() {
      rest.end();
      // BullMQ waits forever for a connection that is between two attempts. Without Redis, the attempts must end first.
      abandoned = !['ready', 'wait'].includes(queuesRedis.status);
      if (abandoned) await sleep(2 * reconnect);
      await Promise.all(workers().map((worker) => worker.pause(true)));
      const closed = Promise.all(workers().map((worker) => worker.close()));
      await Promise.allSettled([recurring.stop(), ...running]);
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

/** Fraction of the interval within which other replicas can't start the next run. Their timers may be early. */
const PACE = 0.8;

/** Lease of the replica that executes recurring work, and then mark that the work was executed. */
export const RECURRING_WORK = defineLease({
  keys: 'recurring-work:name',
  content: 'A replica executes this recurring work, or did so lately',
  expiry: '8 seconds, or until the next run',
});

/**
 * Creates recurring work that runs on one replica at a time. Each replica tries to start every run. So no schedule can
 * be lost with Redis's data, and the clocks of replicas may differ.
 */
function createRecurring({ leases }: { leases: Leases }) {
  const kinds = new Map<string, { intervalMs: number; run: () => Promise<void> }>();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  return {
    /** Defines recurring work. `failed` gets the errors of runs and of attempts to start one. */
    every(name: string, intervalMs: number, handler: () => Promise<void>, failed: (err: unknown) => void) {
      const key = keyOf(RECURRING_WORK.keys, { name });
      let isRunning = false;
      const run = async () => {
        if (isRunning) return;
        isRunning = true;
        await leases.withLease(key, handler, { keptMs: PACE * intervalMs }).catch(failed);
        isRunning = false;
      };
      kinds.set(name, { intervalMs, run });
    },
    start(): void {
      for (const { intervalMs, run } of kinds.values()) {
        const tick = () => {
          const done: Promise<void> = run().finally(() => running.delete(done));
          running.add(done);
        };
        tick();
        timers.add(setInterval(tick, intervalMs));
      }
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** Errors of a Redis that accepts no writes: full, a replica, without its replicas, or without its disk. */
const REFUSES = /\b(OOM|READONLY|NOREPLICAS|MISCONF)\b/;
/** Delays between probe writes, in milliseconds. Each one is twice as long as the previous one. */
const FIRST_MS = 250;
const LONGEST_MS = 4_000;

interface Pausable {
  pause(doNotWaitActive: boolean): Promise<void>;
  resume(): Promise<void>;
}

/** Pauses workers while Redis accepts no writes. Otherwise they would send thousands of requests a second. */
function createRest({ redis, key, workers }: { redis: Redis; key: string; workers: () => Pausable[] }) {
  const ended = new AbortController();
  let rests = false;

  async function retryOnConflict(): Promise<void> {
    for (let wait = FIRST_MS; !ended.signal.aborted; wait = Math.min(2 * wait, LONGEST_MS)) {
      await sleep(wait, undefined, { signal: ended.signal }).catch(() => {});
      const written = await redis.set(key, '', 'PX', LONGEST_MS).catch(() => undefined);
      if (written) return;
    }
  }

  async function rest(): Promise<void> {
    rests = true;
    await Promise.all(workers().map((worker) => worker.pause(true)));
    await retryOnConflict();
    rests = false;
    if (!ended.signal.aborted) await Promise.all(workers().map((worker) => worker.resume()));
  }

  return {
    /** Starts a pause if `error` says that Redis accepts no writes. Work in progress continues. */
    after(error: Error): void {
      if (!rests && !ended.signal.aborted && REFUSES.test(error.message)) void rest();
    },
    end: () => ended.abort(),
  };
}
