/**
 * What must happen later, or again. A job runs at least once: its handler is safe to repeat, and what may
 * happen at most once is guarded by a record in storage, never by a job. No secret is ever in a job.
 */
export interface Jobs {
  /**
   * Says what the job `name` does. Call before `start`. A handler that throws is run again, later and later; then the
   * job is dropped and an error logged. Each name has workers of its own: one never waits for another's jobs.
   */
  define(name: string, handler: (data: string) => Promise<void>, options?: JobOptions): void;
  /**
   * Runs `handler` about every `intervalMs`, first at the start, on one replica at a time and never beside itself.
   * What it throws is logged. Call before `start`.
   */
  every(name: string, intervalMs: number, handler: () => Promise<void>): void;
  /**
   * Queues a job of a defined name; one with an `id` that is queued already (or waits to be tried again) isn't queued twice. While the
   * one with this `id` runs, the last one added is kept and runs after it.
   * Rejects with {@link JobsUnavailable} after about two seconds when the queue can't be reached.
   */
  add(name: string, data: string, options?: { id?: string; delayMs?: number }): Promise<void>;
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
