import { describe, expect, test } from 'vitest';
import {
  createPollSchedule,
  LOOK_NAMES,
  memberOf,
  type PollTarget,
  refOfMember,
} from '../../src/account-events/poll-schedule.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START } from '../operations/operations-setup.ts';
import { killedAfter } from '../support/killed.ts';

const refOf = (account: number, name: PollTarget = 'deposits') => ({ account, name });

function openLanes() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const lanes = createPollSchedule({ storage });
  const due = async (limit = 100) => (await lanes.due(limit)).map(({ ref }) => ref.account);
  const inLane = (lane: string) => storage.index.upTo(`looks:${lane}`, Number.MAX_VALUE, 1_000);
  return { clock, storage, lanes, due, inLane };
}

test('returns expected targets first, then busy, then quiet ones, longest due first', async () => {
  const { lanes, due, clock } = openLanes();
  await lanes.scheduleIn('quiet', refOf(5), 0);
  await lanes.scheduleIn('busy', refOf(4), 1);
  await lanes.scheduleIn('busy', refOf(3), 0);
  await lanes.expect(refOf(2), 1);
  await lanes.expect(refOf(1), 0);
  clock.now += 1;
  expect(await due()).toEqual([1, 2, 3, 4, 5]);
});

test('does not return targets before they are due', async () => {
  const { lanes, due, clock } = openLanes();
  for (const lane of ['busy', 'quiet'] as const) await lanes.scheduleIn(lane, refOf(lane.length), 1_000);
  await lanes.expect(refOf(1), 1_000);
  clock.now += 999;
  expect(await due()).toEqual([]);
  clock.now += 1;
  expect(await due()).toEqual([1, 4, 5]);
});

test('returns a target once if it is both expected and due, marked as expected', async () => {
  const { lanes } = openLanes();
  await lanes.scheduleIn('busy', refOf(1), 0);
  await lanes.expect(refOf(1), 0);
  await lanes.scheduleIn('quiet', refOf(2), 0);
  expect(await lanes.due(10)).toEqual([
    { ref: refOf(1), isExpected: true },
    { ref: refOf(2), isExpected: false },
  ]);
});

describe('when more is due than the limit', () => {
  async function crowd(counts: { expected?: number; busy?: number; quiet?: number }) {
    const opened = openLanes();
    const { expected = 0, busy = 0, quiet = 0 } = counts;
    for (let n = 0; n < expected; n++) await opened.lanes.expect(refOf(1_000 + n), 0);
    for (let n = 0; n < busy; n++) await opened.lanes.scheduleIn('busy', refOf(2_000 + n), 0);
    for (let n = 0; n < quiet; n++) await opened.lanes.scheduleIn('quiet', refOf(3_000 + n), 0);
    return opened;
  }
  const countsOf = (accounts: number[]) =>
    [1_000, 2_000, 3_000].map((from) => accounts.filter((one) => one >= from && one < from + 1_000).length);

  test.each([
    ['reserves a tenth for quiet targets', { expected: 150, busy: 50, quiet: 50 }, [90, 0, 10]],
    ['gives busy targets what expected ones leave', { expected: 40, busy: 80, quiet: 50 }, [40, 50, 10]],
    ['gives busy targets what quiet ones do not need', { expected: 40, busy: 80, quiet: 3 }, [40, 57, 3]],
    ['gives quiet targets all that others leave', { expected: 5, busy: 5, quiet: 200 }, [5, 5, 90]],
    ['returns all if they fit', { expected: 1, busy: 2, quiet: 3 }, [1, 2, 3]],
  ])('%s', async (_, counts, taken) => {
    const { due } = await crowd(counts);
    expect(countsOf(await due(100))).toEqual(taken);
  });
});

test('keeps each target in exactly one of the busy and quiet lanes', async () => {
  const { lanes, inLane } = openLanes();
  await lanes.enter(refOf(1), 0);
  expect([await inLane('busy'), await inLane('quiet')]).toEqual([['1/deposits'], []]);
  await lanes.scheduleIn('quiet', refOf(1), 0);
  expect([await inLane('busy'), await inLane('quiet')]).toEqual([[], ['1/deposits']]);
  await lanes.scheduleIn('busy', refOf(1), 0);
  expect([await inLane('busy'), await inLane('quiet')]).toEqual([['1/deposits'], []]);
});

test.each([
  ['busy', 'quiet'],
  ['quiet', 'busy'],
] as const)(
  'keeps the target in a lane if the process dies while moving it from %s to %s',
  async (from, to) => {
    for (const calls of [0, 1, 2]) {
      const { lanes, storage, inLane } = openLanes();
      await lanes.scheduleIn(from, refOf(1), 0);
      const dying = createPollSchedule({ storage: killedAfter(calls, storage).storage });
      await dying.scheduleIn(to, refOf(1), 0).catch(() => undefined);
      const names = [...(await inLane('busy')), ...(await inLane('quiet'))];
      expect([calls, new Set(names)]).toEqual([calls, new Set(['1/deposits'])]);
    }
  },
);

test('does not delay an expected target that is expected again', async () => {
  const { lanes, due, clock } = openLanes();
  await lanes.expect(refOf(1), 1_000);
  await lanes.expect(refOf(1), 60_000);
  clock.now += 1_000;
  expect(await due()).toEqual([1]);
  await lanes.take(refOf(1), 60_000);
  expect(await due()).toEqual([]);
});

test('removes malformed members from every lane', async () => {
  const { lanes, due, storage, inLane } = openLanes();
  const odd = ['', '/', 'x', '1', '1/', '1/orders', 'NaN/deposits', 'x/log', '1.5/log', `1e99/log`];
  for (const lane of ['expected', 'busy', 'quiet'])
    for (const name of odd) await storage.index.scheduleIn(`looks:${lane}`, name, 0);
  await lanes.scheduleIn('quiet', refOf(1), 0);
  expect(await due()).toEqual([1]);
  expect([await inLane('expected'), await inLane('busy'), await inLane('quiet')]).toEqual([
    ...[[], [], ['1/deposits']],
  ]);
});

test.each(LOOK_NAMES)('parses the name that it formats for %s', (name) => {
  expect(refOfMember(memberOf({ account: 1001, name }))).toEqual({ account: 1001, name });
});

test('makes all targets of one name due in both lanes, without delaying any', async () => {
  const { lanes, clock } = openLanes();
  for (let n = 0; n < 1_200; n++)
    await lanes.scheduleIn(n % 2 ? 'busy' : 'quiet', refOf(n + 1, 'log'), 60_000 + n);
  await lanes.scheduleIn('busy', refOf(1, 'deposits'), 60_000);
  await lanes.scheduleIn('busy', refOf(5_000, 'log'), 0);
  clock.now += 1;
  await lanes.hurry('log');
  const due = await lanes.due(5_000);
  expect(due).toHaveLength(1_201);
  expect(due[0]?.ref.account).toBe(5_000);
  expect(new Set(due.map(({ ref }) => ref.name))).toEqual(new Set(['log']));
});
