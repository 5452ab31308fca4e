import { Redis } from 'ioredis';
import { inject } from 'vitest';

export { type RedisServer, startRedis } from './redis-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string;
  }
}

/**
 * Returns the URL of an empty database on the run's shared server, for this caller only. Use `startRedis` for anything
 * that affects a whole server (`CLIENT KILL`, `SCRIPT FLUSH`, another configuration).
 */
export async function redisUrl(): Promise<string> {
  const url = new URL(inject('redisUrl'));
  const redis = new Redis(url.href);
  const [, databases = '16'] = await redis.config('GET', 'databases').catch(() => []);
  const taken = await redis.incr('databases taken');
  url.pathname = `/${1 + (taken % (Number(databases) - 1))}`;
  await redis.select(Number(url.pathname.slice(1)));
  await redis.flushdb();
  await redis.quit();
  return url.href;
}
