import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createContinuityWatch } from '../../src/operations/continuity.ts';
import { CONTINUITY as DEFINITION } from '../../src/platform/redis-continuity.ts';
import { scripts } from '../../src/platform/redis-scripts.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { LOSS_LASTS_MS, type Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';

const CONTINUITY = DEFINITION.keys;
const CHAT = 501;
const SETTINGS = [
  ...['--appendfsync', 'always', '--repl-diskless-sync-delay', '0'],
  ...['--enable-debug-command', 'local'],
];

async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  return work(redis).finally(() => redis.disconnect());
}

/** Starts a Redis server for one test, with functions to open processes on it. */
async function openServer() {
  const server = await startRedis(SETTINGS);
  onTestFinished(() => server.stop());
  let commits = 0;
  return {
    server,
    process(): Storage {
      const storage = createRedisStorage({ url: server.url, log: silentLog() });
      onTestFinished(() => storage.close());
      return storage;
    },
    console: <T>(work: (redis: Redis) => Promise<T>) => withRedis(server.url, work),
    /** Commits the claim of a draft, as the update of a tap does. */
    async claim(storage: Storage, epoch: string) {
      commits += 1;
      const key = `operation:{${CHAT}}:${commits}`;
      const update = { chat: CHAT, update: commits, token: `${commits}` };
      await storage.set(key, 'draft');
      await storage.chats.begin({ ...update, leaseMs: 60_000 });
      const claim = { key, expected: 'draft', value: 'claimed', epoch };
      const committed = await storage.chats.commit({ ...update, changes: { claim } });
      await storage.chats.release(update);
      return committed;
    },
    async restart(before: () => Promise<unknown> = async () => {}): Promise<void> {
      await server.kill();
      await before();
      await server.restart();
    },
  };
}

/** Returns the continuity that a process finds once it has reached the server again. */
const found = (storage: Storage) => eventually(() => storage.continuity());

