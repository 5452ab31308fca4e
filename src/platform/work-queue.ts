import type { Log } from './log.ts';

interface KeyedQueue<Key> {
  run<T>(key: Key, work: () => Promise<T>): Promise<T>;
  /** Returns whether new work would have to wait. */
  isBusy(key: Key): boolean;
}

/**
 * Creates a queue that executes work of the same key one at a time, in order. Different keys don't wait for each other.
 */
export function createKeyedQueue<Key>(): KeyedQueue<Key> {
  const tails = new Map<Key, Promise<unknown>>();
  return {
    run(key, work) {
      const turn = (tails.get(key) ?? Promise.resolve()).then(work);
      const tail = turn
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
      return turn;
    },
    isBusy: (key) => tails.has(key),
  };
}

/** Queue of work that this process executes immediately. Work that it skips is also in a due index. */
interface WorkQueue {
  /**
   * Executes the work of this name as soon as there is capacity, `urgent` work first. Work that is already running is
   * executed once more afterwards. Excess work is left to the poller of the due index.
   */
  begin(name: string, order?: 'urgent' | undefined): void;
  /** Starts nothing more. Resolves when running work has ended. */
  close(): Promise<void>;
}

/** Creates a work queue. `limit`: maximum number of concurrent executions. `most`: maximum number of waiting ones. */
export function createWorkQueue(deps: {
  work: (name: string) => Promise<unknown>;
  limit: number;
  most: number;
  /** Log message for failed work, which comes due again. */
  failed: string;
  log: Log;
}): WorkQueue {
  const { work, limit, most, failed, log } = deps;
  const [urgent, other] = [new Set<string>(), new Set<string>()];
  const running = new Map<string, Promise<void>>();
  const again = new Map<string, 'urgent' | undefined>();
  let closed = false;

  function start(name: string): void {
    const going = work(name)
      .then(
        () => undefined,
        (err: unknown) => log.warn({ err, name }, failed),
      )
      .then(() => {
        running.delete(name);
        if (again.has(name)) begin(name, again.get(name));
        again.delete(name);
        fill();
      });
    running.set(name, going);
  }

  function fill(): void {
    for (const waiting of [urgent, other]) {
      for (const name of waiting) {
        if (running.size >= limit) return;
        waiting.delete(name);
        start(name);
      }
    }
  }

  function begin(name: string, order?: 'urgent' | undefined): void {
    if (closed) return;
    if (running.has(name)) return void again.set(name, order ?? again.get(name));
    if (order === 'urgent') other.delete(name);
    if (urgent.has(name) || other.has(name)) return;
    // Waiting work that isn't urgent doesn't count against the limit of urgent work.
    if (urgent.size + (order === 'urgent' ? 0 : other.size) >= most) return;
    (order === 'urgent' ? urgent : other).add(name);
    fill();
  }

  return {
    begin,
    async close() {
      closed = true;
      urgent.clear();
      other.clear();
      await Promise.all(running.values());
    },
  };
}
