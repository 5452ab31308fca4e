import { expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createPollSchedule, definePollSchedule } from '../../src/platform/poll-schedule.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { killedAfter } from '../support/killed.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';

const LEASE_MS = 20_000;
const POLLS = definePollSchedule({
  keys: 'polls:priority',
  ref: { account: 'number', kind: ['deposits', 'log'] },
  priorities: { high: 5_000, medium: 60_000, low: 3600_000 },
  leaseMs: LEASE_MS,
  content: 'When each account is polled',
  expiry: 'none: four keys',
});
const ref = (account: number) => ({ account, kind: 'deposits' as const });
const A = ref(1);

function openSchedule() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const schedule = createPollSchedule(POLLS, { storage });
  const { high, medium, low } = schedule.queues;
  const due = async (limit = 100, reserved = 10) =>
    (await schedule.due(limit, reserved)).map(({ ref }) => ref.account);
  return { clock, storage, schedule, high, medium, low, due };
}

test('returns high priorities first, longest due first', async () => {
  const { high, medium, low, due, clock } = openSchedule();
  await low.scheduleIn(ref(5), 0);
  await medium.scheduleIn(ref(4), 1);
  await medium.scheduleIn(ref(3), 0);
  await high.scheduleIn(ref(2), 1);
  await high.scheduleIn(ref(1), 0);
  expect(await due()).toEqual([1, 3, 5]);
  clock.now += 1;
  expect(await due()).toEqual([1, 2, 3, 4, 5]);
});

test('returns a reference once, with its highest priority', async () => {
  const { schedule, high, medium, low } = openSchedule();
  for (const queue of [low, medium, high]) await queue.scheduleIn(A, 0);
  await low.scheduleIn(ref(2), 0);
  expect(await schedule.due(10, 1)).toEqual([
    { ref: A, priority: 'high' },
    { ref: ref(2), priority: 'low' },
  ]);
});

test.each([
  ['reserves a tenth for low priority', [150, 50, 50], [90, 0, 10]],
  ['gives medium priority what high priority leaves', [40, 80, 50], [40, 50, 10]],
  ['gives medium priority what low priority does not need', [40, 80, 3], [40, 57, 3]],
  ['gives low priority all that others leave', [5, 5, 200], [5, 5, 90]],
  ['returns all if they fit', [1, 2, 3], [1, 2, 3]],
])('%s (of high, medium and low priority are due: %j)', async (_, given, taken) => {
  const { high, medium, low, due } = openSchedule();
  const queues = [high, medium, low];
  for (const [at, count = 0] of given.entries())
    for (let n = 0; n < count; n++) await queues[at]?.scheduleIn(ref(1_000 * at + n), 0);
  const accounts = await due(100, 10);
  const counts = [0, 1, 2].map((at) => accounts.filter((one) => Math.floor(one / 1_000) === at).length);
  expect(counts).toEqual(taken);
});

test('takes a leased reference out of all queues until its lease is over', async () => {
  const { clock, schedule, high, low, due } = openSchedule();
  for (const queue of [high, low]) await queue.scheduleIn(A, 0);
  await low.scheduleIn(ref(2), 0);
  await schedule.lease(A);
  expect(await due()).toEqual([2]);
  expect(await schedule.scheduled(10)).toEqual([ref(2), A]);
  clock.now += LEASE_MS;
  expect(await schedule.due(10, 1)).toContainEqual({ ref: A, priority: 'leased' });
  expect(await due(2, 1)).toEqual([2, 1]);
});

test('schedules the next poll at the end of a lease, or none', async () => {
  const { clock, schedule, due } = openSchedule();
  await schedule.lease(A);
  await schedule.release(A, { priority: 'medium', inMs: 30_000 });
  clock.now += 30_000 - 1;
  expect(await due()).toEqual([]);
  clock.now += 1;
  expect(await schedule.due(10, 1)).toEqual([{ ref: A, priority: 'medium' }]);
  await schedule.lease(A);
  await schedule.release(A);
  expect(await schedule.scheduled(10)).toEqual([]);
});

test('takes due references in the order of `due`, each once until its lease is over', async () => {
  const { clock, schedule, high, medium, low, storage } = openSchedule();
  const taken = async (limit: number, reserved = 0) =>
    (await schedule.take(limit, reserved)).map(({ ref, priority }) => `${ref.account} ${priority}`);
  for (const [at, queue] of [high, medium, low].entries())
    for (let n = 0; n < 3; n += 1) await queue.scheduleIn(ref(10 * at + n), n - 9);
  await low.scheduleIn(ref(0), 0);
  await storage.index.scheduleIn('polls:high', 'malformed', -10);
  expect(await taken(5, 1)).toEqual(['0 high', '1 high', '2 high', '20 low']);
  await high.scheduleIn(ref(20), 0);
  expect(await taken(9)).toEqual(['10 medium', '11 medium', '12 medium', '21 low', '22 low']);
  await schedule.release(ref(20));
  expect(await taken(9)).toEqual(['20 high']);
  clock.now += LEASE_MS;
  expect((await taken(9)).toSorted()).toContain('0 leased');
  expect(await storedKeys(storage, 'polls:')).toEqual(['polls:leased']);
});

