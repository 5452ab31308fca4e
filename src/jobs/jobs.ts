/**
 * What must happen later, or again. A job runs at least once: its handler is safe to repeat, and what may
 * happen at most once is guarded by a record in storage, never by a job.
 */
export interface Jobs {
  /** Says what the job `name` does. Call before `start`. A handler that throws is run again, later and later. */
  define(name: string, handler: (data: string) => Promise<void>): void;
  /** Runs `handler` about every `intervalMs`, on one replica at a time. Call before `start`. */
  every(name: string, intervalMs: number, handler: () => Promise<void>): void;
  /** Queues a job; one with an `id` that is queued already isn't queued twice. */
  add(name: string, data: string, options?: { id?: string; delayMs?: number }): Promise<void>;
  start(): Promise<void>;
  /** Takes no more jobs and waits for those that run. */
  stop(): Promise<void>;
}
