import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import type { RedisOptions } from '../../src/platform/redis-connection.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
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
      storage.checkWritable(),
    ]);
    await expect(storage.get('a')).rejects.toThrow('ECONNREFUSED');
    await server.restart();
    expect(await eventually(() => storage.get('a'))).toBe('kept');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'the connection to Redis failed, trying again',
      'Redis is back',
    ]);
  });

  it('reconnects once for all commands that Redis refuses because it is read-only', async () => {
    const storage = await open(IMPATIENT);
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    const warnings: Error[] = [];
    const keep = (warning: Error) => void warnings.push(warning);
    process.on('warning', keep);
    onTestFinished(() => void process.off('warning', keep));
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1]);
    const before = await connections();
    await admin.replicaof('127.0.0.1', 1);
    for (const reconnects of [1, 2]) {
      await rejectsSoon(Array.from({ length: 20 }, (_, at) => storage.set(`b${at}`, 'x')));
      await eventually(async () => expect(await connections()).toBe(before + reconnects));
      expect(await storage.get('a')).toBe('kept');
    }
    await admin.replicaof('NO', 'ONE');
    await eventually(() => storage.set('a', 'x'));
    expect([warnings, lines]).toEqual([[], []]);
  });

  it('rejects calls to a frozen Redis, and continues when it responds again', async () => {
    const storage = await open({ ...IMPATIENT, silence: 100 });
    server.pause();
    await rejectsSoon([
      storage.get('a'),
      storage.chats.release({ chat: 1, token: 't' }),
      storage.checkWritable(),
    ]);
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
  const answer = storage.checkWritable();
  await storage.close();
  await expect(answer).rejects.toThrow(StorageUnavailable);
});

describe('storage while Redis loads its data', () => {
  const LOADING = '-LOADING Redis is loading the dataset in memory\r\n';
  const KEPT = '*1\r\n$4\r\nkept\r\n';

  type Answer = (before: number) => string;

  /** Opens a storage on a fake server that gives each command its nth answer, and OK to commands without answers. */
  async function storageOn(answers: Readonly<Record<string, Answer>>, timings?: RedisOptions['timings']) {
    const asked: Record<string, number> = {};
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('data', (data) => {
        const commands = data.toString().split(/^\*/m).slice(1);
        for (const command of commands) {
          const name = command.split('\r\n')[2]?.toLowerCase() ?? '';
          const before = asked[name] ?? 0;
          asked[name] = before + 1;
          socket.write(answers[name]?.(before) ?? '+OK\r\n');
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const storage = createRedisStorage({ url, log: createLog({ level: 'silent' }), timings });
    onTestFinished(async () => {
      await storage.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { storage, asked };
  }

  test('retries a call until Redis has loaded its data', async () => {
    const { storage, asked } = await storageOn({ mget: (before) => (before < 3 ? LOADING : KEPT) }, PATIENT);
    expect(await storage.get('a')).toBe('kept');
    expect(asked.mget).toBe(4);
  });

  test('rejects as unavailable if Redis loads its data for longer than a call waits', async () => {
    const { storage } = await storageOn({ mget: () => LOADING }, { patience: 100 });
    // A call that waits for the connection doesn't learn the reason.
    await eventually(async () => {
      const error = await storage.get('a').catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(error).toMatchObject({ message: expect.stringContaining('LOADING') });
    });
  });

  test('does not retry any other error', async () => {
    const { storage, asked } = await storageOn({ mget: () => '-ERR no\r\n' }, PATIENT);
    await expect(storage.get('a')).rejects.toThrow(StorageUnavailable);
    expect(asked.mget).toBe(1);
  });

  const info = (text: string) => `$${text.length}\r\n${text}\r\n`;

  test('waits at the start longer than its patience, as long as Redis makes progress', async () => {
    const { storage } = await storageOn({
      ping: (before) => (before < 4 ? LOADING : '+PONG\r\n'),
      info: (before) => info(`redis_version:7.4.0\r\nloading_loaded_bytes:${1_000 * before}\r\n`),
    });
    expect(await storage.check({ patienceMs: 1 })).toBe('Redis 7.4.0');
  });

  test('does not report the condition of Redis before it has loaded its data', async () => {
    const { storage } = await storageOn({ info: () => info('loading:1\r\naof_enabled:0\r\n') });
    await expect(storage.inspect()).rejects.toThrow('LOADING');
  });

  test('gives up the start if Redis makes no progress, and says why', async () => {
    const { storage } = await storageOn({
      ping: () => LOADING,
      info: () => info('loading_loaded_bytes:1000\r\n'),
    });
    await expect(storage.check({ patienceMs: 1 })).rejects.toThrow('LOADING');
  });
});

describe('storage with a replica', () => {
  /** Opens a master with a replica, the storage on the master, and a client for each server. */
  async function openReplicated() {
    const [master, replica] = await Promise.all([startRedis(), startRedis()]);
    const storage = createRedisStorage({ url: master.url, log: silentLog() });
    const consoles = { master: new Redis(master.url), replica: new Redis(replica.url) };
    onTestFinished(async () => {
      for (const one of Object.values(consoles)) one.disconnect();
      await storage.close();
      await Promise.all([master.stop(), replica.stop()]);
    });
    await consoles.master.config('SET', 'repl-diskless-sync-delay', '0');
    await consoles.replica.replicaof('127.0.0.1', Number(new URL(master.url).port));
    // An online replica isn't enough: the master streams writes to it only after its first acknowledgement.
    await eventually(async () => {
      await consoles.master.set('streamed', 'yes');
      expect(await consoles.master.wait(1, 100)).toBe(1);
      expect(await consoles.replica.get('streamed')).toBe('yes');
    });
    return { storage, replica, consoles };
  }

  test('reports the number of connected replicas', async () => {
    const { storage, replica } = await openReplicated();
    expect((await storage.inspect())?.replicaLagsS.length).toBe(1);
    await replica.kill();
    await eventually(async () => expect((await storage.inspect())?.replicaLagsS.length).toBe(0));
  });

  test('a secured record is on the replica that would take over', async () => {
    const { storage, consoles } = await openReplicated();
    await storage.set('a', 'step', { ttlMs: 60_000 });
    // A replica that has just connected is rewriting its own file and may once respond too late.
    await eventually(async () => expect(await storage.secure('a', 'step', { ttlMs: 60_000 })).toBe(true));
    expect(await consoles.replica.get('a')).toBe('step');
    expect(await consoles.replica.pttl('a')).toBeGreaterThan(0);
  });

  test('a record without an acknowledgement of a replica is not secured', async () => {
    const { storage, replica } = await openReplicated();
    await storage.set('a', 'step');
    replica.pause();
    expect(await storage.secure('a', 'step')).toBe(false);
    replica.resume();
    await eventually(async () => expect(await storage.secure('a', 'step')).toBe(true));
  });

  test('a record lost in a failover is not secured, although the new master works', async () => {
    const { storage, consoles } = await openReplicated();
    await storage.set('a', 'step');
    // Simulates the new master: an older record under the same key.
    await consoles.master.set('a', 'before the step');
    expect(await storage.secure('a', 'step')).toBe(false);
    expect(await storage.get('a')).toBe('before the step');
  });
});
