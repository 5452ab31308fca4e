import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { KNOWN, type Storage, StorageUnavailable, StorageUnfit } from '../../src/platform/storage.ts';
import { recordingLog } from '../support/log-lines.ts';
import { type RedisServer, redisUrl, startRedis } from '../support/redis.ts';
import { describeStorage } from './storage.contract.ts';

const log = createLog({ level: 'silent' });

describe('Redis storage', () => {
  describeStorage(async () => {
    const url = await redisUrl();
    return { storage: createRedisStorage({ url, log }), age: (ms) => ageRecords(url, ms) };
  });
});

/** Brings the end of the lifetime of all records forward. */
async function ageRecords(url: string, ms: number): Promise<void> {
  const redis = new Redis(url);
  for (const key of await redis.keys('*')) {
    const leftMs = await redis.pttl(key);
    // A lifetime that isn't positive deletes the record.
    if (leftMs >= 0) await redis.pexpire(key, leftMs - ms);
  }
  await redis.quit();
}

describe('storage on a Redis server', () => {
  let server: RedisServer;
  let storage: Storage;
  let control: Redis;
  beforeAll(async () => {
    server = await startRedis();
    storage = createRedisStorage({ url: server.url, log });
    control = new Redis(server.url);
  });
  afterAll(async () => {
    control.disconnect();
    await storage.close();
    await server.stop();
  });
  const setting = async (name: string, value: string) => {
    const [, before = ''] = await control.config('GET', name);
    onTestFinished(async () => void (await control.config('SET', name, before)));
    await control.config('SET', name, value);
  };

  it('keeps an open conversation for thirty days and the chat for half a year', async () => {
    const update = { chat: 77, update: 1, token: 't' };
    await storage.chats.begin({ ...update, leaseMs: 1_000 });
    await storage.chats.commit({ ...update, changes: { session: 's', conversation: 'c' } });
    const days = async (key: string) => (await control.pttl(key)) / (24 * 3600_000);
    expect(await days('conversation:{77}')).toBeCloseTo(30, 1);
    expect(await days('chat:{77}')).toBeCloseTo(180, 1);
  });

  describe('without free memory', () => {
    const update = { chat: 78, update: 1, token: 't', leaseMs: 15_000 };
    const next = { ...update, update: 2, token: 'u' };

    it('refuses to begin an update', async () => {
      await setting('maxmemory', '1');
      await expect(storage.chats.begin(next)).rejects.toThrow('OOM');
      await control.config('SET', 'maxmemory', '0');
      expect(await storage.chats.begin(update)).toMatchObject({ kind: 'granted', attempt: 1 });
    });

    it('commits an update that began earlier', async () => {
      await storage.chats.begin(update);
      await setting('maxmemory', '1');
      const changes = { session: 'the next question', conversation: 'open' };
      expect(await storage.chats.commit({ ...update, changes })).toBe('committed');
      await control.config('SET', 'maxmemory', '0');
      expect(await storage.chats.begin(next)).toMatchObject(changes);
    });

    it('refuses a claim and releases its chat', async () => {
      await storage.chats.begin(next);
      await storage.set('operation:{78}', 'draft');
      await setting('maxmemory', '1');
      const claim = { key: 'operation:{78}', expected: 'draft', value: 'claimed' };
      const changes = { session: 'confirmed', claim };
      await expect(storage.chats.commit({ ...next, changes })).rejects.toThrow('OOM');
      await storage.chats.release(next);
      await control.config('SET', 'maxmemory', '0');
      expect(await storage.get('operation:{78}')).toBe('draft');
      const another = { ...update, update: 3, token: 'v' };
      const granted = { kind: 'granted', session: 'the next question' };
      expect(await storage.chats.begin(another)).toMatchObject(granted);
      await storage.chats.release(another);
    });
  });

  it('reads keys that are requested together with one command', async () => {
    const asked = async () =>
      Number(/cmdstat_mget:calls=(\d+)/.exec(await control.info('commandstats'))?.[1] ?? 0);
    const before = await asked();
    await Promise.all([storage.get('x'), storage.get('y'), storage.get('z')]);
    await storage.get('x');
    expect((await asked()) - before).toBe(2);
  });

  it('is durable if the append-only file is on and no record can be evicted', async () => {
    expect(await storage.durability()).toEqual({ durable: true });
  });

  it('may use maxmemory, or else half of the memory of its machine', async () => {
    const machine = Number(/total_system_memory:(\d+)/.exec(await control.info('memory'))?.[1]);
    expect(await storage.inspect()).toMatchObject({ maxBytes: machine / 2 });
    await setting('maxmemory', '100mb');
    expect(await storage.inspect()).toMatchObject({ maxBytes: 100 * 1024 ** 2 });
  });

  it('passes the startup check, which returns its version', async () => {
    await expect(storage.check()).resolves.toMatch(/^(Redis|Valkey) \d+\.\d+/);
  });

  it.each([
    ['an append-only file', 'appendonly', 'no', 'appendonly yes'],
    ['protection from eviction', 'maxmemory-policy', 'allkeys-lru', 'maxmemory-policy noeviction'],
  ])('is not durable without %s', async (_, name, value, expected) => {
    await setting(name, value);
    const why = expect.stringContaining(expected);
    expect(await storage.durability()).toEqual({ durable: false, why });
  });

  it.each(['', 'garbage', 't|soon|1|1', 't|0|5', '|||'])(
    'ignores the invalid lease %j, logs it once and continues with the chat',
    async (lease) => {
      const { log, lines } = recordingLog();
      const own = createRedisStorage({ url: server.url, log });
      onTestFinished(() => own.close());
      await control.hset('chat:{2}', 'lease', lease, 'failed', 'x:y,,-1', 'session', 's');
      const begin = (token: string) => own.chats.begin({ chat: 2, update: 1, token, leaseMs: 0 });
      expect(await begin('a')).toMatchObject({ kind: 'granted', attempt: 1, session: 's' });
      expect(await begin('b')).toMatchObject({ kind: 'granted', attempt: 2 });
      const said = expect.objectContaining({ level: 'error', chat: 2 });
      expect(lines().filter(({ level }) => level === 'error')).toEqual([said]);
      await control.del('chat:{2}');
    },
  );

  it('truncates chat fields that are longer than it ever writes', async () => {
    const long = 'x'.repeat(300_000);
    await control.hset('chat:{3}', 'failed', long, 'handled', long, 'committed', long);
    const update = { chat: 3, update: 1, token: 't' };
    expect(await storage.chats.begin({ ...update, leaseMs: 1_000 })).toMatchObject({ kind: 'granted' });
    expect(await storage.chats.commit({ ...update, changes: {} })).toBe('committed');
    expect(await control.hexists('chat:{3}', 'failed')).toBe(0);
    expect(await control.hstrlen('chat:{3}', 'handled')).toBe(4 * KNOWN.handled);
  });

  it('expires a chat after half a year, or two days if its session is empty', async () => {
    const days = async () => (await control.pttl('chat:{1}')) / (24 * 60 * 60 * 1000);
    for (const [update, session, expected] of [
      [1, 's', 180],
      [2, undefined, 180],
      [3, null, 2],
      [4, undefined, 2],
      [5, 's', 180],
    ] as const) {
      const given = { chat: 1, update, token: `t${update}` };
      await storage.chats.begin({ ...given, leaseMs: 1_000 });
      expect(await days()).toBeCloseTo(180, 1);
      await storage.chats.commit({ ...given, changes: { session, conversation: null } });
      expect(await days()).toBeCloseTo(expected, 1);
    }
  });

  it('is unavailable if Redis is full, and leaks no value in the error', async () => {
    await setting('maxmemory', '1');
    for (const write of [storage.set('a', 'a secret'), storage.add('a', 'a secret')]) {
      const error = await write.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(inspect(error, { depth: 9 })).toContain('OOM');
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('a secret');
    }
  });

  it('reconnects if Redis is read-only, because another server may be the master', async () => {
    const others = async () => {
      const clients = String(await control.client('LIST', 'TYPE', 'NORMAL')).split('\n');
      return clients.map((client) => client.split(' ', 1)[0]).filter((id) => id !== `id=${own}` && id);
    };
    const own = await control.client('ID');
    await storage.checkWritable();
    const before = await others();
    expect(before).toHaveLength(1);
    await control.replicaof('127.0.0.1', 1);
    await expect(storage.set('a', 'x')).rejects.toThrow('READONLY');
    await control.replicaof('NO', 'ONE');
    await storage.set('a', 'x');
    expect(await storage.get('a')).toBe('x');
    expect(await others()).not.toEqual(before);
  });
});

it('keeps the key rules of Redis Cluster: a claim shares the slot of its chat', async () => {
  const server = await startRedis(['--cluster-enabled', 'yes']);
  const storage = createRedisStorage({ url: server.url, log });
  onTestFinished(async () => {
    await storage.close();
    await server.stop();
  });
  const control = new Redis(server.url);
  await control.cluster('ADDSLOTSRANGE', 0, 16383);
  await expect.poll(() => control.cluster('INFO'), { timeout: 60_000 }).toContain('cluster_state:ok');
  await control.quit();

  await expect(storage.check()).rejects.toThrow(new StorageUnfit('cluster'));
  await storage.set('operation:{501}:1', 'drafted');
  await storage.chats.begin({ chat: 501, update: 1, token: 't', leaseMs: 1_000 });
  const commit = (key: string) => {
    const claim = { key, expected: 'drafted', value: 'claimed' };
    return storage.chats.commit({ chat: 501, update: 1, token: 't', changes: { session: 's', claim } });
  };
  await expect(commit('operation:{502}:1')).rejects.toThrow('same slot');
  expect(await commit('operation:{501}:1')).toBe('committed');
});
