import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBullJobs } from '../../src/platform/bull-jobs.ts';
import { type JobRef, type Jobs, JobsUnavailable } from '../../src/platform/jobs.ts';
import { createLog } from '../../src/platform/log.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { redisUrl, startRedis } from '../support/redis.ts';
import { storedIn } from '../support/secrets.ts';
import { traces } from '../support/traces.ts';
import { describeJobs, refTo } from './jobs.contract.ts';

const log = createLog({ level: 'silent' });
/** Upper bound for calls that must fail fast, in milliseconds. Leaves room for a busy machine. */
const SOON_MS = 8_000;
/** Short timeouts, in milliseconds. A call that must succeed is retried, because a busy machine may exceed them. */
const IMPATIENT = { patience: 300, reconnect: 50 };

describe('BullMQ jobs', () => {
  describeJobs(async (log) => {
    const url = await redisUrl();
    return createBullJobs({ url, log });
  });
});

type Clean = (end: () => Promise<void>) => void;
type Options = Partial<Parameters<typeof createBullJobs>[0]>;

/** Opens jobs on a Redis. They are stopped by `clean`, by default when the test ends. */
function openJobs(url: string, options: Options = {}, clean: Clean = onTestFinished): Jobs {
  const jobs = createBullJobs({ url, log, ...options });
  clean(() => jobs.stop());
  return jobs;
}

/** Starts a Redis server and opens jobs on it. */
async function openServer(clean: Clean, options: Options = {}) {
  const server = await startRedis();
  clean(server.stop);
  return { server, jobs: openJobs(server.url, options, clean) };
}

/** Opens jobs and a client on an empty database. */
async function openDatabase() {
  const url = await redisUrl();
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  onTestFinished(() => redis.disconnect());
  return { url, redis, jobs: openJobs(url) };
}

/** Creates work that lasts until the test ends it. */
function openWork() {
  let end = () => {};
  const lasting = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { lasting, end: () => end() };
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
    const { url, redis: connection } = await openDatabase();
    const { log, lines, texts } = recordingLog();
    const jobs = openJobs(url, { log });
    const ran: JobRef[] = [];
    jobs.define('greet', async (ref) => void ran.push(ref), { concurrency: 1 });
    const queue = new Queue('greet', { connection, prefix: '{rental-bot}' });
    onTestFinished(() => queue.close());
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
    const replicas = [openJobs(url), openJobs(url)];
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
    const { url, jobs } = await openDatabase();
    const ran: string[] = [];
    const work = openWork();
    jobs.define('greet', ({ id }) => {
      ran.push(id);
      return work.lasting;
    });
    await jobs.start();
    const ref = { user: 502, id: 'A' };
    await jobs.add('greet', ref);
    await eventually(() => expect(ran).toHaveLength(1));
    for (let times = 0; times < 3; times += 1) await jobs.add('greet', ref);
    work.end();
    await eventually(() => expect(ran).toEqual(['A', 'A']));
    await eventually(async () => expect(traces(await storedIn(url), ['502'])).toEqual([]));
  });

  it('continue after all Redis data is deleted', async () => {
    const { redis, jobs } = await openDatabase();
    const ran: string[] = [];
    jobs.define('greet', async ({ id }) => void ran.push(id));
    await jobs.start();
    await jobs.add('greet', refTo('before'));
    await eventually(() => expect(ran).toEqual(['before']));
    await jobs.add('greet', refTo('again'), { delayMs: 3_600_000 });
    await redis.flushdb();
    await jobs.add('greet', refTo('again'));
    await eventually(() => expect(ran).toEqual(['before', 'again']));
  });

  it('store no error message of a handler in Redis', async () => {
    const { redis, jobs } = await openDatabase();
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
    const { redis, jobs } = await openDatabase();
    const greet = vi.fn(async () => {});
    jobs.define('greet', greet);
    await jobs.start();
    await jobs.add('greet', refTo('x'));
    await eventually(() => expect(greet).toHaveBeenCalledOnce());
    const lasting = ['meta', 'id', 'events', 'stalled-check', 'marker'];
    const isLasting = (key: string) => lasting.some((name) => key === `{rental-bot}:greet:${name}`);
    await eventually(async () =>
      expect((await redis.keys('*')).filter((key) => !isLasting(key))).toEqual([]),
    );
  });
});

