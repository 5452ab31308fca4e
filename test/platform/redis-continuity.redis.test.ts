import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRedisContinuity, CONTINUITY as DEFINITION } from '../../src/platform/redis-continuity.ts';
import { scripts } from '../../src/platform/redis-scripts.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';

const CONTINUITY = DEFINITION.keys;
const CHAT = 501;

/** Starts a Redis server for one test, with functions to open processes on it. */
async function openServer() {
  const server = await startRedis(['--appendfsync', 'always']);
  onTestFinished(() => server.stop());
  let commits = 0;
  return {
    server,
    process(): Storage {
      const storage = createRedisStorage({ url: server.url, log: silentLog() });
      onTestFinished(() => storage.close());
      return storage;
    },
    async console<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
      const redis = new Redis(server.url);
      return work(redis).finally(() => redis.disconnect());
    },
    /** Commits the claim of a draft, as the update of a tap does. */
    async claim(storage: Storage, epoch: string) {
      commits += 1;
      const key = `operation:{${CHAT}}:${commits}`;
      const update = { chat: CHAT, update: commits, token: `${commits}` };
      await storage.set(key, 'draft');
      await storage.chats.begin({ ...update, leaseMs: 60_000 });
      const claim = { key, expected: 'draft', value: 'claimed', epoch };
      return storage.chats.commit({ ...update, changes: { claim } });
    },
    async restart(before: () => Promise<unknown> = async () => {}): Promise<void> {
      await server.kill();
      await before();
      await server.restart();
    },
  };
}

/** Waits until continuity is proved, and expects it in another epoch. */
async function expectNewEpoch(storage: Storage, epoch: string, cause: 'lost' | 'unproved') {
  const after = await eventually(async () => {
    const present = await storage.continuity();
    expect(present.isProved).toBe(true);
    return present;
  });
  expect(after.cause).toBe(cause);
  expect(after.epoch).not.toBe(epoch);
}

