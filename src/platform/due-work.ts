import { createWorkQueue } from './async.ts';
import type { DueQueue } from './due-queue.ts';
import type { Log } from './log.ts';

/** Maximum concurrent work of one process by default. */
const CONCURRENCY = 50;
/** Maximum waiting work in memory. Work above it stays in the due queue. */
const MAX_WAITING = 2_000;
const BATCH = 200;

/**
 * Creates work that is guaranteed to run, if need be on another replica. A due queue keeps a reference to each piece of work,
 * and records keep its state. So anyone who can write to Redis can start work, but work acts only on signed records.
 *
 * Work runs at least once and must be safe to repeat. When it is done, it removes its reference from the queue. To run
 * again, it reschedules the reference. Otherwise it comes due again after `leaseMs`, as it does if its process dies.
 *
 * @example
 * const updates = createDueWork({ queue, work: updateCards, leaseMs: 10_000, failureMessage: 'an update failed', log });
 * await updates.add({ user: 501, id: '7Q2K9F3M' });
 */
export function createDueWork<Ref>(deps: {
  queue: DueQueue<Ref>;
  work: (ref: Ref) => Promise<unknown>;
  /** Longer than the work usually takes. */
  leaseMs: number;
  concurrency?: number;
  failureMessage: string;
  log: Log;
}) {
  const { queue, work, leaseMs, concurrency = CONCURRENCY, failureMessage, log } = deps;
  const { enqueue, close } = createWorkQueue({
    work: async (member) => {
      const ref = queue.parse(member);
      if (ref !== undefined) await work(ref);
    },
    concurrency,
    maxWaiting: MAX_WAITING,
    failureMessage,
    log,
  });
  const start = (ref: Ref) => enqueue(queue.memberOf(ref));
  return {
    /**
     * Resolves once the work is certain to run, and starts it in this process. Work that is running here runs once more
     * afterwards. Rejects if the storage can't be reached.
     */
    async add(ref: Ref): Promise<void> {
      await queue.scheduleNoLaterThan(ref, leaseMs);
      start(ref);
    },
    /** Starts work in this process whose reference is in the queue already. */
    start,
    /** Starts what is due. Only one replica gets a reference. */
    startDue: () => queue.takeDue({ leaseMs, limit: BATCH }, start),
    close,
  };
}
