import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import type { RedisOptions } from '../../src/platform/redis-connection.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';

/** Upper bound for calls that must fail fast, in milliseconds. Leaves room for a busy machine. */
const SOON_MS = 8_000;
const IMPATIENT = { patience: 200 };
const PATIENT = { patience: 30_000 };

describe('storage during a Redis outage', () => {
  let server: RedisServer;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    server = await startRedis();
  });
  afterEach(() => server.stop());

  /** Opens a storage that holds `kept` under the key `a`. */
  const open = async (timings: RedisOptions['timings']) => {
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } });
    const storage = createRedisStorage({ url: server.url, log, timings });
    onTestFinished(() => storage.close());
    await eventually(() => storage.set('a', 'kept'));
    return storage;
  };

  const rejectsSoon = async (calls: Promise<unknown>[]) => {
    const started = performance.now();
    const answers = await Promise.allSettled(calls);
    expect(performance.now() - started).toBeLessThan(SOON_MS);
    for (const answer of answers) {
      expect(answer.status === 'rejected' && answer.reason).toBeInstanceOf(StorageUnavailable);
    }
  };

  it('rejects every call after its timeout, and continues with its data afterwards', async () => {
    const storage = await open(IMPATIENT);
    await server.kill();
    await rejectsSoon([
      storage.get('a'),
      storage.set('a', 'x'),
      storage.add('b', 'x'),
      storage.replace('a', 'kept', 'x'),
      storage.delete('a'),
      storage.index.put('i', 'm', 1),
      storage.index.upTo('i', 1, 1),
      storage.chats.begin({ chat: 1, update: 1, token: 't', leaseMs: 1_000 }),
      storage.chats.commit({ chat: 1, update: 1, token: 't', changes: {} }),
      storage.chats.release({ chat: 1, token: 't' }),
      storage.durability(),
      storage.ping(),
    ]);
    await server.restart();
    expect(await eventually(() => storage.get('a'))).toBe('kept');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['redis is out of reach', 'redis is back']);
  });

  it('rejects calls to a frozen Redis, and continues when it responds again', async () => {
    const storage = await open({ ...IMPATIENT, silence: 100 });
    server.pause();
    await rejectsSoon([storage.get('a'), storage.chats.release({ chat: 1, token: 't' }), storage.ping()]);
    await rejectsSoon([storage.get('a')]);
    server.resume();
    expect(await eventually(() => storage.get('a'))).toBe('kept');
  });

  it('completes a call that starts while Redis restarts', async () => {
    const storage = await open(PATIENT);
    await server.kill();
    const answer = storage.get('a');
    await server.restart();
    expect(await answer).toBe('kept');
  });

  it('rejects calls immediately after it was closed', async () => {
    const storage = await open(PATIENT);
    await storage.close();
    await expect(storage.get('a')).rejects.toThrow(StorageUnavailable);
  });

  it('rejects waiting calls when it is closed', async () => {
    const storage = await open(PATIENT);
    await server.kill();
    await eventually(() => expect(lines).toHaveLength(1));
    const waiting = [storage.get('a'), storage.get('b')];
    await storage.close();
    await rejectsSoon([...waiting, storage.get('a')]);
  });
});

it('closes although it never reached Redis', async () => {
  const server = await startRedis();
  await server.kill();
  onTestFinished(server.stop);
  const log = createLog({ level: 'silent' });
  const storage = createRedisStorage({ url: server.url, log, timings: PATIENT });
  const answer = storage.ping();
  await storage.close();
  await expect(answer).rejects.toThrow(StorageUnavailable);
});
