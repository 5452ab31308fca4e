import { Redis } from 'ioredis';
import { z } from 'zod';

/** Text, or base64 of bytes that aren't valid UTF-8. */
const bytesSchema = z.union([z.string(), z.object({ base64: z.string() })]);
type Bytes = z.infer<typeof bytesSchema>;

const valueSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('string'), value: bytesSchema }),
  z.object({ type: z.literal('hash'), fields: z.array(z.tuple([z.string(), bytesSchema])) }),
  z.object({ type: z.literal('zset'), members: z.array(z.tuple([z.string(), z.string()])) }),
]);

const storedKeySchema = z.intersection(
  z.object({
    key: z.string(),
    /** Milliseconds until the key expires, counted from `takenAt`. */
    ttlMs: z.number().optional(),
  }),
  valueSchema,
);
type StoredKey = z.infer<typeof storedKeySchema>;

const storedDataSchema = z.object({
  /** Commit of the version that wrote the data. */
  commit: z.string(),
  /** Epoch milliseconds. */
  takenAt: z.number(),
  /** `SECRET_KEY` in base64. */
  secretKey: z.string(),
  keys: z.array(storedKeySchema),
});

/** All keys of a Redis database as one version of the bot wrote them, for tests of upgrades. */
export type StoredData = z.infer<typeof storedDataSchema>;

export function parseStoredData(text: string): StoredData {
  return storedDataSchema.parse(JSON.parse(text));
}

/**
 * Reads all keys of a database except those that start with `except`.
 *
 * @throws Error if a key holds another type than a string, a hash or a sorted set.
 */
export async function readKeys(url: string, except: string): Promise<StoredKey[]> {
  const redis = new Redis(url);
  const names = (await redis.keys('*')).filter((name) => !name.startsWith(except)).sort();
  const keys = await Promise.all(names.map((name) => readKey(redis, name)));
  await redis.quit();
  return keys;
}

async function readKey(redis: Redis, key: string): Promise<StoredKey> {
  const [type, ttlMs] = await Promise.all([redis.type(key), redis.pttl(key)]);
  const about = { key, ...(ttlMs > 0 && { ttlMs }) };
  switch (type) {
    case 'string':
      return { ...about, type, value: readable(await redis.getBuffer(key)) };
    case 'hash': {
      const fields = Object.entries(await redis.hgetallBuffer(key));
      return { ...about, type, fields: fields.map(([name, value]) => [name, readable(value)]) };
    }
    case 'zset': {
      const flat = await redis.zrange(key, '0', '-1', 'WITHSCORES');
      const members = flat.flatMap((one, at): [string, string][] =>
        at % 2 === 0 ? [[one, flat[at + 1] ?? '']] : [],
      );
      return { ...about, type, members };
    }
    default:
      throw new Error(`${key} has the unsupported type ${type}`);
  }
}

/** Writes the keys into an empty database. TTLs start again, so that no key has expired however old the data is. */
export async function writeKeys(url: string, { keys }: Pick<StoredData, 'keys'>): Promise<void> {
  const redis = new Redis(url);
  await Promise.all(keys.map((stored) => writeKey(redis, stored)));
  await redis.quit();
}

async function writeKey(redis: Redis, stored: StoredKey): Promise<void> {
  const { key, ttlMs } = stored;
  if (stored.type === 'string') await redis.set(key, toBytes(stored.value));
  else if (stored.type === 'hash')
    await redis.hset(key, ...stored.fields.flatMap(([name, value]) => [name, toBytes(value)]));
  else await redis.zadd(key, ...stored.members.flatMap(([member, score]) => [score, member]));
  if (ttlMs !== undefined) await redis.pexpire(key, ttlMs);
}

function readable(bytes: Buffer | null): Bytes {
  if (bytes === null) return '';
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : { base64: bytes.toString('base64') };
}

function toBytes(value: Bytes): string | Buffer {
  return typeof value === 'string' ? value : Buffer.from(value.base64, 'base64');
}
