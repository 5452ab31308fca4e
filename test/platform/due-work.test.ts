import { expect, test, vi } from 'vitest';
import { createDueQueue, defineDueQueue } from '../../src/platform/due-queue.ts';
import { createDueWork } from '../../src/platform/due-work.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';

const GREETINGS = defineDueQueue({
  keys: 'greetings',
  ref: { user: 'number', id: 'string' },
  longestMs: 3600_000,
  content: 'When each user is greeted',
  expiry: 'none',
});
const LEASE_MS = 10_000;
const REF = { user: 502, id: '7Q2K' };

function open() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const { log, lines } = recordingLog();
  /** Opens the work of one process. Done work leaves the queue. */
  function replica(own: Storage = storage, concurrency?: number) {
    const queue = createDueQueue(GREETINGS, { storage: own });
    const greet = vi.fn(async (_ref: typeof REF) => {});
    const work = async (ref: typeof REF) => {
      await greet(ref);
      await queue.remove(ref);
    };
    const failureMessage = 'a greeting failed';
    const dueWork = createDueWork({
      queue,
      work,
      leaseMs: LEASE_MS,
      failureMessage,
      log,
      ...(concurrency && { concurrency }),
    });
    return { ...dueWork, greet, greeted: () => greet.mock.calls.map(([ref]) => ref) };
  }
  return {
    clock,
    storage,
    replica,
    lines,
    queued: () => storage.index.upTo(GREETINGS.keys, Number.MAX_VALUE, 5_000),
  };
}

test('runs as soon as it is added, and leaves the queue when it is done', async () => {
  const { replica, queued } = open();
  const { add, greet } = replica();
  greet.mockImplementationOnce(async () => expect(await queued()).toEqual(['502/7Q2K']));
  await add(REF);
  await settled();
  expect(greet.mock.calls).toEqual([[REF]]);
  expect(await queued()).toEqual([]);
});

test('runs on another replica after the lease if its process died, and on one only', async () => {
  const { clock, replica } = open();
  const [dying, one, other] = [replica(), replica(), replica()];
  dying.greet.mockReturnValueOnce(new Promise(() => {}));
  await dying.add(REF);
  clock.now += LEASE_MS - 1;
  for (const { startDue } of [one, other]) await startDue();
  await settled();
  expect([one.greeted(), other.greeted()]).toEqual([[], []]);
  clock.now += 1;
  await Promise.all([one.startDue(), other.startDue()]);
  await settled();
  expect([...one.greeted(), ...other.greeted()]).toEqual([REF]);
});

test('never runs twice at the same time in a process, and once more if it is added during the run', async () => {
  const { clock, replica } = open();
  const { add, startDue, greet, greeted } = replica();
  const { raised, raise: end } = createSignal();
  greet.mockReturnValueOnce(raised);
  for (let times = 0; times < 3; times += 1) await add(REF);
  clock.now += LEASE_MS;
  await startDue();
  await settled();
  expect(greeted()).toEqual([REF]);
  end();
  await settled();
  expect(greeted()).toEqual([REF, REF]);
});

test('keeps an earlier time when it is added', async () => {
  const { clock, storage, replica } = open();
  await storage.index.scheduleIn(GREETINGS.keys, '502/7Q2K', 500);
  const adding = replica();
  await adding.close();
  await adding.add(REF);
  clock.now += 500;
  const { startDue, greeted } = replica();
  await startDue();
  await settled();
  expect(greeted()).toEqual([REF]);
});

test('runs hundreds of due references, each once, and few at once', async () => {
  const { clock, storage, replica, queued } = open();
  const refs = Array.from({ length: 300 }, (_, user) => ({ user, id: 'A' }));
  for (const { user, id } of refs) await storage.index.scheduleIn(GREETINGS.keys, `${user}/${id}`, -1);
  const { startDue, greet, greeted } = replica(storage, 20);
  let running = 0;
  let most = 0;
  greet.mockImplementation(async () => {
    most = Math.max(most, ++running);
    await settled();
    running -= 1;
  });
  // Those for which this process has no room come due again.
  while ((await queued()).length > 0) {
    await startDue();
    await eventually(() => expect(running).toBe(0));
    clock.now += LEASE_MS;
  }
  expect(most).toBe(20);
  expect(greeted().toSorted((a, b) => a.user - b.user)).toEqual(refs);
});

test('logs a failure and runs again after the lease', async () => {
  const { clock, replica, lines } = open();
  const { add, startDue, greet } = replica();
  greet.mockRejectedValueOnce(new Error('nobody is there'));
  await add(REF);
  await settled();
  expect(lines()).toMatchObject([
    { level: 'warn', msg: 'a greeting failed', err: { message: 'nobody is there' } },
  ]);
  clock.now += LEASE_MS;
  await startDue();
  await settled();
  expect(greet).toHaveBeenCalledTimes(2);
});

test('rejects and starts nothing if the storage is unavailable', async () => {
  const { storage, replica } = open();
  const scheduleAll = async () => {
    throw new StorageUnavailable('no answer');
  };
  const { add, greet } = replica({ ...storage, index: { ...storage.index, scheduleAll } });
  await expect(add(REF)).rejects.toThrow(StorageUnavailable);
  await settled();
  expect(greet).not.toHaveBeenCalled();
});

test('waits for running work when it is closed, and leaves the rest to other replicas', async () => {
  const { clock, replica } = open();
  const { add, close, greet, greeted } = replica(undefined, 1);
  const { raised, raise: end } = createSignal();
  greet.mockReturnValueOnce(raised);
  const waiting = { user: 503, id: 'B' };
  await add(REF);
  await add(waiting);
  let isClosed = false;
  const closed = close().then(() => {
    isClosed = true;
  });
  await settled();
  expect(isClosed).toBe(false);
  end();
  await closed;
  expect(greeted()).toEqual([REF]);
  clock.now += LEASE_MS;
  const other = replica();
  await other.startDue();
  await settled();
  expect(other.greeted()).toEqual([waiting]);
});
