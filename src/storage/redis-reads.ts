import type { RedisConnection } from './redis-connection.ts';

interface Batch {
  keys: string[];
  values: Promise<(string | null)[]>;
}

/** Reads values by key. What is asked for in one go is read by one command: its way to Redis and back is what costs. */
export function createReads({ call }: RedisConnection): (key: string) => Promise<string | undefined> {
  let open: Batch | undefined;

  function begin(): Batch {
    const keys: string[] = [];
    const values = Promise.resolve().then(() => {
      open = undefined;
      return call((redis) => redis.mget(keys));
    });
    return { keys, values };
  }

  return async (key) => {
    open ??= begin();
    const { keys, values } = open;
    const at = keys.push(key) - 1;
    return (await values)[at] ?? undefined;
  };
}
