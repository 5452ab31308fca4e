import { describe, expect, test } from 'vitest';
import {
  createPollSchedule,
  type Expectation,
  nextPoll,
  POLL_STATE,
  type PollKind,
  type PollResult,
  type PollState,
  type PollTarget,
} from '../../src/account-events/poll-schedule.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Outcome } from '../../src/rental-api/client.ts';
import { START } from '../operations/operations-setup.ts';
import { accepted, CUT, heldBack, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { killedAfter } from '../support/killed.ts';
import { signedRecords } from '../support/records.ts';
import { DAY, MINUTE, SECOND } from './pollers-setup.ts';

const target = (account: number, kind: PollKind = 'deposits'): PollTarget => ({ account, kind });
const MEMBER = '1/deposits';

function openSchedule() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const schedule = createPollSchedule({ storage });
  const due = async (limit = 100) => (await schedule.due(limit)).map(({ target }) => target.account);
  const queued = (priority: string) => storage.index.upTo(`polls:${priority}`, Number.MAX_VALUE, 1_000);
  const activeAndIdle = async () => [await queued('active'), await queued('idle')];
  return { clock, storage, schedule, due, queued, activeAndIdle };
}

describe('the schedule', () => {
  test('returns expected targets first, then active, then idle ones, longest due first', async () => {
    const { schedule, due, clock } = openSchedule();
    await schedule.scheduleIn('idle', target(5), 0);
    await schedule.scheduleIn('active', target(4), 1);
    await schedule.scheduleIn('active', target(3), 0);
    await schedule.expectChange(target(2), 1);
    await schedule.expectChange(target(1), 0);
    expect(await due()).toEqual([1, 3, 5]);
    clock.now += 1;
    expect(await due()).toEqual([1, 2, 3, 4, 5]);
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

  test.each([
    ['reserves a tenth for idle targets', [150, 50, 50], [90, 0, 10]],
    ['gives active targets what expected ones leave', [40, 80, 50], [40, 50, 10]],
    ['gives active targets what idle ones do not need', [40, 80, 3], [40, 57, 3]],
    ['gives idle targets all that others leave', [5, 5, 200], [5, 5, 90]],
    ['returns all if they fit', [1, 2, 3], [1, 2, 3]],
  ])(
    '%s (expected, active and idle targets are due: %j)',
    async (_, [expected = 0, active = 0, idle = 0], taken) => {
      const { schedule, due } = openSchedule();
      for (let n = 0; n < expected; n++) await schedule.expectChange(target(1_000 + n), 0);
      for (let n = 0; n < active; n++) await schedule.scheduleIn('active', target(2_000 + n), 0);
      for (let n = 0; n < idle; n++) await schedule.scheduleIn('idle', target(3_000 + n), 0);
      const accounts = await due(100);
      const counts = [1, 2, 3].map(
        (group) => accounts.filter((one) => Math.floor(one / 1_000) === group).length,
      );
      expect(counts).toEqual(taken);
    },
  );

  test('has each target either among the active or among the idle ones', async () => {
    const { schedule, activeAndIdle } = openSchedule();
    await schedule.scheduleNoLaterThan(target(1), 0);
    expect(await activeAndIdle()).toEqual([[MEMBER], []]);
    await schedule.scheduleIn('idle', target(1), 0);
    expect(await activeAndIdle()).toEqual([[], [MEMBER]]);
    await schedule.scheduleIn('active', target(1), 0);
    expect(await activeAndIdle()).toEqual([[MEMBER], []]);
  });

  test.each([
    ['active', 'idle'],
    ['idle', 'active'],
  ] as const)('keeps a target if the process dies while moving it from %s to %s', async (from, to) => {
    for (const calls of [0, 1, 2]) {
      const { schedule, storage, activeAndIdle } = openSchedule();
      await schedule.scheduleIn(from, target(1), 0);
      const dying = createPollSchedule({ storage: killedAfter(calls, storage).storage });
      await dying.scheduleIn(to, target(1), 0).catch(() => undefined);
      expect([calls, new Set((await activeAndIdle()).flat())]).toEqual([calls, new Set([MEMBER])]);
    }
  });

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
    const { schedule, due, storage, queued, activeAndIdle } = openSchedule();
    const malformed = ['', '/', 'x', '1', '1/', '1/orders', 'NaN/deposits', 'x/log', '1.5/log', `1e99/log`];
    for (const priority of ['expected', 'active', 'idle'])
      for (const member of malformed) await storage.index.scheduleIn(`polls:${priority}`, member, 0);
    await schedule.scheduleIn('idle', target(1), 0);
    expect(await due()).toEqual([1]);
    expect([await queued('expected'), ...(await activeAndIdle())]).toEqual([[], [], [MEMBER]]);
  });

  test('makes all targets of one kind due, without delaying any', async () => {
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
});

const BEFORE: PollState = {
  since: 1,
  polledAt: 2,
  knownItems: ['a'],
  unchangedPolls: 0,
  expectationPolls: 0,
  failedPolls: 0,
};

test.each(['', 'null', '{}', '{"since":"x"}', 'not JSON'])(
  'an unreadable state of a target counts as missing: %s',
  async (text) => {
    const { storage, clock } = openSchedule();
    const states = signedRecords(storage).store(POLL_STATE);
    await states.set(target(1), BEFORE);
    clock.now += 40 * DAY - 1;
    expect(await states.get(target(1))).toEqual(BEFORE);
    await storage.set('poll-state:1:deposits', text);
    expect(await states.get(target(1))).toBeUndefined();
  },
);

describe('the next poll', () => {
  const resultOf = (more: Partial<PollResult> = {}) =>
    accepted<PollResult>({ knownItems: ['a', 'b'], hasChanged: false, ...more });
  const nextOf = (
    before: PollState,
    outcome: Outcome<PollResult> | undefined,
    expectation: Expectation = 'none',
  ) => nextPoll(before, { outcome, expectation, now: START });

  /** Polls `count` times with the same result. The first poll may have another expectation than later ones. */
  function pollRepeatedly(
    count: number,
    outcome: Outcome<PollResult> | undefined,
    [first, then = first]: readonly Expectation[] = ['none'],
    before = BEFORE,
  ) {
    let state = before;
    return Array.from({ length: count }, (_, at) => {
      const next = nextOf(state, outcome, at === 0 ? first : then);
      state = next.state;
      return next;
    });
  }

  test('comes later and later while nothing changes, down to once in six hours', () => {
    const minutes = pollRepeatedly(15, resultOf()).map(({ delayMs }) => delayMs / MINUTE);
    expect(minutes).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360, 360, 360]);
  });

  test('is idle after four polls without a change', () => {
    const [active, idle] = ['active', 'idle'];
    const priorities = pollRepeatedly(6, resultOf()).map(({ priority }) => priority);
    expect(priorities).toEqual([active, active, active, active, idle, idle]);
  });

  test('is active after a change, and what was seen is stored', () => {
    const before = { ...BEFORE, unchangedPolls: 20, expectationPolls: 3, failedPolls: 2 };
    expect(nextOf(before, resultOf({ hasChanged: true }))).toEqual({
      state: { ...BEFORE, polledAt: START, knownItems: ['a', 'b'] },
      priority: 'active',
      delayMs: MINUTE,
    });
  });

  describe('for an expected change that is not there yet', () => {
    const delaysS = [1, 2, 5, 15, 60, 300, undefined];
    const poll = (expectations: readonly Expectation[], before?: PollState) =>
      pollRepeatedly(delaysS.length, resultOf(), expectations, before);
    const secondsOf = (next: ReturnType<typeof poll>) =>
      next.map(({ expectedDelayMs }) => expectedDelayMs && expectedDelayMs / SECOND);

    test.each<[string, Expectation[]]>([
      ['by the same replica', ['new', 'unmet']],
      ['by another replica', ['new', 'none']],
      ['by another replica from the second poll on', ['unmet', 'none']],
    ])('comes after 1, 2, 5, 15, 60 and 300 seconds %s, and then regularly', (_, expectations) => {
      expect(secondsOf(poll(expectations))).toEqual(delaysS);
    });

    test('comes after a second again if another change is expected, or after giving up', () => {
      const polls = poll(['new', 'unmet']);
      expect(secondsOf(poll(['new', 'unmet'], polls[4]?.state))).toEqual(delaysS);
      expect(secondsOf(poll(['unmet', 'unmet'], polls[6]?.state))).toEqual(delaysS);
    });

    test('is active, without a regular poll in between', () => {
      for (const next of poll(['new', 'unmet'], { ...BEFORE, unchangedPolls: 20 })) {
        expect(next.priority).toBe('active');
        expect(next.delayMs).toBeGreaterThanOrEqual(next.expectedDelayMs ?? 0);
        expect(next.delayMs).toBeLessThanOrEqual(5 * MINUTE);
      }
    });
  });

  test('comes when the result requests it, expected or not', () => {
    const result = resultOf({ repollInMs: 15_000 });
    for (const hasChanged of [true, false]) {
      const { expectedDelayMs, state } = nextOf(BEFORE, resultOf({ hasChanged, repollInMs: 15_000 }));
      expect([expectedDelayMs, state.expectationPolls]).toEqual([15_000, 0]);
    }
    expect(nextOf(BEFORE, result, 'new').expectedDelayMs).toBe(SECOND);
    expect(nextOf({ ...BEFORE, expectationPolls: 4 }, result, 'unmet').expectedDelayMs).toBe(15_000);
  });

  test.each([
    ['is offline', OFFLINE],
    ['cuts the connection', CUT],
    ['limits requests', rejected(429, 'RATE_LIMITED', 1)],
  ])('comes after growing delays with the same state if the service %s', (_, outcome) => {
    const next = pollRepeatedly(6, outcome, ['unmet']);
    for (const delay of ['delayMs', 'expectedDelayMs'] as const)
      expect(next.map((poll) => (poll[delay] ?? 0) / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(new Set(next.map(({ priority }) => priority))).toEqual(new Set(['active']));
    expect(next.at(-1)?.state).toEqual({ ...BEFORE, failedPolls: 6 });
  });

  test('after a failed one expects no change if none was expected, and counts failures anew later', () => {
    expect(nextOf(BEFORE, OFFLINE).expectedDelayMs).toBeUndefined();
    expect(nextOf({ ...BEFORE, failedPolls: 5 }, resultOf()).state.failedPolls).toBe(0);
  });

  test('does not count as failed if it was held back, and comes at the reset', () => {
    const before = { ...BEFORE, failedPolls: 1 };
    expect(nextOf(before, heldBack(1_500))).toEqual({
      state: before,
      priority: 'active',
      delayMs: 1_500,
      expectedDelayMs: undefined,
    });
    expect(nextOf(before, heldBack(45_000), 'new')).toMatchObject({
      delayMs: 45_000,
      expectedDelayMs: 45_000,
    });
  });

  test('waits as long as the service says', () => {
    const next = nextOf(BEFORE, rejected(429, 'RATE_LIMITED', 45_000), 'new');
    expect(next).toMatchObject({ delayMs: 45_000, expectedDelayMs: 45_000 });
  });

  test.each<[string, Outcome<PollResult> | undefined]>([
    ['the service refuses the key', rejected(401, 'UNAUTHORIZED')],
    ['there is no key', undefined],
  ])('comes as rarely as if nothing changed if %s', (_, outcome) => {
    const next = pollRepeatedly(9, outcome, ['unmet']);
    expect(next.map(({ delayMs }) => delayMs / MINUTE)).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10]);
    for (const { priority, expectedDelayMs } of next)
      expect([priority, expectedDelayMs]).toEqual(['idle', undefined]);
  });
});
