import { describe, expect, test } from 'vitest';
import {
  type Expectation,
  nextPoll,
  type PollResult,
  type PollState,
} from '../../src/account-events/poll-schedule.ts';
import type { Outcome } from '../../src/rental-api/http.ts';
import { START } from '../operations/operations-setup.ts';
import { accepted, CUT, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { MINUTE, SECOND } from './pollers-setup.ts';

const BEFORE: PollState = {
  since: 1,
  polledAt: 2,
  knownItems: ['a'],
  unchangedPolls: 0,
  expectationPolls: 0,
  failedPolls: 0,
};
const resultOf = (more: Partial<PollResult> = {}) =>
  accepted<PollResult>({ knownItems: ['a', 'b'], hasChanged: false, ...more });
const nextOf = (
  before: PollState,
  outcome: Outcome<PollResult> | undefined,
  expectation: Expectation = 'none',
) => nextPoll(before, { outcome, expectation, now: START });

/** Polls `count` times with the same result. Returns the schedule after each poll. */
function pollRepeatedly(
  count: number,
  outcome: Outcome<PollResult> | undefined,
  expectation: Expectation = 'none',
) {
  let before = BEFORE;
  return Array.from({ length: count }, () => {
    const next = nextOf(before, outcome, expectation);
    before = next.state;
    return next;
  });
}

test('polls less often while nothing changes, down to once in six hours', () => {
  const minutes = pollRepeatedly(15, resultOf()).map(({ delayMs }) => delayMs / MINUTE);
  expect(minutes).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360, 360, 360]);
});

test('moves an account to the idle priority after four polls without a change', () => {
  expect(pollRepeatedly(6, resultOf()).map(({ priority }) => priority)).toEqual([
    ...['active', 'active', 'active', 'active', 'idle', 'idle'],
  ]);
});

test('moves an account back to the active priority after a change and stores what was seen', () => {
  const next = nextOf(
    { ...BEFORE, unchangedPolls: 20, expectationPolls: 3, failedPolls: 2 },
    resultOf({ hasChanged: true }),
  );
  expect(next).toEqual({
    state: {
      since: 1,
      polledAt: START,
      knownItems: ['a', 'b'],
      unchangedPolls: 0,
      expectationPolls: 0,
      failedPolls: 0,
    },
    priority: 'active',
    delayMs: MINUTE,
  });
});

describe('an expected change that is not there yet', () => {
  const delaysS = [1, 2, 5, 15, 60, 300, undefined];
  const pollForChange = (first: Expectation, then: Expectation, before = BEFORE) => {
    let state = before;
    return delaysS.map((_, at) => {
      const next = nextOf(state, resultOf(), at === 0 ? first : then);
      state = next.state;
      return next;
    });
  };
  const secondsOf = (next: ReturnType<typeof pollForChange>) =>
    next.map(({ expectedDelayMs }) => expectedDelayMs && expectedDelayMs / SECOND);

  test('is polled for after 1, 2, 5, 15, 60 and 300 seconds, and then regularly', () => {
    expect(secondsOf(pollForChange('new', 'unmet'))).toEqual(delaysS);
  });

  test('is polled for at the same intervals by another replica', () => {
    expect(secondsOf(pollForChange('new', 'none'))).toEqual(delaysS);
    expect(secondsOf(pollForChange('unmet', 'none'))).toEqual(delaysS);
  });

  test('restarts the intervals when another change is expected', () => {
    const [, , , , fifth] = pollForChange('new', 'unmet');
    if (fifth === undefined) throw new Error('expected seven polls');
    expect(secondsOf(pollForChange('new', 'unmet', fifth.state))).toEqual(delaysS);
  });

  test('restarts the intervals if it was given up', () => {
    const last = pollForChange('new', 'unmet').at(-1);
    if (last === undefined) throw new Error('expected seven polls');
    expect(secondsOf(pollForChange('unmet', 'unmet', last.state))).toEqual(delaysS);
  });

  test('keeps the account active and adds no regular poll in between', () => {
    for (const { priority, delayMs, expectedDelayMs = 0 } of pollForChange('new', 'unmet', {
      ...BEFORE,
      unchangedPolls: 20,
    })) {
      expect(priority).toBe('active');
      expect(delayMs).toBeGreaterThanOrEqual(expectedDelayMs);
      expect(delayMs).toBeLessThanOrEqual(5 * MINUTE);
    }
  });
});

test('polls again when the result requests it, expected or not', () => {
  for (const hasChanged of [true, false]) {
    const { expectedDelayMs, state } = nextOf(BEFORE, resultOf({ hasChanged, repollInMs: 15_000 }));
    expect([expectedDelayMs, state.expectationPolls]).toEqual([15_000, 0]);
  }
  expect(nextOf(BEFORE, resultOf({ repollInMs: 15_000 }), 'new').expectedDelayMs).toBe(SECOND);
  expect(
    nextOf({ ...BEFORE, expectationPolls: 4 }, resultOf({ repollInMs: 15_000 }), 'unmet').expectedDelayMs,
  ).toBe(15_000);
});

describe('if the service does not respond', () => {
  const away: [string, Outcome<PollResult>][] = [
    ['offline', OFFLINE],
    ['cut', CUT],
    ['limited', rejected(429, 'RATE_LIMITED', 1)],
  ];
  test.each(away)('(%s) retries with growing delays and keeps its state', (_, outcome) => {
    const next = pollRepeatedly(6, outcome, 'unmet');
    expect(next.map(({ delayMs }) => delayMs / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(next.map(({ expectedDelayMs = 0 }) => expectedDelayMs / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(next.map(({ priority }) => priority)).toEqual(Array.from({ length: 6 }, () => 'active'));
    expect(next.at(-1)?.state).toEqual({ ...BEFORE, failedPolls: 6 });
  });

  test('does not start to expect a change', () => {
    expect(nextOf(BEFORE, OFFLINE).expectedDelayMs).toBeUndefined();
  });

  test('waits as long as the service says', () => {
    expect(nextOf(BEFORE, rejected(429, 'RATE_LIMITED', 45_000), 'new')).toMatchObject({
      ...{ delayMs: 45_000, expectedDelayMs: 45_000 },
    });
  });

  test('resets the failures after a response', () => {
    expect(nextOf({ ...BEFORE, failedPolls: 5 }, resultOf()).state.failedPolls).toBe(0);
  });
});

test.each<[string, Outcome<PollResult> | undefined]>([
  ['refuses the key', rejected(401, 'UNAUTHORIZED')],
  ['is not requested because there is no key', undefined],
])('polls as rarely as if nothing changed if the service %s', (_, outcome) => {
  const next = pollRepeatedly(9, outcome, 'unmet');
  expect(next.map(({ delayMs }) => delayMs / MINUTE)).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10]);
  expect(
    next.every(({ priority, expectedDelayMs }) => priority === 'idle' && expectedDelayMs === undefined),
  ).toBe(true);
});
