import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBullJobs } from '../../src/platform/bull-jobs.ts';
import type { JobRef, Jobs } from '../../src/platform/jobs.ts';
import { createMemoryJobs } from '../../src/platform/memory-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';

const RUNS = 8;
const TEST_MS = 300_000;
const NAMES = ['follow', 'show'] as const;

interface Added {
  name: (typeof NAMES)[number];
  ref: JobRef;
  /** Whether the first run fails. */
  fails: boolean;
}

const added = fc.record({
  name: fc.constantFrom(...NAMES),
  ref: fc.record({ user: fc.constantFrom(501, 502), id: fc.constantFrom('1', '2') }),
  fails: fc.boolean(),
});
const sequence = fc.record({
  beforeStart: fc.array(added, { maxLength: 6 }),
  whileRunning: fc.array(added, { maxLength: 6 }),
});

const keyOf = ({ name, ref: { user, id } }: Added) => `${name} ${user}/${id}`;

/** A reference runs once, once more if it was added while it ran, and once more after it failed. */
function expectedRuns({ beforeStart, whileRunning }: { beforeStart: Added[]; whileRunning: Added[] }) {
  const all = [...beforeStart, ...whileRunning];
  const failing = new Set(all.filter(({ fails }) => fails).map(keyOf));
  const started = new Set(beforeStart.map(keyOf));
  const runs: Record<string, number> = {};
  for (const one of all) {
    const key = keyOf(one);
    const isAddedAgain = whileRunning.some((other, at) => {
      const isRunning =
        started.has(key) || whileRunning.slice(0, at).some((earlier) => keyOf(earlier) === key);
      return isRunning && keyOf(other) === key;
    });
    runs[key] = 1 + Number(failing.has(key)) + Number(isAddedAgain);
  }
  return runs;
}

/** Runs jobs that are added before the start, and while all jobs of that time are running. */
async function expectRuns(
  jobs: Jobs,
  sequence: { beforeStart: Added[]; whileRunning: Added[] },
): Promise<void> {
  const runs: Record<string, number> = {};
  const failing = new Set<string>();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  for (const name of NAMES)
    jobs.define(name, async (ref) => {
      const key = keyOf({ name, ref, fails: false });
      runs[key] = (runs[key] ?? 0) + 1;
      await opened;
      if (failing.delete(key)) throw new Error('fails once');
    });
  const add = async (one: Added) => {
    if (one.fails) failing.add(keyOf(one));
    await jobs.add(one.name, one.ref);
    if (sequence.whileRunning.includes(one))
      await eventually(() => expect(runs).toHaveProperty([keyOf(one)]));
  };
  try {
    for (const one of sequence.beforeStart) await add(one);
    await jobs.start();
    for (const one of sequence.beforeStart) await eventually(() => expect(runs).toHaveProperty([keyOf(one)]));
    for (const one of sequence.whileRunning) await add(one);
    open();
    await eventually(() => expect(runs).toEqual(expectedRuns(sequence)));
  } finally {
    open();
    await jobs.stop();
  }
  expect(runs).toEqual(expectedRuns(sequence));
}

test(
  'the in-memory and the Redis queue run any sequence of jobs equally often',
  async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (jobs) => {
        await expectRuns(createMemoryJobs({ log: silentLog() }), jobs);
        const url = await redisUrl();
        await expectRuns(createBullJobs({ url, log: silentLog() }), jobs);
      }),
      { numRuns: RUNS, seed: 20_261_123 },
    );
  },
  TEST_MS,
);
