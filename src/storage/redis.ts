import { createRedisChats } from './redis-chats.ts';
import { connectRedis, type RedisOptions } from './redis-connection.ts';
import type { Durability, Storage } from './storage.ts';

/**
 * Storage on a Redis or Valkey server, 6.2 or later. It connects at once and reconnects by itself; while there is no
 * connection its methods reject after about two seconds.
 */
export function createRedisStorage(options: RedisOptions): Storage {
  const connection = connectRedis(options);
  const { call } = connection;
  return {
    get: async (key) => (await call((redis) => redis.get(key))) ?? undefined,
    async set(key, value, { ttlMs } = {}) {
      await call((redis) => (ttlMs ? redis.set(key, value, 'PX', whole(ttlMs)) : redis.set(key, value)));
    },
    add: async (key, value, { ttlMs } = {}) =>
      (await call((redis) => redis.storageAdd(key, value, whole(ttlMs)))) === 1,
    replace: async (key, expected, value, { ttlMs } = {}) =>
      (await call((redis) => redis.storageReplace(key, expected, value, whole(ttlMs)))) === 1,
    async delete(key) {
      await call((redis) => redis.del(key));
    },
    index: {
      async put(index, member, score, { ttlMs } = {}) {
        await call((redis) => redis.zadd(index, score, member));
        if (ttlMs) await call((redis) => redis.pexpire(index, whole(ttlMs)));
      },
      async remove(index, member) {
        await call((redis) => redis.zrem(index, member));
      },
      upTo: (index, max, limit) =>
        call((redis) => redis.zrangebyscore(index, '-inf', max, 'LIMIT', 0, limit)),
    },
    chats: createRedisChats(connection),
    durability: async () => durabilityOf(await call((redis) => redis.info())),
    async ping() {
      await call((redis) => redis.ping());
    },
    close: connection.close,
  };
}

function whole(ttlMs = 0): number {
  return Math.ceil(ttlMs);
}

/** From INFO, as CONFIG is often forbidden on servers that somebody else runs. */
function durabilityOf(info: string): Durability {
  const faults: string[] = [];
  if (!/^aof_enabled:1\r?$/m.test(info)) faults.push('Redis keeps no append-only file (appendonly yes)');
  if (!/^maxmemory_policy:noeviction\r?$/m.test(info)) {
    faults.push('Redis may evict what was written (maxmemory-policy noeviction)');
  }
  return faults.length === 0 ? { durable: true } : { durable: false, why: faults.join('; ') };
}
