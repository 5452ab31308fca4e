import { describe, expect, test } from 'vitest';
import {
  createPollSchedule,
  memberOf,
  POLL_KINDS,
  type PollKind,
  type PollTarget,
  targetOf,
} from '../../src/account-events/poll-schedule.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START } from '../operations/operations-setup.ts';
import { killedAfter } from '../support/killed.ts';

const target = (account: number, kind: PollKind = 'deposits'): PollTarget => ({ account, kind });

function openSchedule() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const schedule = createPollSchedule({ storage });
  const due = async (limit = 100) => (await schedule.due(limit)).map(({ target }) => target.account);
  const queued = (priority: string) => storage.index.upTo(`polls:${priority}`, Number.MAX_VALUE, 1_000);
  return { clock, storage, schedule, due, queued };
}

test('returns expected targets first, then active, then idle ones, longest due first', async () => {
  const { schedule, due, clock } = openSchedule();
  await schedule.scheduleIn('idle', target(5), 0);
  await schedule.scheduleIn('active', target(4), 1);
  await schedule.scheduleIn('active', target(3), 0);
  await schedule.expectChange(target(2), 1);
  await schedule.expectChange(target(1), 0);
  clock.now += 1;
  expect(await due()).toEqual([1, 2, 3, 4, 5]);
});

test('does not return targets before they are due', async () => {
  const { schedule, due, clock } = openSchedule();
  await schedule.scheduleIn('active', target(4), 1_000);
  await schedule.scheduleIn('idle', target(5), 1_000);
  await schedule.expectChange(target(1), 1_000);
  clock.now += 999;
  expect(await due()).toEqual([]);
  clock.now += 1;
  expect(await due()).toEqual([1, 4, 5]);
});

test('returns a target once if it is both expected and due, marked as expected', async () => {
  const { schedule } = openSchedule();
  await schedule.scheduleIn('active', target(1), 0);
  await schedule.expectChange(target(1), 0);
  await schedule.scheduleIn('idle', target(2), 0);
  expect(await schedule.due(10)).toEqual([
    { target: target(1), isExpected: true },
    { target: target(2), isExpected: false },
  ]);
});

describe('when more is due than the limit', () => {
  async function crowd(counts: { expected?: number; active?: number; idle?: number }) {
    const opened = openSchedule();
    const { expected = 0, active = 0, idle = 0 } = counts;
    for (let n = 0; n < expected; n++) await opened.schedule.expectChange(target(1_000 + n), 0);
    for (let n = 0; n < active; n++) await opened.schedule.scheduleIn('active', target(2_000 + n), 0);
    for (let n = 0; n < idle; n++) await opened.schedule.scheduleIn('idle', target(3_000 + n), 0);
    return opened;
  }
  const countsOf = (accounts: number[]) =>
    [1_000, 2_000, 3_000].map((from) => accounts.filter((one) => one >= from && one < from + 1_000).length);

  test.each([
    ['reserves a tenth for idle targets', { expected: 150, active: 50, idle: 50 }, [90, 0, 10]],
    ['gives active targets what expected ones leave', { expected: 40, active: 80, idle: 50 }, [40, 50, 10]],
    ['gives active targets what idle ones do not need', { expected: 40, active: 80, idle: 3 }, [40, 57, 3]],
    ['gives idle targets all that others leave', { expected: 5, active: 5, idle: 200 }, [5, 5, 90]],
    ['returns all if they fit', { expected: 1, active: 2, idle: 3 }, [1, 2, 3]],
  ])('%s', async (_, counts, taken) => {
    const { due } = await crowd(counts);
    expect(countsOf(await due(100))).toEqual(taken);
  });
});

test('keeps each target in exactly one of the active and idle schedule', async () => {
  const { schedule, queued } = openSchedule();
  await schedule.scheduleNoLaterThan(target(1), 0);
  expect([await queued('active'), await queued('idle')]).toEqual([['1/deposits'], []]);
  await schedule.scheduleIn('idle', target(1), 0);
  expect([await queued('active'), await queued('idle')]).toEqual([[], ['1/deposits']]);
  await schedule.scheduleIn('active', target(1), 0);
  expect([await queued('active'), await queued('idle')]).toEqual([['1/deposits'], []]);
});

test.each([
  ['active', 'idle'],
  ['idle', 'active'],
] as const)(
  'keeps the target scheduled if the process dies while moving it from %s to %s',
  async (from, to) => {
    for (const calls of [0, 1, 2]) {
      const { schedule, storage, queued } = openSchedule();
      await schedule.scheduleIn(from, target(1), 0);
      const dying = createPollSchedule({ storage: killedAfter(calls, storage).storage });
      await dying.scheduleIn(to, target(1), 0).catch(() => undefined);
      const names = [...(await queued('active')), ...(await queued('idle'))];
      expect([calls, new Set(names)]).toEqual([calls, new Set(['1/deposits'])]);
    }
  },
);

test('does not delay an expected target that is expected again', async () => {
  const { schedule, due, clock } = openSchedule();
  await schedule.expectChange(target(1), 1_000);
  await schedule.expectChange(target(1), 60_000);
  clock.now += 1_000;
  expect(await due()).toEqual([1]);
  await schedule.lease(target(1), 60_000);
  expect(await due()).toEqual([]);
});

test('removes malformed members from every priority', async () => {
  const { schedule, due, storage, queued } = openSchedule();
  const malformed = ['', '/', 'x', '1', '1/', '1/orders', 'NaN/deposits', 'x/log', '1.5/log', `1e99/log`];
  for (const priority of ['expected', 'active', 'idle'])
    for (const member of malformed) await storage.index.scheduleIn(`polls:${priority}`, member, 0);
  await schedule.scheduleIn('idle', target(1), 0);
  expect(await due()).toEqual([1]);
  expect([await queued('expected'), await queued('active'), await queued('idle')]).toEqual([
    ...[[], [], ['1/deposits']],
  ]);
});

test.each(POLL_KINDS)('parses the member that it formats for %s', (kind) => {
  expect(targetOf(memberOf({ account: 1001, kind }))).toEqual({ account: 1001, kind });
});

test('makes all targets of one name due in both schedule, without delaying any', async () => {
  const { schedule, clock } = openSchedule();
  for (let n = 0; n < 1_200; n++)
    await schedule.scheduleIn(n % 2 ? 'active' : 'idle', target(n + 1, 'log'), 60_000 + n);
  await schedule.scheduleIn('active', target(1, 'deposits'), 60_000);
  await schedule.scheduleIn('active', target(5_000, 'log'), 0);
  clock.now += 1;
  await schedule.scheduleAllNow('log');
  const due = await schedule.due(5_000);
  expect(due).toHaveLength(1_201);
  expect(due[0]?.target.account).toBe(5_000);
  expect(new Set(due.map(({ target }) => target.kind))).toEqual(new Set(['log']));
});
