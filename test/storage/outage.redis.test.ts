import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../src/log.ts';
import { createRedisStorage } from '../../src/storage/redis.ts';
import { type Storage, StorageUnavailable } from '../../src/storage/storage.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';

/** About two seconds, on a busy machine. */
const SOON_MS = 8_000;

const back = (storage: Storage) => vi.waitFor(() => storage.ping(), { timeout: 10_000 });

describe('storage whose Redis is gone', () => {
  let server: RedisServer;
  let storage: Storage;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } });
    server = await startRedis();
    storage = createRedisStorage({ url: server.url, log });
    await storage.set('a', 'kept');
  });
  afterEach(async () => {
    await storage.close();
    await server.stop();
  });

  const rejectsSoon = async (calls: Promise<unknown>[]) => {
    const started = performance.now();
    const answers = await Promise.allSettled(calls);
    expect(performance.now() - started).toBeLessThan(SOON_MS);
    for (const answer of answers) {
      expect(answer.status === 'rejected' && answer.reason).toBeInstanceOf(StorageUnavailable);
    }
  };

  it('rejects every call after about two seconds, and goes on with what was kept', async () => {
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
    await back(storage);
    expect(await storage.get('a')).toBe('kept');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['redis is out of reach', 'redis is back']);
  });

  it('rejects what a frozen Redis does not answer, and goes on when it thaws', async () => {
    server.pause();
    await rejectsSoon([storage.get('a'), storage.chats.release({ chat: 1, token: 't' }), storage.ping()]);
    await rejectsSoon([storage.get('a')]);
    server.resume();
    await back(storage);
    expect(await storage.get('a')).toBe('kept');
  });

  it('answers a call that comes while Redis restarts', async () => {
    await server.kill();
    const answer = storage.get('a');
    await server.restart();
    expect(await answer).toBe('kept');
  });

  it('rejects at once when closed', async () => {
    await storage.close();
    await expect(storage.get('a')).rejects.toThrow(StorageUnavailable);
  });

  it('rejects what waits for it when it is closed', async () => {
    await server.kill();
    await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 8_000 });
    const waiting = [storage.get('a'), storage.get('b')];
    await storage.close();
    await rejectsSoon([...waiting, storage.get('a')]);
  });
});

it('closes though it never reached Redis', async () => {
  const server = await startRedis();
  await server.kill();
  onTestFinished(server.stop);
  const storage = createRedisStorage({ url: server.url, log: createLog({ level: 'silent' }) });
  const answer = storage.ping();
  await storage.close();
  await expect(answer).rejects.toThrow(StorageUnavailable);
});
