import type { Log } from './log.ts';

interface KeyedQueue<Key> {
  run<T>(key: Key, work: () => Promise<T>): Promise<T>;
  /** Whether what is run now would have to wait. */
  isBusy(key: Key): boolean;
}

/** Runs one piece of work a key at a time, in the order they came; keys don't wait for each other. */
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

/** What this process does at once, since it has just heard of it: what it doesn't come to is in a due index all the same. */
interface AtOnce {
  /**
   * Does the work of this name as soon as there is room: `urgent` before what isn't. Asked for while it is under way, it
   * is done once more afterwards. What is too much is left to whoever looks at what is due.
   */
  begin(name: string, order?: 'urgent' | undefined): void;
  /** Begins nothing more; resolves once what was begun is through. */
  close(): Promise<void>;
}

/** `limit`: so many at once. `most`: so many more may wait here. */
export function createAtOnce(deps: {
  work: (name: string) => Promise<unknown>;
  limit: number;
  most: number;
  /** What the log says of one that failed: it comes due again. */
  failed: string;
  log: Log;
}): AtOnce {
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
    // What is urgent doesn't find the room taken by what isn't.
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
