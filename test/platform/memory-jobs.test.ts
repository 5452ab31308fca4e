import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Jobs } from '../../src/platform/jobs.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMemoryJobs } from '../../src/platform/memory-jobs.ts';
import { describeJobs, refTo } from './jobs.contract.ts';

describe('in-memory jobs', () => {
  describeJobs(async (log) => createMemoryJobs({ log }));
});

describe('in-memory jobs with a fake clock', () => {
  let jobs: Jobs;
  let lines: { level: string; msg: string }[];
  let ahead: number;
  beforeEach(() => {
    vi.useFakeTimers();
    lines = [];
    ahead = 0;
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(JSON.parse(line)) } });
    jobs = createMemoryJobs({ log, now: () => Date.now() + ahead });
  });
  afterEach(async () => {
    await jobs.stop();
    vi.useRealTimers();
  });

  it('try ten times with a backoff of up to a minute, then log an error', async () => {
    const began = Date.now();
    const tries: number[] = [];
    jobs.define('greet', async () => {
      tries.push((Date.now() - began) / 1_000);
      throw new Error('the weather');
    });
    await jobs.add('greet', refTo('x'));
    await jobs.start();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
    expect(lines.at(-1)).toMatchObject({ level: 'error', job: 'greet', attempts: 10 });
    await jobs.add('greet', refTo('x'));
    await vi.advanceTimersByTimeAsync(0);
    expect(tries).toHaveLength(11);
  });

  it('notice a moved clock within a second', async () => {
    const ran: string[] = [];
    jobs.define('greet', async ({ id }) => void ran.push(id));
    await jobs.add('greet', refTo('x'), { delayMs: 1_800_000 });
    await jobs.start();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ran).toEqual([]);
    ahead = 1_800_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ran).toEqual(['x']);
  });
});
