import { expect, test } from 'vitest';
import { createAtOnce } from '../../src/notices/at-once.ts';
import { recordingLog } from '../support/log-lines.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that lasts until a test ends it. */
function openWork({ limit = 2, most = 10 } = {}) {
  const begun: string[] = [];
  const ends = new Map<string, (err?: Error) => void>();
  const { log, lines } = recordingLog();
  const work = (name: string) =>
    new Promise<void>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (err) => (err ? reject(err) : resolve()));
    });
  const atOnce = createAtOnce({ work, limit, most, failed: 'it comes again', log });
  return {
    ...{ begun, lines, atOnce },
    /** What was begun since this was last asked. */
    since: () => begun.splice(0),
    async end(name: string, err?: Error) {
      ends.get(name)?.(err);
      await settled();
    },
  };
}

test('so many are done at once, and the others in the order in which they came', async () => {
  const { atOnce, since, end } = openWork();
  for (const name of ['a', 'b', 'c', 'd']) atOnce.begin(name);
  expect(since()).toEqual(['a', 'b']);
  await end('b');
  expect(since()).toEqual(['c']);
  await end('a');
  expect(since()).toEqual(['d']);
});

test('what is urgent goes before what is not, also where it is said only later', async () => {
  const { atOnce, since, end } = openWork({ limit: 1 });
  for (const name of ['a', 'b', 'c']) atOnce.begin(name);
  atOnce.begin('d', 'urgent');
  atOnce.begin('c', 'urgent');
  atOnce.begin('c');
  for (const name of ['a', 'd', 'c', 'b']) await end(name);
  expect(since()).toEqual(['a', 'd', 'c', 'b']);
});

test('asked for while it is under way, it is done once more afterwards, and once only', async () => {
  const { atOnce, since, end } = openWork();
  atOnce.begin('a');
  for (let times = 0; times < 3; times += 1) atOnce.begin('a');
  expect(since()).toEqual(['a']);
  await end('a');
  expect(since()).toEqual(['a']);
  await end('a');
  expect(since()).toEqual([]);
});

test('what became urgent while it was under way is urgent once more', async () => {
  const { atOnce, since, end } = openWork({ limit: 1 });
  for (const name of ['a', 'b']) atOnce.begin(name);
  atOnce.begin('a', 'urgent');
  atOnce.begin('a');
  await end('a');
  expect(since()).toEqual(['a', 'a']);
});

test('asked for while it waits, it is done once', async () => {
  const { atOnce, since, end } = openWork({ limit: 1 });
  for (const name of ['a', 'b', 'b', 'b']) atOnce.begin(name);
  for (const name of ['a', 'b', 'b']) await end(name);
  expect(since()).toEqual(['a', 'b']);
});

test('no more than so many wait, and those that are not urgent take no room from those that are', async () => {
  const { atOnce, since, end } = openWork({ limit: 1, most: 2 });
  for (const name of ['a', 'b', 'c', 'd']) atOnce.begin(name);
  for (const name of ['e', 'f', 'g']) atOnce.begin(name, 'urgent');
  for (const name of ['a', 'e', 'f', 'b', 'c']) await end(name);
  expect(since()).toEqual(['a', 'e', 'f', 'b', 'c']);
});

test('one that fails is left to whoever looks at what is due, with a line in the log, and holds up nothing', async () => {
  const { atOnce, since, end, lines } = openWork({ limit: 1 });
  for (const name of ['a', 'b']) atOnce.begin(name);
  await end('a', new Error('the storage is away'));
  expect(since()).toEqual(['a', 'b']);
  expect(lines()).toMatchObject([{ level: 'warn', name: 'a', msg: 'it comes again' }]);
  atOnce.begin('a');
  await end('b');
  expect(since()).toEqual(['a']);
});

test('closing waits for what is under way, and begins nothing more', async () => {
  const { atOnce, since, end } = openWork({ limit: 1 });
  for (const name of ['a', 'b', 'a']) atOnce.begin(name);
  let isClosed = false;
  const closing = atOnce.close().then(() => {
    isClosed = true;
  });
  atOnce.begin('c', 'urgent');
  await settled();
  expect(isClosed).toBe(false);
  await end('a');
  await closing;
  expect(since()).toEqual(['a']);
});