describe.concurrent('jobs during a Redis outage', () => {
  it('are rejected within seconds and run again after the outage', async ({ expect, onTestFinished }) => {
    const { server, jobs } = await openServer(onTestFinished);
    const ran: string[] = [];
    jobs.define('greet', async ({ id }) => void ran.push(id));
    await eventually(() => jobs.start());
    await eventually(() => jobs.add('greet', refTo('before')));
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
    const { server, jobs } = await openServer(onTestFinished, { timings: IMPATIENT });
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
    const { server, jobs } = await openServer(onTestFinished, { timings: IMPATIENT });
    await eventually(() => jobs.start());
    server.pause();
    jobs.define('greet', async () => {});
    await expect(jobs.add('greet', refTo('x'))).rejects.toThrow(JobsUnavailable);
    server.resume();
    await eventually(() => jobs.add('greet', refTo('x')));
  });

  it('reject the start and stop quickly', async ({ expect, onTestFinished }) => {
    const { server, jobs } = await openServer(onTestFinished, {
      timings: { ...IMPATIENT, startPatience: 300 },
    });
    await server.kill();
    await expect(jobs.start()).rejects.toThrow(JobsUnavailable);
    const started = performance.now();
    await jobs.stop();
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });

  it('stop quickly if Redis goes down during a run', async ({ expect, onTestFinished }) => {
    const { server, jobs } = await openServer(onTestFinished, { timings: IMPATIENT });
    const work = openWork();
    const greet = vi.fn(() => work.lasting);
    jobs.define('greet', greet);
    await eventually(() => jobs.start());
    await eventually(() => jobs.add('greet', refTo('x')));
    await eventually(() => expect(greet).toHaveBeenCalledOnce());
    await server.kill();
    const started = performance.now();
    const stopping = jobs.stop();
    work.end();
    await stopping;
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });
});

const HASTY = { lock: 900, stalledCheck: 300 };

/** Ways to make Redis refuse writes, each with its reversal. */
const REFUSALS: [what: string, refuse: (redis: Redis) => unknown, allow: (redis: Redis) => unknown][] = [
  ['is full', setting('maxmemory', '1'), setting('maxmemory', '0')],
  [
    'is a replica of a missing master',
    (redis) => redis.replicaof('127.0.0.1', 1),
    (redis) => redis.replicaof('NO', 'ONE'),
  ],
  [
    'lacks the required replicas',
    setting('min-replicas-to-write', '1'),
    setting('min-replicas-to-write', '0'),
  ],
];

function setting(name: string, value: string) {
  return (redis: Redis) => redis.config('SET', name, value);
}

/** Returns how many commands the server has refused, according to `INFO`. */
async function refused(redis: Redis): Promise<number> {
  const counts = (await redis.info('errorstats')).matchAll(/^errorstat_\w+:count=(\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Returns how many `SET` commands the server has refused. */
async function refusedSets(redis: Redis): Promise<number> {
  const [, count] = (await redis.info('commandstats')).match(/^cmdstat_set:.*rejected_calls=(\d+)/m) ?? [];
  return Number(count ?? 0);
}

describe.concurrent.each(REFUSALS)('while Redis %s', (_, refuse, allow) => {
  it('workers pause, log one line per reason and continue on their own', async ({
    expect,
    onTestFinished,
  }) => {
    const { log, lines } = recordingLog();
    const { server, jobs } = await openServer(onTestFinished, { log, timings: HASTY });
    const control = new Redis(server.url);
    onTestFinished(() => control.disconnect());

    const work = openWork();
    const ran: string[] = [];
    const greet = ({ id }: JobRef) => {
      ran.push(id);
      return work.lasting;
    };
    jobs.define('greet', greet, { concurrency: 1 });
    await eventually(() => jobs.start());
    for (const id of ['before', '1', '2', '3']) await eventually(() => jobs.add('greet', refTo(id)));
    await eventually(() => expect(ran).toEqual(['before']));

    const before = { lines: lines().length, refused: await refused(control) };
    await refuse(control);
    work.end();
    await expect(jobs.add('greet', refTo('refused'))).rejects.toThrow();
    // The paused queue tries one write after 250 ms, then after twice as long each time.
    await eventually(async () => expect(await refusedSets(control)).toBeGreaterThan(2));
    // Two refusals per such write, and a few of the workers before they pause.
    expect((await refused(control)) - before.refused).toBeLessThan(40 + 4 * (await refusedSets(control)));
    const said = lines().slice(before.lines);
    expect(said.length).toBeGreaterThan(0);
    expect(said.length).toBeLessThan(10);

    await allow(control);
    await eventually(() => jobs.add('greet', refTo('after')));
    await eventually(() => expect(ran).toContain('after'));
  });
});
