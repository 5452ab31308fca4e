import { z } from 'zod';
import type { StoredData } from './records.ts';

/** Keys of the job queue in Redis. The hash tag keeps them in one slot of a Redis Cluster. */
export const JOB_QUEUE: StoredData = {
  keys: '{rental-bot}:…',
  content: "Keys of the job queue. A pending job contains a user's id and the name of a record",
  expiry: 'none: jobs exist as long as the app; finished ones are removed',
  retained: { elsewhere: 'kept-under-way' },
};

export const jobRefSchema = z.strictObject({
  user: z.int().positive(),
  id: z.string().regex(/^[\w-]{1,64}$/),
});

/**
 * Reference to a stored record of a user. A job carries nothing else. Anyone who can write to Redis can add jobs, so a
 * handler acts only on signed records and does nothing if there is none.
 */
export type JobRef = z.infer<typeof jobRefSchema>;

/**
 * Queue of work that runs later or is retried. A job runs at least once, so its handler must be safe to repeat. A
 * record in storage, never a job, guards work that may happen at most once.
 *
 * @example
 * jobs.define('invoice-card-update', (ref) => cards.update(ref), { tries: 1 });
 * await jobs.add('invoice-card-update', { user: 501, id: '7Q2K9F3M' });
 */
export interface Jobs {
  /**
   * Sets the handler of the job `name`. Call before `start`. A handler that throws is retried with backoff. After the
   * last attempt, the job is dropped and an error is logged. Each name has its own workers and never waits for the jobs
   * of another. A job whose data isn't a {@link JobRef} is dropped with a warning.
   */
  define(name: string, handler: (ref: JobRef) => Promise<void>, options?: JobOptions): void;
  /**
   * Queues a job of a defined name. A reference that is already queued or waits for a retry isn't queued again. A
   * reference that is added while its job runs is run once more afterwards. Rejects with {@link JobsUnavailable} after
   * about two seconds if the queue can't be reached.
   */
  add(name: string, ref: JobRef, options?: { delayMs?: number }): Promise<void>;
  /** Returns how long the oldest job without a worker has been due, in milliseconds; `undefined` if no job is due. */
  overdueMs(): Promise<number | undefined>;
  start(): Promise<void>;
  /** Stops taking jobs and waits for running ones. */
  stop(): Promise<void>;
}

export interface JobOptions {
  /** Maximum number of concurrent jobs per replica. The default is 50. */
  concurrency?: number;
  /** Maximum number of attempts. The default is 10. With 1, the caller is responsible for retries. */
  tries?: number;
}

/** Error for a queue that can't be reached. */
export class JobsUnavailable extends Error {
  override readonly name = 'JobsUnavailable';
}

export const JOB: Required<JobOptions> = { concurrency: 50, tries: 10 };

/** Returns the delay after the `failures`-th failure in a row, in milliseconds: from a second to a minute. */
export function retryDelayMs(failures: number): number {
  return Math.min(1_000 * 2 ** (failures - 1), 60_000);
}