describe('continuity', () => {
  test('is proved while Redis runs, also for processes that start later', async () => {
    const { process, claim } = await openServer();
    const first = process();
    const begun = await first.continuity();
    expect(begun).toMatchObject({ isProved: true, cause: 'new' });
    expect(await claim(first, begun.epoch)).toBe('committed');
    const { epoch, run } = begun;
    expect(await process().continuity()).toMatchObject({ epoch, run, isProved: true });
    expect(await first.continuity()).toMatchObject({ epoch, run, isProved: true });
  });

  test('survives a restart that lost nothing if one process lived through it', async () => {
    const { process, claim, restart } = await openServer();
    const survivor = process();
    const before = await survivor.continuity();
    await claim(survivor, before.epoch);
    await restart();
    const after = await eventually(() => survivor.continuity());
    expect(after).toMatchObject({ epoch: before.epoch, isProved: true });
    expect(after.run).not.toBe(before.run);
    expect(await process().continuity()).toMatchObject({ epoch: before.epoch, isProved: true });
  });

  test('is kept for all processes when the clock is set forward by an hour', async () => {
    const { process, claim, console } = await openServer();
    const [first, second] = [process(), process()];
    const { epoch } = await first.continuity();
    await second.continuity();
    await claim(second, epoch);
    await console(async (redis) => {
      for (const [field, value] of Object.entries(await redis.hgetall(CONTINUITY))) {
        const [checked, run] = value.split('|');
        if (field.startsWith('process:'))
          await redis.hset(CONTINUITY, field, `${Number(checked) - 3600_000}|${run}`);
      }
    });
    expect(await first.continuity()).toMatchObject({ epoch, isProved: true });
    expect(await second.continuity()).toMatchObject({ epoch, isProved: true });
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

  test('is confirmed by a surviving process as soon as it reconnects, without a call', async () => {
    const { process, restart } = await openServer();
    const survivor = process();
    const { epoch } = await survivor.continuity();
    await restart();
    const newcomer = process();
    await eventually(async () =>
      expect(await newcomer.continuity()).toMatchObject({ epoch, isProved: true }),
    );
  });

  test('is unproved for five seconds after a restart without survivors, and then lost', async () => {
    const { process, console, restart } = await openServer();
    const former = process();
    const { epoch } = await former.continuity();
    await former.close();
    await restart();
    const [newcomer, other] = [process(), process()];
    expect(await newcomer.continuity()).toMatchObject({ isProved: false });
    expect(await other.continuity()).toMatchObject({ isProved: false });
    const moveDoubt = (ms: number) =>
      console(async (redis) => {
        const [run, since] = ((await redis.hget(CONTINUITY, 'doubt')) ?? '').split('|');
        await redis.hset(CONTINUITY, 'doubt', `${run}|${Number(since) + ms}`);
      });
    // A doubt from before the clock was set back begins anew.
    await moveDoubt(3600_000);
    expect(await newcomer.continuity()).toMatchObject({ isProved: false });
    await moveDoubt(-5_000);
    const after = await newcomer.continuity();
    expect(after).toMatchObject({ isProved: true, cause: 'unproved' });
    expect(after.epoch).not.toBe(epoch);
    expect(await other.continuity()).toMatchObject({ epoch: after.epoch, isProved: true });
  });

  test('is lost when a claim that a surviving process saw is missing', async () => {
    const { server, process, claim, restart } = await openServer();
    const survivor = process();
    const { epoch } = await survivor.continuity();
    await claim(survivor, epoch);
    const putBack = await server.copyData();
    await claim(survivor, epoch);
    await restart(putBack);
    await expectNewEpoch(survivor, epoch, 'lost');
  });

  test('is lost for a process that saw the missing claim, although another one verified the data first', async () => {
    const { server, process, claim, restart } = await openServer();
    const [seeing, unaware] = [process(), process()];
    const { epoch } = await unaware.continuity();
    await seeing.continuity();
    const putBack = await server.copyData();
    await claim(seeing, epoch);
    await restart(putBack);
    await eventually(() => unaware.continuity());
    expect(await eventually(() => seeing.continuity())).toMatchObject({ cause: 'lost' });
    const { epoch: present } = await seeing.continuity();
    expect(await unaware.continuity()).toMatchObject({ epoch: present });
  });

  test('is lost when a process that may have seen more claims did not survive', async () => {
    const { server, process, claim, restart } = await openServer();
    const [survivor, gone] = [process(), process()];
    const { epoch } = await gone.continuity();
    await survivor.continuity();
    const putBack = await server.copyData();
    // The surviving process hasn't checked since.
    await claim(gone, epoch);
    await gone.close();
    await restart(putBack);
    await expectNewEpoch(survivor, epoch, 'unproved');
  });

  test('survives a restart if all living processes verify the data, without those that had ended', async () => {
    const { process, claim, restart } = await openServer();
    const [one, other, ended] = [process(), process(), process()];
    const { epoch } = await one.continuity();
    for (const another of [other, ended]) await another.continuity();
    await claim(other, epoch);
    await claim(ended, epoch);
    await ended.close();
    await one.continuity();
    await restart();
    await eventually(async () =>
      expect([await one.continuity(), await other.continuity()]).toMatchObject([
        { epoch, isProved: true },
        { epoch, isProved: true },
      ]),
    );
  });

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
    await expectNewEpoch(survivor, epoch, 'lost');
  });

  test('is unproved when a running Redis takes over the data of another one', async () => {
    const { server, process, console } = await openServer();
    const former = process();
    await former.continuity();
    await former.close();
    const backup = await startRedis();
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
    expect(await process().continuity()).toMatchObject({ isProved: false });
  });

  test('is lost when Redis is flushed while a process runs', async () => {
    const { process, console } = await openServer();
    const survivor = process();
    const { epoch } = await survivor.continuity();
    await console((redis) => redis.flushall());
    await expectNewEpoch(survivor, epoch, 'lost');
  });

  test('survives dropped connections and a flushed script cache', async () => {
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
    expect(await storage.continuity()).toMatchObject({ epoch, isProved: true });
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

  test('does not count in a later epoch when its response arrives after data was lost', async () => {
    const { server, process } = await openServer();
    const connection = new Redis(server.url, { scripts });
    onTestFinished(() => connection.disconnect());
    const continuity = createRedisContinuity({ call: (run) => run(connection) });
    const { epoch: former } = await continuity.check();
    await connection.flushall();
    const { epoch } = await continuity.check();
    expect(epoch).not.toBe(former);
    continuity.counted(former, 3, 3);
    expect(await continuity.check()).toMatchObject({ epoch, isProved: true });
    expect(await process().continuity()).toMatchObject({ epoch, isProved: true });
  });

  test('is counted once, also when it is repeated after a lost response', async () => {
    const { process, console } = await openServer();
    const storage = process();
    const { epoch } = await storage.continuity();
    await storage.set(`operation:{${CHAT}}:1`, 'draft');
    const update = { chat: CHAT, update: 1, token: 'token' };
    await storage.chats.begin({ ...update, leaseMs: 60_000 });
    const claim = { key: `operation:{${CHAT}}:1`, expected: 'draft', value: 'claimed', epoch };
    for (let times = 0; times < 2; times += 1)
      expect(await storage.chats.commit({ ...update, changes: { claim } })).toBe('committed');
    expect(await console((redis) => redis.hget(CONTINUITY, 'claims'))).toBe('1');
  });
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
