import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS } from './clock.ts';
import type { Log, LogFields } from './log.ts';

const WAITS_MS = [100, 300, 1_000, 3_000, 5_000, 10_000, 10_000, 30_000, MINUTE_MS];

/**
 * Executes a write whose data would otherwise be lost. Retries for some minutes while the storage is unavailable, then
 * rejects. `about`: fields of the log line.
 */
export async function retryWrite<T>(
  write: () => Promise<T>,
  { log, about }: { log: Log; about: LogFields },
): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await write();
    } catch (err) {
      log.warn({ ...about, err }, 'a result could not be stored; trying again');
      await delay(wait);
    }
  }
  return write();
}

/**
 * Returns the result of `work`, or the result of `late` after `ms`: `undefined` by default. `late` may throw. The work
 * itself continues. No timer remains, and none prevents the process from exiting.
 */
export function orTimeout<T, Late = undefined>(
  work: Promise<T>,
  ms: number,
  late: () => Late = () => undefined as Late,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms).unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Returns a function that calls `read` and shares its result between calls within `ms` of its start. Failures too. */
export function shareResult<T>(read: () => Promise<T>, ms: number): () => Promise<T> {
  let shared: { at: number; result: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (shared === undefined || now - shared.at >= ms) shared = { at: now, result: read() };
    return shared.result;
  };
}

/** Returns the delay before an attempt, counted from 0. The last delay repeats. */
export function delayBefore(attempt: number, delaysMs: readonly [number, ...number[]]): number {
  return delaysMs[Math.min(attempt, delaysMs.length - 1)] ?? delaysMs[0];
}

/**
 * Creates a queue that executes work of the same key one at a time, in order. Different keys don't wait for each other.
 */
export function createKeyedQueue<Key>() {
  const tails = new Map<Key, Promise<void>>();
  return {
    run<T>(key: Key, work: () => Promise<T>): Promise<T> {
      const turn = (tails.get(key) ?? Promise.resolve()).then(work);
      const end = () => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail = turn.then(end, end);
      tails.set(key, tail);
      return turn;
    },
    /** Returns whether new work would have to wait. */
    isBusy: (key: Key): boolean => tails.has(key),
  };
}

const MAX_WAITING_TASKS = 1_000;

/**
 * Creates a queue of tasks that nothing waits for, `urgent` ones first. It runs `concurrency` of them at once and drops
 * tasks above a maximum number of waiting ones. `onError` is called with each failure.
 */
export function createTaskQueue(concurrency: number, onError: (err: unknown) => void) {
  const waiting: (() => Promise<unknown>)[] = [];
  let running = 0;

  function startNext(): void {
    const task = running < concurrency ? waiting.shift() : undefined;
    if (task === undefined) return;
    running += 1;
    task()
      .catch(onError)
      .finally(() => {
        running -= 1;
        startNext();
      });
  }

  return (task: () => Promise<unknown>, priority?: 'urgent'): void => {
    if (priority) waiting.unshift(task);
    else waiting.push(task);
    waiting.splice(MAX_WAITING_TASKS);
    startNext();
  };
}

/**
 * Creates a queue of work that this process executes immediately, with at most `concurrency` running and `maxWaiting`
 * waiting names. Work that it skips is also in a due queue.
 */
export function createWorkQueue(deps: {
  work: (name: string) => Promise<unknown>;
  concurrency: number;
  maxWaiting: number;
  /** Log message for failed work, which comes due again. */
  failureMessage: string;
  log: Log;
}) {
  const { work, concurrency, maxWaiting, failureMessage, log } = deps;
  const [urgent, other] = [new Set<string>(), new Set<string>()];
  const running = new Map<string, Promise<void>>();
  const rerun = new Map<string, 'urgent' | undefined>();
  let isClosed = false;

  function start(name: string): void {
    const run = work(name)
      .then(
        () => undefined,
        (err: unknown) => log.warn({ err, key: name }, failureMessage),
      )
      .then(() => {
        running.delete(name);
        if (rerun.has(name)) enqueue(name, rerun.get(name));
        rerun.delete(name);
        startWaiting();
      });
    running.set(name, run);
  }

  function startWaiting(): void {
    for (const waiting of [urgent, other]) {
      for (const name of waiting) {
        if (running.size >= concurrency) return;
        waiting.delete(name);
        start(name);
      }
    }
  }

  function enqueue(name: string, priority?: 'urgent'): void {
    if (isClosed) return;
    if (running.has(name)) return void rerun.set(name, priority ?? rerun.get(name));
    if (priority === 'urgent') other.delete(name);
    if (urgent.has(name) || other.has(name)) return;
    // Waiting work that isn't urgent doesn't count against the limit of urgent work.
    if (urgent.size + (priority === 'urgent' ? 0 : other.size) >= maxWaiting) return;
    (priority === 'urgent' ? urgent : other).add(name);
    startWaiting();
  }

  return {
    /**
     * Executes the work of this name as soon as there is capacity, `urgent` work first. Work that is already running is
     * executed once more afterwards. Excess work is left to the due queue.
     */
    enqueue,
    /** Starts nothing more. Resolves when running work has ended. */
    async close(): Promise<void> {
      isClosed = true;
      urgent.clear();
      other.clear();
      await Promise.all(running.values());
    },
  };
}
