import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBullJobs, RECURRING_WORK } from '../../../src/platform/bull-jobs.ts';
import { type JobRef, type Jobs, JobsUnavailable } from '../../../src/platform/jobs.ts';
import { createLog } from '../../../src/platform/log.ts';
import { keyOf } from '../../../src/platform/stored-data.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { redisUrl, startRedis } from '../../support/redis.ts';
import { redisLeases } from '../../support/redis-leases.ts';
import { storedIn } from '../../support/secrets.ts';
import { traces } from '../../support/traces.ts';
import { describeJobs, refTo } from './jobs.contract.ts';

const log = createLog({ level: 'silent' });
/** Upper bound for calls that must fail fast, in milliseconds. Leaves room for a busy machine. */
const SOON_MS = 8_000;
/** Short timeouts, in milliseconds. A call that must succeed is retried, because a busy machine may exceed them. */
const IMPATIENT = { patience: 300, reconnect: 50 };

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 8_000, interval: 10 });

describe('BullMQ jobs', () => {
  describeJobs(async (log) => {
    const url = await redisUrl();
    return createBullJobs({ url, leases: redisLeases(url), log });
  });
});

function replica(url: string): Jobs {
  const jobs = createBullJobs({ url, leases: redisLeases(url), log });
  onTestFinished(() => jobs.stop());
  return jobs;
}

/** Payloads that an attacker who can write to Redis may add to a queue. */
const FORGED = [
  'a text',
  JSON.stringify(refTo('1')),
  null,
  [],
  {},
  { user: 501 },
  { id: '1' },
  { user: '501', id: '1' },
  { user: -501, id: '1' },
  { user: 501.5, id: '1' },
  { user: 501, id: '' },
  { user: 501, id: '1:2' },
  { user: 501, id: '{502}' },
  { user: 501, id: 'x'.repeat(65) },
  { user: 501, id: '1', linkedAt: 5 },
];

describe('jobs added to Redis by another party', () => {
  it('are dropped with one log line unless their payload is exactly a reference', async () => {
    const url = await redisUrl();
    const { log, lines, texts } = recordingLog();
    const jobs = createBullJobs({ url, leases: redisLeases(url), log });
    onTestFinished(() => jobs.stop());
    const ran: JobRef[] = [];
    jobs.define('greet', async (ref) => void ran.push(ref), { concurrency: 1 });
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    const queue = new Queue('greet', { connection, prefix: '{rental-bot}' });
    onTestFinished(async () => {
      await queue.close();
      connection.disconnect();
    });
    for (const data of FORGED) await queue.add('greet', data, { attempts: 5 });
    await queue.add('greet', refTo('last'));
    await jobs.start();
    await eventually(() => expect(ran).toHaveLength(1));
    expect(ran).toEqual([refTo('last')]);
    expect(lines()).toEqual([expect.objectContaining({ level: 'warn', job: 'greet' })]);
    expect(texts.join()).not.toContain('linkedAt');
  });
});

