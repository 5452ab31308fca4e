import { expect, test } from 'vitest';
import { createWorkQueue } from '../../src/platform/work-queue.ts';
import { recordingLog } from '../support/log-lines.ts';

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
  expect(lines()).toMatchObject([{ level: 'warn', name: 'a', msg: 'it comes again' }]);
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