describe('continuity', () => {
  test('keeps its epoch while Redis runs, also for processes that start later', async () => {
    const { process, claim } = await openServer();
    const first = process();
    const { epoch, cause } = await first.continuity();
    expect(cause).toBe('new');
    expect(await claim(first, epoch)).toBe('committed');
    for (const storage of [process(), first]) expect(await storage.continuity()).toMatchObject({ epoch });
  });

  test('keeps its epoch over dropped connections and a flushed script cache', async () => {
    const { process, claim, console } = await openServer();
    const storage = process();
    const { epoch } = await storage.continuity();
    for (let times = 0; times < 10; times += 1) {
      await console(async (redis) => {
        await redis.script('FLUSH');
        await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      });
      expect(await claim(storage, epoch)).toBe('committed');
    }
    expect(await storage.continuity()).toMatchObject({ epoch });
  });

  test('counts the age of an epoch on when the clock is set back', async () => {
    const { process, console } = await openServer();
    const storage = process();
    const { epoch } = await storage.continuity();
    await console(async (redis) => {
      const since = await redis.hget(CONTINUITY, 'since');
      await redis.hset(CONTINUITY, 'since', Number(since) + 3600_000);
    });
    await eventually(async () => {
      const present = await storage.continuity();
      expect(present.epoch).toBe(epoch);
      expect(present.ageMs).toBeGreaterThan(20);
    });
  });

  test('is restarted for all processes if one of them kept running, whichever checks first', async () => {
    const { process, restart } = await openServer();
    const survivors = [process(), process()];
    const [{ epoch: former }] = [await found(process()), ...(await Promise.all(survivors.map(found)))];
    await restart();
    const newcomer = process();
    const { epoch, cause } = await found(newcomer);
    expect(cause).toBe('unproved');
    expect(epoch).not.toBe(former);
    for (const storage of [...survivors, newcomer])
      expect(await found(storage)).toMatchObject({ epoch, cause: 'restarted' });
  });

  test('stays unproved after a restart that no process survived', async () => {
    const { process, restart } = await openServer();
    const former = process();
    const { epoch } = await former.continuity();
    await former.close();
    await restart();
    const newcomers = [process(), process()];
    const present = await found(process());
    expect(present.cause).toBe('unproved');
    expect(present.epoch).not.toBe(epoch);
    for (const storage of [...newcomers, ...newcomers])
      expect(await found(storage)).toMatchObject({ epoch: present.epoch, cause: 'unproved' });
  });

  test('is lost for a process that saw a later check, although others raised the count since', async () => {
    const { server, process, restart } = await openServer();
    const [seeing, unaware] = [process(), process()];
    await seeing.continuity();
    await unaware.continuity();
    const putBack = await server.copyData();
    await seeing.continuity();
    await restart(putBack);
    for (let times = 0; times < 9; times += 1) await found(unaware);
    expect(await unaware.continuity()).toMatchObject({ cause: 'restarted' });
    const { epoch, cause } = await found(seeing);
    expect(cause).toBe('lost');
    for (const storage of [unaware, process(), seeing])
      expect(await storage.continuity()).toMatchObject({ epoch, cause });
  });

  test('settles on one epoch after a loss that several processes prove', async () => {
    const { process, console } = await openServer();
    const processes = [process(), process(), process()];
    for (const storage of processes) await storage.continuity();
    await console((redis) => redis.flushall());
    const causes = await Promise.all(processes.map(async (storage) => (await storage.continuity()).cause));
    expect(new Set(causes)).toEqual(new Set(['lost']));
    const { epoch } = await process().continuity();
    for (const storage of processes) expect(await storage.continuity()).toMatchObject({ epoch });
  });

  test('is lost if Redis reads an older snapshot while it runs', async () => {
    const { process, console, claim } = await openServer();
    const survivor = process();
    const { epoch } = await survivor.continuity();
    await console((redis) => redis.save());
    await survivor.continuity();
    await console((redis) => redis.call('DEBUG', 'RELOAD', 'NOSAVE'));
    expect(await claim(survivor, epoch)).toBe('conflict');
    expect(await survivor.continuity()).toMatchObject({ cause: 'lost' });
  });

  test('is lost if the data is older than its missing record', async () => {
    const { process } = await openServer();
    const { epoch, cause } = await process().continuity({ isExpected: true });
    expect(cause).toBe('lost');
    expect(await process().continuity({ isExpected: true })).toMatchObject({ epoch, cause });
  });

  test.each([true, false])(
    'stays lost over restarts soon after, and payments closed (bot restarted: %s)',
    async (isStopped) => {
      const { process, console, restart } = await openServer();
      const survivor = process();
      await survivor.continuity();
      await console((redis) => redis.flushall());
      const { epoch } = await survivor.continuity();
      if (isStopped) await survivor.close();
      await restart();
      const storage = isStopped ? process() : survivor;
      const present = await found(storage);
      expect(present).toMatchObject({ cause: 'lost' });
      expect(present.epoch).not.toBe(epoch);
      const watch = createContinuityWatch({ storage, report: async () => {}, log: silentLog() });
      expect(await watch.obstacle()).toMatchObject({ by: 'data-lost' });
      await console(async (redis) => {
        const since = await redis.hget(CONTINUITY, 'since');
        await redis.hset(CONTINUITY, 'since', Number(since) - LOSS_LASTS_MS);
      });
      await restart();
      expect(await found(process())).toMatchObject({ cause: 'unproved' });
    },
  );

  test('is lost when an older epoch is restored, also without a restart', async () => {
    const { process, console } = await openServer();
    const survivor = process();
    const { epoch } = await survivor.continuity();
    await console(async (redis) => {
      const backup = await redis.dumpBuffer(CONTINUITY);
      await redis.flushall();
      expect(await survivor.continuity()).toMatchObject({ cause: 'lost' });
      await redis.restore(CONTINUITY, 0, backup ?? '', 'REPLACE');
    });
    const present = await survivor.continuity();
    expect(present.cause).toBe('lost');
    expect(present.epoch).not.toBe(epoch);
  });

  test('is unproved when a running Redis takes over the data of another one', async () => {
    const { server, process, console } = await openServer();
    const former = process();
    const { epoch } = await former.continuity();
    await former.close();
    const backup = await startRedis(SETTINGS);
    onTestFinished(() => backup.stop());
    const follow = async (redis: Redis, of: string) => {
      await redis.replicaof('127.0.0.1', new URL(of).port);
      await eventually(async () =>
        expect(await redis.info('replication')).toContain('master_link_status:up'),
      );
      await redis.replicaof('NO', 'ONE');
    };
    const copy = new Redis(backup.url);
    onTestFinished(() => copy.disconnect());
    await follow(copy, server.url);
    await console((redis) => follow(redis, backup.url));
    const present = await process().continuity();
    expect(present.cause).toBe('unproved');
    expect(present.epoch).not.toBe(epoch);
  });
});

