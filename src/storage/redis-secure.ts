import { connectRedis, type RedisConnection, type RedisOptions } from './redis-connection.ts';

/** Above the lag of a healthy replica, and below the silence after which a connection is cut off. */
const ACKNOWLEDGED_WITHIN_MS = 500;

export interface Securing {
  secure(key: string, value: string, ttlMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * What must not be lost by a failover is written once more and then waited for: replicas take writes in their order, so
 * that who has this one has all before it. One is enough, as the one that is ahead is made the new master. On a
 * connection of its own, since whatever else is sent on it waits too.
 */
export function createSecuring(main: RedisConnection, options: RedisOptions): Securing {
  let own: RedisConnection | undefined;
  return {
    async secure(key, value, ttlMs) {
      const [replicas, found] = await main.call((redis) => redis.storageStands(key));
      if (replicas === '0') return found === value;
      own ??= connectRedis(options);
      // In one pipeline: after a failover in between, the one would be asked of the new master without the other.
      return own.call(async (redis) => {
        const [stands, replicas] = await Promise.all([
          redis.storageReplace(key, value, value, ttlMs),
          redis.wait(1, ACKNOWLEDGED_WITHIN_MS),
        ]);
        return stands === 1 && replicas > 0;
      });
    },
    async close() {
      await own?.close();
    },
  };
}
