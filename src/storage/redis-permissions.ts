import { randomUUID } from 'node:crypto';
import { Redis, ReplyError } from 'ioredis';

/** Permissions that cover all that the bot and BullMQ need (README.md, Redis). Neither uses pub/sub channels. */
export const REDIS_PERMISSIONS = '~* +@all -@admin -@dangerous +info +config|get';
/** Reported commands; a user without any permission lacks all of them. */
const MAX_REPORTED = 6;
const TIMEOUT_MS = 2_000;

/** Commands of the storage and of BullMQ's scripts, with valid arguments. `K` means a key. */
export const NEEDED_COMMANDS: readonly string[] = [
  ...['del K', 'exists K', 'get K', 'incr K', 'incrby K 1', 'mget K K', 'set K v', 'type K', 'unlink K'],
  ...['persist K', 'pexpire K 1', 'pexpireat K 1', 'pttl K', 'rename K K', 'scan 0'],
  ...['hdel K f', 'hexists K f', 'hget K f', 'hgetall K', 'hincrby K f 1', 'hlen K', 'hmget K f'],
  ...['hmset K f v', 'hset K f v'],
  ...['lindex K 0', 'llen K', 'lpop K', 'lpos K v', 'lpush K v', 'lrange K 0 0', 'lrem K 0 v', 'lset K 0 v'],
  ...['ltrim K 0 0', 'rpop K', 'rpoplpush K K', 'rpush K v'],
  ...['sadd K v', 'scard K', 'sismember K v', 'smembers K', 'srem K v'],
  ...[
    'bzpopmin K 1',
    'zadd K 1 v',
    'zcard K',
    'zcount K 0 1',
    'zlexcount K - +',
    'zpopmin K',
    'zrange K 0 0',
  ],
  ...['zrangebylex K - +', 'zrangebyscore K 0 1', 'zrem K v', 'zremrangebyrank K 0 0'],
  ...['zremrangebyscore K 0 1', 'zrevrange K 0 0', 'zrevrangebyscore K 1 0', 'zrevrank K v', 'zscore K v'],
  ...['xadd K * f v', 'xdel K 1', 'xlen K', 'xrange K - +', 'xread streams K 0', 'xtrim K maxlen 1'],
  ...['eval return 1 K', `evalsha ${'0'.repeat(40)} 1 K`, 'client setname probe', 'info server', 'ping'],
  ...['select 0', 'time', 'wait 0 0'],
];

/**
 * Returns what the Redis user of `url` lacks, as a line for the operator, or `undefined`. Nothing is executed: the
 * commands are only queued in a transaction, which Redis does after it has checked permissions, and then dropped. Rejects
 * if Redis can't be reached.
 */
export async function missingPermissions(url: string): Promise<string | undefined> {
  // This connection never reconnects: without the transaction the commands would be executed.
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
  });
  // The storage's own connection reports them.
  redis.on('error', () => {});
  const key = `permission-check:${randomUUID()}`;
  try {
    await redis.connect();
    const opening = await refusal(redis, 'multi', key);
    // Without a transaction nothing can be checked.
    if (opening !== undefined)
      return lineOf({ commands: opening === 'command' ? ['MULTI'] : [], keys: false });
    const refusals = await Promise.all(
      NEEDED_COMMANDS.map(async (command) => ({ command, why: await refusal(redis, command, key) })),
    );
    const commands = refusals.flatMap(({ command, why }) => (why === 'command' ? [nameOf(command)] : []));
    return lineOf({ commands, keys: refusals.some(({ why }) => why === 'key') });
  } finally {
    redis.disconnect();
  }
}

/** Returns what the user lacks for a command, `other` for an error that isn't about permissions, or `undefined`. */
async function refusal(
  redis: Redis,
  command: string,
  key: string,
): Promise<'command' | 'key' | 'other' | undefined> {
  const [name = '', ...given] = command.split(' ');
  try {
    await redis.call(name, ...given.map((argument) => (argument === 'K' ? key : argument)));
    return undefined;
  } catch (error) {
    if (!(error instanceof ReplyError && error instanceof Error)) throw error;
    if (!error.message.startsWith('NOPERM')) return 'other';
    return /\bkeys?\b/.test(error.message) ? 'key' : 'command';
  }
}

function lineOf({ commands, keys }: { commands: string[]; keys: boolean }): string | undefined {
  if (commands.length === 0 && !keys) return undefined;
  const more = commands.length - MAX_REPORTED;
  const named = [...commands.slice(0, MAX_REPORTED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const lacks = [...(named ? [`commands (${named})`] : []), ...(keys ? ['keys'] : [])].join(' and ');
  return `REDIS_URL: this Redis user lacks permission for ${lacks}; expected the permissions ${REDIS_PERMISSIONS}`;
}

function nameOf(command: string): string {
  const [name = '', subcommand = ''] = command.toUpperCase().split(' ');
  return name === 'CLIENT' ? `${name} ${subcommand}` : name;
}
