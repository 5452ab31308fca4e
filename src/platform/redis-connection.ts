import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import type { Log } from './log.ts';
import { scripts } from './redis-scripts.ts';
import { type LackingPermissions, StorageUnavailable, type UnknownCommands } from './storage.ts';

const TIMINGS = {
  /** Time for which a call without a connection is retried. */
  patience: 1_500,
  /** Maximum time without a response before the connection is closed and opened again. */
  silence: 1_000,
  pause: 10,
};

export interface RedisOptions {
  url: string;
  log: Log;
  /** Called when Redis refuses a command that its user may not use or that it doesn't know. */
  onCommandRefused?: () => void;
  timings?: Partial<typeof TIMINGS>;
}

export type RedisConnection = ReturnType<typeof connectRedis>;

/**
 * Opens a connection that reconnects by itself. When it fails, all waiting and in-flight commands are rejected, and
 * ioredis sends none again. So no command executes after its caller got an error.
 */
export function connectRedis({ url, log, onCommandRefused, timings }: RedisOptions) {
  const { patience, silence, pause } = { ...TIMINGS, ...timings };
  let closed = false;
  /** Whether the connection is being replaced, so that further refused commands don't replace it again. */
  let isReplaced = false;
  const redis = new Redis(url, {
    scripts,
    enableAutoPipelining: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: silence,
    socketTimeout: silence,
    retryStrategy: (times) => (closed ? null : Math.min(5 * 2 ** times, 500)),
    // The address may lead to another server after a failover.
    reconnectOnError(error) {
      if (isReplaced || !error.message.startsWith('READONLY')) return false;
      isReplaced = true;
      return true;
    },
  });
  redis.on('close', () => {
    isReplaced = false;
  });

  let reached = true;
  let failure: string | undefined;
  redis.on('error', (error) => {
    failure = reasonOf(error);
    // If this lasts, the health check of the storage reports what it means.
    if (reached && !closed) log.warn({ reason: failure }, 'the connection to Redis failed, trying again');
    reached = false;
  });
  redis.on('ready', () => {
    if (closed) redis.disconnect();
    else if (!reached) log.info('Redis is back');
    reached = true;
  });

  return {
    /** Returns the text of the last failure, also if the connection continued, for example with another database. */
    lastFailure: () => failure,
    /**
     * Executes a call that is safe to repeat, again after a lost connection. Rejects with {@link StorageUnavailable} if
     * Redis rejects the call, or can't be reached for about two seconds or `patienceMs`. The error contains Redis's
     * message and nothing of the call.
     */
    async call<T>(run: (redis: Redis) => Promise<T>, patienceMs: number = patience): Promise<T> {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        try {
          if (closed) throw new Error('closed');
          return await run(redis);
        } catch (error) {
          const over = performance.now() + pause > deadline || closed;
          if (isCommandRefused(error)) onCommandRefused?.();
          if (isRefusal(error)) throw unavailable(error);
          // ioredis only says that it gave up. The cause came with the connection's last failure, unless it was just closed.
          if (over)
            throw reached || failure === undefined ? unavailable(error) : new StorageUnavailable(failure);
        }
        await sleep(pause);
      }
    },
    async close(): Promise<void> {
      closed = true;
      if (redis.status === 'ready') await redis.quit().catch(() => {});
      // While reconnecting, `disconnect` would drop the waiting calls. The next attempt is the last and ends the
      // connection.
      if (redis.status !== 'reconnecting') redis.disconnect();
    },
  };
}

/** Returns whether Redis rejected the call for another reason than that it is still loading its data. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError && !isLoading(error);
}

/**
 * Text of Redis if its user lacks a permission: for a command, and for one within a script (before and since 7.2). The last
 * ones are about an unknown command, also within a script.
 */
const COMMAND_REFUSED =
  /^NOPERM|The user executing the script can't|ACL failure in script|^ERR unknown command|Unknown Redis command/;

function isCommandRefused(error: unknown): boolean {
  return error instanceof ReplyError && error instanceof Error && COMMAND_REFUSED.test(error.message);
}

