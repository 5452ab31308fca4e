import { describe, expect, test } from 'vitest';
import {
  type Expectation,
  nextPollOfTarget,
  POLL_STATE,
  type PollKind,
  type PollResult,
  type PollState,
  type PollTarget,
} from '../../src/account-events/poll-state.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Outcome } from '../../src/rental-api/client.ts';
import { START } from '../operations/operations-setup.ts';
import { accepted, CUT, heldBack, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';
import { DAY, MINUTE, SECOND } from './pollers-setup.ts';

const target = (account: number, kind: PollKind = 'deposits'): PollTarget => ({ account, kind });

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
    const clock = { now: START };
    const storage = createMemoryStorage({ now: () => clock.now });
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
  ) => nextPollOfTarget(before, { outcome, expectation, now: START });

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
