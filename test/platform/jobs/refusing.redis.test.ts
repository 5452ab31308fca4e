import { Redis } from 'ioredis';
import { describe, it } from 'vitest';
import { createBullJobs } from '../../../src/platform/bull-jobs.ts';
import type { JobRef } from '../../../src/platform/jobs.ts';
import { createLeases } from '../../../src/platform/leases.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { eventually } from '../../support/eventually.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { startRedis } from '../../support/redis.ts';
import { refTo } from './jobs.contract.ts';

const HASTY = { lock: 900, look: 300 };

/** Ways to make Redis refuse writes, each with its reversal. */
const REFUSALS: [what: string, refuse: (redis: Redis) => unknown, allow: (redis: Redis) => unknown][] = [
  [
    'is full',
    (redis) => redis.config('SET', 'maxmemory', '1'),
    (redis) => redis.config('SET', 'maxmemory', '0'),
  ],
  [
    'is a replica of a missing master',
    (redis) => redis.replicaof('127.0.0.1', 1),
    (redis) => redis.replicaof('NO', 'ONE'),
  ],
  [
    'lacks the required replicas',
    (redis) => redis.config('SET', 'min-replicas-to-write', '1'),
    (redis) => redis.config('SET', 'min-replicas-to-write', '0'),
  ],
];

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
    const server = await startRedis();
    onTestFinished(server.stop);
    const control = new Redis(server.url);
    onTestFinished(() => control.disconnect());
    const { log, lines } = recordingLog();
    const jobs = createBullJobs({
      url: server.url,
      leases: createLeases({ storage: createMemoryStorage() }),
      log,
      timings: HASTY,
    });
    onTestFinished(() => jobs.stop());

    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const ran: string[] = [];
    const greet = async ({ id }: JobRef) => {
      ran.push(id);
      await finished;
    };
    jobs.define('greet', greet, { concurrency: 1 });
    let sweeps = 0;
    jobs.every('sweep', 100, async () => {
      sweeps += 1;
    });
    await jobs.start();
    for (const id of ['before', '1', '2', '3']) await jobs.add('greet', refTo(id));
    await eventually(() => expect(ran).toEqual(['before']));
    await eventually(() => expect(sweeps).toBeGreaterThan(1));

    const before = { lines: lines().length, refused: await refused(control) };
    await refuse(control);
    finish();
    await expect(jobs.add('greet', refTo('refused'))).rejects.toThrow();
    // The paused queue tries one write after 250 ms, then after twice as long each time.
    await eventually(async () => expect(await refusedSets(control)).toBeGreaterThan(2));
    // Two refusals per such write, and a few of the workers before they pause.
    expect((await refused(control)) - before.refused).toBeLessThan(40 + 4 * (await refusedSets(control)));
    const said = lines().slice(before.lines);
    expect(said.length).toBeGreaterThan(0);
    expect(said.length).toBeLessThan(10);

    await allow(control);
    const swept = sweeps;
    await eventually(() => jobs.add('greet', refTo('after')));
    await eventually(() => expect(ran).toContain('after'));
    await eventually(() => expect(sweeps).toBeGreaterThan(swept));
  });
});