test('keeps what is scheduled during a lease, and does not postpone it', async () => {
  const { schedule, high, due } = openSchedule();
  for (const next of [undefined, { priority: 'high', inMs: 5_000 }, { priority: 'low', inMs: 0 }] as const) {
    await schedule.lease(A);
    await high.scheduleNoLaterThan(A, 0);
    await schedule.release(A, next);
    expect(await due()).toEqual([1]);
  }
});

test.each([
  ['high', 5_000, 'high'],
  ['high', 5_001, 'medium'],
  ['high', 60_001, 'low'],
  ['medium', 0, 'medium'],
  ['high', 7200_000, 'low'],
  ['low', 7200_000, 'low'],
] as const)('after priority %s and a delay of %d ms: priority %s', async (priority, inMs, fitting) => {
  const { clock, schedule } = openSchedule();
  await schedule.lease(A);
  await schedule.release(A, { priority, inMs });
  clock.now += Math.min(inMs, 3600_000);
  expect(await schedule.due(10, 1)).toEqual([{ ref: A, priority: fitting }]);
});

type Schedule = ReturnType<typeof openSchedule>['schedule'];
const release = (schedule: Schedule) => schedule.release(A);
const releaseWithNext = (schedule: Schedule) => schedule.release(A, { priority: 'low', inMs: 60_000 });
const lease = (schedule: Schedule) => schedule.lease(A);

test.each([
  ['beginning', lease],
  ['ending', releaseWithNext],
])('keeps a reference if the process dies while %s a poll', async (_, step) => {
  for (const calls of [0, 1, 2]) {
    const { storage, schedule, medium } = openSchedule();
    await medium.scheduleIn(A, 0);
    if (step !== lease) await schedule.lease(A);
    await step(createPollSchedule(POLLS, killedAfter(calls, storage))).catch(() => undefined);
    expect(await schedule.scheduled(10)).toEqual([A]);
  }
});

test.each([
  ['begins a poll', lease],
  ['ends a poll', releaseWithNext],
  ['ends the last poll', release],
])('keeps what another replica schedules before a frozen process %s', async (_, step) => {
  for (const calls of [0, 1, 2]) {
    const { storage, schedule, medium, clock, due } = openSchedule();
    await medium.scheduleIn(A, 0);
    await schedule.lease(A);
    const { raised, raise } = createSignal();
    const stepped = step(createPollSchedule(POLLS, { storage: frozenAfter(calls, storage, raised) }));
    await settled();
    // After the lease, another replica polls, and schedules the next poll.
    clock.now += LEASE_MS;
    await schedule.lease(A);
    await schedule.release(A, { priority: 'medium', inMs: 1_000 });
    raise();
    await stepped;
    clock.now += LEASE_MS;
    expect(await due()).toEqual([1]);
  }
});

/** Returns a view of the storage whose writes to indexes, after a number of them, wait for a signal. */
function frozenAfter(calls: number, storage: Storage, signal: Promise<unknown>): Pick<Storage, 'index'> {
  let made = 0;
  const late =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (made++ >= calls) await signal;
      return write(...args);
    };
  const { index } = storage;
  const { move, remove, scheduleAll } = index;
  return {
    index: {
      ...index,
      move: late(move),
      remove: late(remove),
      scheduleAll: late(scheduleAll),
    },
  };
}

test('drops malformed members of every queue', async () => {
  const { storage, low, due, schedule } = openSchedule();
  const malformed = ['', '/', 'x', '1', '1/', '1/orders', 'NaN/deposits', 'x/log', '1.5/log', '1e99/log'];
  for (const priority of ['high', 'medium', 'low', 'leased'])
    for (const member of malformed) await storage.index.scheduleIn(`polls:${priority}`, member, 0);
  await low.scheduleIn(A, 0);
  expect(await due()).toEqual([1]);
  const queues = await Promise.all(
    (await storedKeys(storage, 'polls:')).map((key) => storage.index.last(key, 100)),
  );
  expect(queues.flat()).toEqual([schedule.memberOf(A)]);
});

test('returns the age of the most overdue reference of any queue', async () => {
  const { clock, schedule, high, low } = openSchedule();
  expect(await schedule.overdueMs()).toBeUndefined();
  await low.scheduleIn(A, 30_000);
  await schedule.lease(ref(2));
  expect(await schedule.overdueMs()).toBeUndefined();
  clock.now += 31_000;
  expect(await schedule.overdueMs()).toBe(31_000 - LEASE_MS);
  await schedule.release(ref(2));
  await high.scheduleIn(ref(3), 0);
  expect(await schedule.overdueMs()).toBe(1_000);
});
