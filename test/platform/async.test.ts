import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeyedQueue, createWorkQueue, orTimeout } from '../../src/platform/async.ts';
import { recordingLog } from '../support/log-lines.ts';

describe('work queue', () => {
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Opens a work queue whose work lasts until a test ends it. */
  function openWork({ concurrency = 2, maxWaiting = 10 } = {}) {
    const begun: string[] = [];
    const ends = new Map<string, (err?: Error) => void>();
    const { log, lines } = recordingLog();
    const work = (name: string) =>
      new Promise<void>((resolve, reject) => {
        begun.push(name);
        ends.set(name, (err) => (err ? reject(err) : resolve()));
      });
    const queue = createWorkQueue({ work, concurrency, maxWaiting, failureMessage: 'it comes again', log });
    return {
      ...{ begun, lines, queue },
      /** Returns what was started since the last call. */
      since: () => begun.splice(0),
      async end(name: string, err?: Error) {
        ends.get(name)?.(err);
        await settled();
      },
    };
  }

  test('runs up to the limit concurrently, and the others in order', async () => {
    const { queue, since, end } = openWork();
    for (const name of ['a', 'b', 'c', 'd']) queue.enqueue(name);
    expect(since()).toEqual(['a', 'b']);
    await end('b');
    expect(since()).toEqual(['c']);
    await end('a');
    expect(since()).toEqual(['d']);
  });

  test('runs urgent work first, even if it becomes urgent later', async () => {
    const { queue, since, end } = openWork({ concurrency: 1 });
    for (const name of ['a', 'b', 'c']) queue.enqueue(name);
    queue.enqueue('d', 'urgent');
    queue.enqueue('c', 'urgent');
    queue.enqueue('c');
    for (const name of ['a', 'd', 'c', 'b']) await end(name);
    expect(since()).toEqual(['a', 'd', 'c', 'b']);
  });

  test('runs once more if requested again while running', async () => {
    const { queue, since, end } = openWork();
    queue.enqueue('a');
    for (let times = 0; times < 3; times += 1) queue.enqueue('a');
    expect(since()).toEqual(['a']);
    await end('a');
    expect(since()).toEqual(['a']);
    await end('a');
    expect(since()).toEqual([]);
  });

  test('runs urgently once more if it became urgent while running', async () => {
    const { queue, since, end } = openWork({ concurrency: 1 });
    for (const name of ['a', 'b']) queue.enqueue(name);
    queue.enqueue('a', 'urgent');
    queue.enqueue('a');
    await end('a');
    expect(since()).toEqual(['a', 'a']);
  });

  test('runs once if requested again while waiting', async () => {
    const { queue, since, end } = openWork({ concurrency: 1 });
    for (const name of ['a', 'b', 'b', 'b']) queue.enqueue(name);
    for (const name of ['a', 'b', 'b']) await end(name);
    expect(since()).toEqual(['a', 'b']);
  });

  test('limits the waiting work, separately for urgent and other work', async () => {
    const { queue, since, end } = openWork({ concurrency: 1, maxWaiting: 2 });
    for (const name of ['a', 'b', 'c', 'd']) queue.enqueue(name);
    for (const name of ['e', 'f', 'g']) queue.enqueue(name, 'urgent');
    for (const name of ['a', 'e', 'f', 'b', 'c']) await end(name);
    expect(since()).toEqual(['a', 'e', 'f', 'b', 'c']);
  });

  test('logs failed work, leaves its retry to the schedule and runs the next', async () => {
    const { queue, since, end, lines } = openWork({ concurrency: 1 });
    for (const name of ['a', 'b']) queue.enqueue(name);
    await end('a', new Error('the storage is away'));
    expect(since()).toEqual(['a', 'b']);
    expect(lines()).toMatchObject([{ level: 'warn', key: 'a', msg: 'it comes again' }]);
    queue.enqueue('a');
    await end('b');
    expect(since()).toEqual(['a']);
  });

  test('waits for running work when closed, and starts nothing more', async () => {
    const { queue, since, end } = openWork({ concurrency: 1 });
    for (const name of ['a', 'b', 'a']) queue.enqueue(name);
    let isClosed = false;
    const closing = queue.close().then(() => {
      isClosed = true;
    });
    queue.enqueue('c', 'urgent');
    await settled();
    expect(isClosed).toBe(false);
    await end('a');
    await closing;
    expect(since()).toEqual(['a']);
  });
});

test('runs work of one key in order, also after a failure', async () => {
  const queue = createKeyedQueue<number>();
  const ended: number[] = [];
  let end = () => {};
  const first = queue.run(1, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    ended.push(1);
    throw new Error('no');
  });
  const second = queue.run(1, async () => ended.push(2));
  const elsewhere = await queue.run(2, async () => 'not held up');
  expect([elsewhere, ended]).toEqual(['not held up', []]);
  expect([queue.isBusy(1), queue.isBusy(3)]).toEqual([true, false]);
  end();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(ended).toEqual([1, 2]);
});

describe('orTimeout', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const never = new Promise<string>(() => undefined);

  test('resolves with a result in time and clears the timer', async () => {
    expect(await orTimeout(Promise.resolve('yes'), 1_000, () => 'late')).toBe('yes');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('rejects if the work fails in time, and clears the timer', async () => {
    await expect(orTimeout(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('resolves with undefined once the time has passed, and not before', async () => {
    const settled = vi.fn();
    const answer = orTimeout(never, 1_000).then(settled);
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await answer;
    expect(settled).toHaveBeenCalledWith(undefined);
  });

  test('resolves with the fallback value once the time has passed', async () => {
    const answer = orTimeout(never, 1_000, () => 'late');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('late');
  });

  test('rejects if the fallback throws', async () => {
    const answer = orTimeout(never, 1_000, () => {
      throw new Error('too late');
    });
    const failed = expect(answer).rejects.toThrow('too late');
    await vi.advanceTimersByTimeAsync(1_000);
    await failed;
  });

  test('ignores a rejection after the time has passed', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    let fail = (_: Error) => {};
    const answer = orTimeout(new Promise<string>((_, reject) => (fail = reject)), 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBeUndefined();
    fail(new Error('after all'));
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('does not keep the process alive with its timer', () => {
    vi.useRealTimers();
    const timeout = vi.spyOn(globalThis, 'setTimeout');
    void orTimeout(never, 60_000);
    const timer = timeout.mock.results[0]?.value;
    expect(timer?.hasRef()).toBe(false);
    clearTimeout(timer);
    timeout.mockRestore();
  });
});