/** Returns whether Redis rejected the call because it is still loading its data. */
export function isLoading(error: unknown): error is Error {
  return error instanceof ReplyError && error instanceof Error && error.message.startsWith('LOADING');
}

/**
 * Returns an error without `cause`: ioredis attaches the command and its arguments, which may be secret, to its errors.
 */
function unavailable(error: unknown): StorageUnavailable {
  return new StorageUnavailable(reasonOf(error));
}

/**
 * Returns the text of an error without the arguments of an unknown command, which may contain the password, and without
 * the hash of a script.
 */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown reason';
  if (text.startsWith('Reached the max retries')) return 'the connection was closed';
  return text.replace(/,? with args beginning with:.*| script: [\da-f]{40}.*/s, '');
}

/** Permissions that cover all commands of the bot (docs/operating/install.md). It uses no pub/sub channels. */
export const REDIS_PERMISSIONS = '~* +@all -@admin -@dangerous +info +config|get';
const TIMEOUT_MS = 2_000;

/** Commands of the storage and its scripts, with valid arguments. `K` means a key. */
export const NEEDED_COMMANDS: readonly string[] = [
  'del K | get K | mget K K | pexpire K 1 | pttl K | scan 0 | set K v',
  'exists K | setrange K 0 v | hdel K f | hexists K f | hget K f | hgetall K | hincrby K f 1 | hmget K f | hset K f v',
  'zadd K 1 v | zcard K | zrange K 0 0 | zrangebyscore K 0 1 | zrem K v',
  'zrevrange K 0 0 | zrevrangebyscore K 1 0 | zrevrank K v | zscore K v',
  `eval return 1 K | evalsha ${'0'.repeat(40)} 1 K | info server | ping | select 0 | time | wait 0 0`,
].flatMap((line) => line.split(' | '));

/**
 * Returns the permissions that the Redis user of `url` lacks, or the commands that the server doesn't know, or `undefined`.
 * No command is executed: all are only queued in a transaction, after Redis has checked them, and then discarded. Rejects
 * if Redis can't be reached.
 */
export async function refusedCommands(
  url: string,
): Promise<LackingPermissions | UnknownCommands | undefined> {
  // This connection never reconnects: without the transaction the commands would be executed.
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
  });
  // The storage's own connection reports errors.
  redis.on('error', () => {});
  const key = `permission-check:${randomUUID()}`;
  try {
    await redis.connect();
    const opening = await refusal(redis, 'multi', key);
    // Without a transaction nothing can be checked.
    if (opening === 'command') return { commands: ['MULTI'], keys: false };
    if (opening !== undefined) return opening === 'unknown' ? { unknown: ['MULTI'] } : undefined;
    const refusals = await Promise.all(NEEDED_COMMANDS.map((command) => refusal(redis, command, key)));
    const namesOf = (kind: Refusal) => NEEDED_COMMANDS.filter((_, at) => refusals[at] === kind).map(nameOf);
    const commands = namesOf('command');
    const keys = refusals.includes('key');
    if (keys || commands.length > 0) return { commands, keys };
    const unknown = namesOf('unknown');
    return unknown.length > 0 ? { unknown } : undefined;
  } finally {
    redis.disconnect();
  }
}

/** Which permission the user lacks for a command, or that the server doesn't know it. `other`: another error. */
type Refusal = 'command' | 'key' | 'unknown' | 'other';

async function refusal(redis: Redis, command: string, key: string): Promise<Refusal | undefined> {
  const [name = '', ...given] = command.split(' ');
  try {
    await redis.call(name, ...given.map((argument) => (argument === 'K' ? key : argument)));
    return undefined;
  } catch (error) {
    if (!(error instanceof ReplyError && error instanceof Error)) throw error;
    if (error.message.startsWith('ERR unknown command')) return 'unknown';
    if (!error.message.startsWith('NOPERM')) return 'other';
    return /\bkeys?\b/.test(error.message) ? 'key' : 'command';
  }
}

function nameOf(command: string): string {
  return command.toUpperCase().split(' ')[0] ?? '';
}