describe('the commit of a claim', () => {
  test('is rejected in another epoch and changes nothing', async () => {
    const { process, console, claim } = await openServer();
    const storage = process();
    const { epoch } = await storage.continuity();
    await console((redis) => redis.flushall());
    await storage.continuity();
    expect(await claim(storage, epoch)).toBe('conflict');
    expect(await storage.get(`operation:{${CHAT}}:1`)).toBe('draft');
  });

  test('is rejected by a server that was restarted since the last check', async () => {
    const { process, claim, restart } = await openServer();
    const storage = process();
    const { epoch } = await storage.continuity();
    await restart();
    await eventually(() => storage.checkWritable());
    expect(await claim(storage, epoch)).toBe('conflict');
    expect(await claim(storage, (await storage.continuity()).epoch)).toBe('committed');
  });

  test('is rejected by a replica that has just become the master', async () => {
    const { server, process, claim } = await openServer();
    const replica = await startRedis();
    onTestFinished(() => replica.stop());
    const epoch = await withRedis(replica.url, async (redis) => {
      await redis.replicaof('127.0.0.1', new URL(server.url).port);
      await eventually(async () =>
        expect(await redis.info('replication')).toContain('master_link_status:up'),
      );
      const present = await process().continuity();
      await eventually(async () => expect(await redis.hget(CONTINUITY, 'epoch')).toBe(present.epoch));
      await redis.replicaof('NO', 'ONE');
      return present.epoch;
    });
    const promoted = createRedisStorage({ url: replica.url, log: silentLog() });
    onTestFinished(() => promoted.close());
    expect(await claim(promoted, epoch)).toBe('conflict');
  });

  test('is confirmed again when it is repeated after a lost response', async () => {
    const { process } = await openServer();
    const storage = process();
    const { epoch } = await storage.continuity();
    await storage.set(`operation:{${CHAT}}:1`, 'draft');
    const update = { chat: CHAT, update: 1, token: 'token' };
    await storage.chats.begin({ ...update, leaseMs: 60_000 });
    const claim = { key: `operation:{${CHAT}}:1`, expected: 'draft', value: 'claimed', epoch };
    for (let times = 0; times < 2; times += 1)
      expect(await storage.chats.commit({ ...update, changes: { claim } })).toBe('committed');
  });
});

test('a server that does not report its run has no epoch, and commits no claim', async () => {
  const { server, console } = await openServer();
  // The section *clients* of INFO has neither of the ids.
  const withoutIds = Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [
      name,
      { ...script, lua: script.lua.replaceAll("info('server'", "info('clients'") },
    ]),
  );
  const redis = new Redis(server.url, { scripts: withoutIds });
  onTestFinished(() => redis.disconnect());
  const present = await redis.continuityCheck(CONTINUITY, '', 0, 'epoch');
  expect(present.slice(0, 2)).toEqual(['', 'unreadable']);
  expect(await console((other) => other.exists(CONTINUITY))).toBe(0);
  await redis.chatBegin('chat:{1}', 'conversation:{1}', 'token', 1, 60_000);
  await redis.hset(CONTINUITY, 'epoch', '', 'run', '');
  const keys = ['chat:{1}', 'conversation:{1}', 'missing:{1}', CONTINUITY] as const;
  await redis.set('missing:{1}', 'draft');
  expect(await redis.chatCommit(...keys, 'token', 1, '', '', 'draft', 'claimed', '0', '', '0')).toBe(
    'conflict',
  );
});

test('the storage uses the clock of the server, not of this machine', async () => {
  const { process, console } = await openServer();
  const ahead = process();
  vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() + 3_600_000);
  onTestFinished(() => void vi.restoreAllMocks());
  // A reading that takes long isn't used.
  await eventually(async () => {
    await ahead.continuity();
    const [seconds] = await console((redis) => redis.time());
    expect(Math.abs(ahead.now() - Number(seconds) * 1_000)).toBeLessThan(5_000);
  });
});
