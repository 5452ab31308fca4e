export interface KeyedQueue<Key> {
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
