import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import type { Log } from '../log.ts';
import { scripts } from './redis-scripts.ts';
import { StorageUnavailable } from './storage.ts';

/** In milliseconds. */
const TIMINGS = {
  /** How long a call without a connection is tried again. */
  patience: 1_500,
  /** A server that owes an answer for so long is cut off, and connected to again. */
  silence: 1_000,
  /** Between two tries of a call. */
  pause: 10,
};

export interface RedisOptions {
  url: string;
  log: Log;
  timings?: Partial<typeof TIMINGS>;
}

export interface RedisConnection {
  /**
   * Runs a call that is safe to repeat, again after a lost connection. Rejects with {@link StorageUnavailable}, which
   * carries Redis' own words and nothing of the call, when Redis refuses it or can't be reached for about two seconds,
   * or `patienceMs`.
   */
  call<T>(run: (redis: Redis) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Calls `listener` each time a lost connection is back. */
  onReconnect(listener: () => void): void;
  close(): Promise<void>;
}

/**
 * One connection that reconnects by itself. Whatever waits for it or is in flight on it is rejected when it fails, and
 * ioredis sends nothing again by itself: so nothing runs after its caller was told that it failed.
 */
export function connectRedis({ url, log, timings }: RedisOptions): RedisConnection {
  const { patience, silence, pause } = { ...TIMINGS, ...timings };
  let closed = false;
  const redis = new Redis(url, {
    scripts,
    enableAutoPipelining: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: silence,
    socketTimeout: silence,
    retryStrategy: (times) => (closed ? null : Math.min(5 * 2 ** times, 500)),
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });

  const listeners: (() => void)[] = [];
  let wasReady = false;
  let reached = true;
  redis.on('error', (error) => {
    if (reached) log.error({ reason: error.message }, 'redis is out of reach');
    reached = false;
  });
  redis.on('ready', () => {
    if (closed) redis.disconnect();
    else if (wasReady) for (const listener of listeners) listener();
    if (!closed && !reached) log.info('redis is back');
    reached = true;
    wasReady = true;
  });

  return {
    async call(run, patienceMs = patience) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        try {
          if (closed) throw new Error('closed');
          return await run(redis);
        } catch (error) {
          const over = performance.now() + pause > deadline || closed;
          if (over || isRefusal(error)) throw unavailable(error);
        }
        await sleep(pause);
      }
    },
    onReconnect: (listener) => void listeners.push(listener),
    async close() {
      closed = true;
      if (redis.status === 'ready') await redis.quit().catch(() => {});
      // Between two attempts it would forget its waiting calls: there its next attempt, the last one, ends it.
      if (redis.status !== 'reconnecting') redis.disconnect();
    },
  };
}

/** An answer of Redis, other than that it is still reading its data. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError && !(error instanceof Error && error.message.startsWith('LOADING'));
}

/** No `cause`: ioredis hangs the command and its arguments, which may be secret, on its errors. */
function unavailable(error: unknown): StorageUnavailable {
  return new StorageUnavailable(error instanceof Error ? error.message : 'unknown reason');
}
