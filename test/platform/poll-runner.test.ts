import { expect, onTestFinished, test, vi } from 'vitest';
import { createPollRunner, MAX_CONCURRENT, POLLS_PER_TICK } from '../../src/platform/poll-runner.ts';
import { recordingLog } from '../support/log-lines.ts';
import { settled } from '../support/settled.ts';

/** Opens a runner with an endless queue of due polls, or `due` of them. Each poll lasts until the test ends it. */
function openRunner({ due = Number.POSITIVE_INFINITY, failing = false } = {}) {
  const queue = { due, failing, putBack: 0 };
  const running: { end: (isAnswered: boolean) => void; fail: (error: Error) => void }[] = [];
  const { log, lines } = recordingLog();
  const runner = createPollRunner<number>({
    async take(limit) {
      if (queue.failing) throw new Error('the storage is away');
      const count = Math.min(limit, queue.due);
      queue.due -= count;
      return { polls: Array.from({ length: count }, (_, n) => n) };
    },
    poll: () => new Promise((end, fail) => void running.push({ end, fail })),
    putBack: async () => {
      queue.putBack += 1;
    },
    failureMessage: 'polling an account failed; it will be retried',
    log,
  });
  /** Ends all running polls, and returns how many there were. */
  async function endAll(isAnswered = true): Promise<number> {
    const ended = running.splice(0);
    for (const { end } of ended) end(isAnswered);
    await settled();
    return ended.length;
  }
  return { runner, queue, running, lines, endAll };
}

test('starts the next polls as soon as others end, up to a number in each tick', async () => {
  const { runner, running, endAll } = openRunner();
  await runner.tick();
  expect(await endAll()).toBe(MAX_CONCURRENT);
  expect(await endAll()).toBe(POLLS_PER_TICK - MAX_CONCURRENT);
  expect(running).toHaveLength(0);
  runner.startSoon();
  await settled();
  expect(await endAll()).toBe(1);
  await runner.tick();
  expect(running).toHaveLength(MAX_CONCURRENT);
});

test('polls one account at a time while the service does not answer, and soon many again', async () => {
  const { runner, endAll } = openRunner();
  const concurrent: number[] = [];
  for (const isAnswered of [false, false, false, true, true, true, true, true, true, true]) {
    await runner.tick();
    concurrent.push(await endAll(isAnswered));
  }
  expect(concurrent).toEqual([MAX_CONCURRENT, 1, 1, 1, 2, 4, 8, 16, 32, 64]);
});

test('is not slowed down by a few accounts that always fail', async () => {
  const { runner, running, endAll } = openRunner();
  for (let ticks = 0; ticks < 20; ticks += 1) {
    await runner.tick();
    running.shift()?.end(false);
    await endAll();
  }
  await runner.tick();
  expect(running.length).toBeGreaterThan(20);
});

test('takes polls again at the next tick after the storage failed', async () => {
  const { runner, queue, running } = openRunner({ failing: true });
  await expect(runner.tick()).rejects.toThrow('the storage is away');
  runner.startSoon();
  await settled();
  queue.failing = false;
  await runner.tick();
  expect(running).toHaveLength(MAX_CONCURRENT);
});

test('logs failed polls once in a while', async () => {
  const { runner, running, lines } = openRunner({ due: 30 });
  await runner.tick();
  for (const { fail } of running) fail(new Error('the storage is away'));
  await settled();
  expect(lines().map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'polling an account failed; it will be retried'],
  ]);
});

test('waits five seconds for running polls when it is closed, and puts back what it no longer starts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { runner, queue, running, lines } = openRunner({ due: 3 });
  await runner.tick();
  queue.due = 2;
  const tick = runner.tick();
  let isClosed = false;
  const closing = runner.close().then(() => {
    isClosed = true;
  });
  await tick;
  await vi.advanceTimersByTimeAsync(4_999);
  expect([queue.putBack, running.length, isClosed]).toEqual([2, 3, false]);
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  await runner.tick();
  expect(running).toHaveLength(3);
  // The connections of a closed process end.
  running[0]?.fail(new Error('the storage is away'));
  await settled();
  expect(lines()).toEqual([]);
});
