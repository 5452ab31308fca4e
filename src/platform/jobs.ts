import { z } from 'zod';

export const jobRefSchema = z.strictObject({
  user: z.int().positive(),
  id: z.string().regex(/^[\w-]{1,64}$/),
});

/**
 * Reference to a stored record of a user, and all that a job may carry. Anyone who can write to Redis can add jobs, so a
 * handler acts only on what a signed record says and does nothing if there is none.
 */
export type JobRef = z.infer<typeof jobRefSchema>;

/**
 * Queue of work that runs later or is retried. A job runs at least once, so its handler is safe to repeat. What may happen
 * at most once is guarded by a record in storage, never by a job.
 *
 * @example
 * jobs.define('invoice-show', (ref) => shows.show(ref), { tries: 1 });
 * await jobs.add('invoice-show', { user: 501, id: '7Q2K9F3M' });
 */
export interface Jobs {
  /**
   * Sets the handler of the job `name`. Call before `start`. A handler that throws is retried with backoff; after the last
   * try the job is dropped and an error is logged. Each name has its own workers and never waits for the jobs of another.
   * A job that carries anything but a {@link JobRef} is dropped with a warning.
   */
  define(name: string, handler: (ref: JobRef) => Promise<void>, options?: JobOptions): void;
  /**
   * Runs `handler` about every `intervalMs`, first at the start, on one replica at a time and never beside itself.
   * What it throws is logged. Call before `start`.
   */
  every(name: string, intervalMs: number, handler: () => Promise<void>): void;
  /**
   * Queues a job of a defined name. A reference that is queued already or waits for a retry isn't queued twice. A
   * reference that is added while its job runs is run once more afterwards.
   * Rejects with {@link JobsUnavailable} after about two seconds when the queue can't be reached.
   */
  add(name: string, ref: JobRef, options?: { delayMs?: number }): Promise<void>;
  /** For how long the job that waits the longest for a worker has, in milliseconds since it was due; `undefined` where none waits. */
  overdueMs(): Promise<number | undefined>;
  start(): Promise<void>;
  /** Takes no more jobs and waits for those that run. */
  stop(): Promise<void>;
}

export interface JobOptions {
  /** How many of them run at once on a replica: 50 unless said. */
  concurrency?: number;
  /** How often one is run in all: 10 times unless said. Just once leaves it to whoever added it. */
  tries?: number;
}

/** The queue can't be reached. */
export class JobsUnavailable extends Error {
  override readonly name = 'JobsUnavailable';
}

export const JOB: Required<JobOptions> = { concurrency: 50, tries: 10 };

/** How long to wait after the `failures`-th failure in a row, in milliseconds: from a second to a minute. */
export function retryDelayMs(failures: number): number {
  return Math.min(1_000 * 2 ** (failures - 1), 60_000);
}