describe('jobs of several replicas', () => {
  it('run on one replica each', async () => {
    const url = await redisUrl();
    const ran: string[] = [];
    const replicas = [replica(url), replica(url)];
    for (const jobs of replicas) {
      jobs.define('greet', async ({ id }) => void ran.push(id));
      await jobs.start();
    }
    const names = Array.from({ length: 100 }, (_, n) => `${n}`);
    await Promise.all(names.map((name, n) => replicas[n % 2]?.add('greet', refTo(name))));
    await eventually(() => expect(ran.length).toBeGreaterThanOrEqual(100));
    expect(ran.toSorted()).toEqual(names.toSorted());
  });

  it('leave no payload or job ID in Redis', async () => {
    const url = await redisUrl();
    const jobs = replica(url);
    const ran: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    jobs.define('greet', async ({ id }) => {
      ran.push(id);
      await gate;
    });
    await jobs.start();
    const ref = { user: 502, id: 'A' };
    await jobs.add('greet', ref);
    await eventually(() => expect(ran).toHaveLength(1));
    for (let times = 0; times < 3; times += 1) await jobs.add('greet', ref);
    open();
    await eventually(() => expect(ran).toEqual(['A', 'A']));
    await eventually(async () => expect(traces(await storedIn(url), ['502'])).toEqual([]));
  });

  it('recurring jobs run on one replica at a time', async () => {
    const url = await redisUrl();
    let running = 0;
    let most = 0;
    let runs = 0;
    for (const jobs of [replica(url), replica(url)]) {
      jobs.every('sweep', 20, async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1;
        runs += 1;
      });
      await jobs.start();
    }
    await eventually(() => expect(runs).toBeGreaterThan(5));
    expect(most).toBe(1);
  });

  it('recurring jobs wait for their interval even after another replica ran them', async () => {
    const url = await redisUrl();
    const runs: string[] = [];
    for (const name of ['one', 'another']) {
      const jobs = replica(url);
      jobs.every('sweep', 60_000, async () => void runs.push(name));
      await jobs.start();
      await jobs.stop();
    }
    expect(runs).toEqual(['one']);
  });

  it('a finished run keeps the run marker that another replica has taken', async () => {
    const url = await redisUrl();
    const redis = new Redis(url);
    onTestFinished(() => redis.disconnect());
    const jobs = replica(url);
    let finish = () => {};
    let runs = 0;
    jobs.every('sweep', 60_000, () => {
      runs += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await jobs.start();
    await eventually(() => expect(runs).toBe(1));
    const key = keyOf(RECURRING_WORK.keys, { name: 'sweep' });
    await redis.set(key, 'of another', 'PX', 5_000);
    finish();
    await jobs.stop();
    expect(await redis.get(key)).toBe('of another');
    expect(await redis.pttl(key)).toBeLessThanOrEqual(5_000);
  });

  it('continue and recur after all Redis data is deleted', async () => {
    const url = await redisUrl();
    const redis = new Redis(url);
    onTestFinished(() => redis.disconnect());
    const jobs = replica(url);
    const ran: string[] = [];
    jobs.define('greet', async ({ id }) => void ran.push(id));
    let sweeps = 0;
    jobs.every('sweep', 20, async () => {
      sweeps += 1;
    });
    await jobs.start();
    await jobs.add('greet', refTo('before'));
    await eventually(() => expect(ran).toEqual(['before']));
    await jobs.add('greet', refTo('again'), { delayMs: 3_600_000 });
    await redis.flushdb();
    const before = sweeps;
    await eventually(() => expect(sweeps).toBeGreaterThan(before + 3));
    await jobs.add('greet', refTo('again'));
    await eventually(() => expect(ran).toEqual(['before', 'again']));
  });

  it('store no error message of a handler in Redis', async () => {
    const url = await redisUrl();
    const redis = new Redis(url);
    onTestFinished(() => redis.disconnect());
    const jobs = replica(url);
    jobs.define('greet', async () => {
      throw new Error('whsec_x');
    });
    await jobs.start();
    await jobs.add('greet', refTo('x'));
    const job = () => redis.hgetall('{rental-bot}:greet:1');
    await eventually(async () => expect(await job()).toHaveProperty('failedReason'));
    expect(JSON.stringify(await job())).not.toContain('whsec_x');
  });

  it('leave no data of a finished job in Redis', async () => {
    const url = await redisUrl();
    const redis = new Redis(url);
    onTestFinished(() => redis.disconnect());
    const jobs = replica(url);
    let runs = 0;
    jobs.define('greet', async () => {
      runs += 1;
    });
    await jobs.start();
    await jobs.add('greet', refTo('x'));
    await eventually(() => expect(runs).toBe(1));
    await eventually(async () => {
      const lasting = ['meta', 'id', 'events', 'stalled-check', 'marker'].map(
        (key) => `{rental-bot}:greet:${key}`,
      );
      expect((await redis.keys('*')).filter((key) => !lasting.includes(key))).toEqual([]);
    });
  });
});

describe.concurrent('jobs during a Redis outage', () => {
  it('are rejected within seconds and run again after the outage', async ({ expect, onTestFinished }) => {
    const server = await startRedis();
    onTestFinished(server.stop);
    const jobs = createBullJobs({ url: server.url, leases: redisLeases(server.url), log });
    onTestFinished(() => jobs.stop());
    const ran: string[] = [];
    jobs.define('greet', async ({ id }) => void ran.push(id));
    await jobs.start();
    await jobs.add('greet', refTo('before'));
    await eventually(() => expect(ran).toEqual(['before']));

    await server.kill();
    const started = performance.now();
    await expect(jobs.add('greet', refTo('lost'))).rejects.toThrow(JobsUnavailable);
    expect(performance.now() - started).toBeLessThan(SOON_MS);

    await server.restart();
    await eventually(() => jobs.add('greet', refTo('after')));
    await eventually(() => expect(ran).toContain('after'));
  });

  it('are rejected while Redis is frozen', async ({ expect, onTestFinished }) => {
    const server = await startRedis();
    onTestFinished(server.stop);
    const jobs = createBullJobs({
      url: server.url,
      leases: redisLeases(server.url),
      log,
      timings: IMPATIENT,
    });
    onTestFinished(() => jobs.stop());
    jobs.define('greet', async () => {});
    await eventually(() => jobs.start());
    server.pause();
    await expect(jobs.add('greet', refTo('x'))).rejects.toThrow(JobsUnavailable);
    server.resume();
    await eventually(() => jobs.add('greet', refTo('x')));
  });

  it('are accepted again if Redis froze while their queue was created', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startRedis();
    onTestFinished(server.stop);
    const jobs = createBullJobs({
      url: server.url,
      leases: redisLeases(server.url),
      log,
      timings: IMPATIENT,
    });
    onTestFinished(() => jobs.stop());
    await eventually(() => jobs.start());
    server.pause();
    jobs.define('greet', async () => {});
    await expect(jobs.add('greet', refTo('x'))).rejects.toThrow(JobsUnavailable);
    server.resume();
    await eventually(() => jobs.add('greet', refTo('x')));
  });

  it('reject the start and stop quickly', async ({ expect, onTestFinished }) => {
    const server = await startRedis();
    onTestFinished(server.stop);
    await server.kill();
    const jobs = createBullJobs({
      url: server.url,
      leases: redisLeases(server.url),
      log,
      timings: { ...IMPATIENT, startPatience: 300 },
    });
    await expect(jobs.start()).rejects.toThrow(JobsUnavailable);
    const started = performance.now();
    await jobs.stop();
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });

  it('stop quickly if Redis goes down during a run', async ({ expect, onTestFinished }) => {
    const server = await startRedis();
    onTestFinished(server.stop);
    const jobs = createBullJobs({
      url: server.url,
      leases: redisLeases(server.url),
      log,
      timings: IMPATIENT,
    });
    let finish = () => {};
    let running = false;
    jobs.define('greet', () => {
      running = true;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await eventually(() => jobs.start());
    await eventually(() => jobs.add('greet', refTo('x')));
    await eventually(() => expect(running).toBe(true));
    await server.kill();
    const started = performance.now();
    const stopping = jobs.stop();
    finish();
    await stopping;
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });
});
