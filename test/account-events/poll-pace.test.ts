import { describe, expect, test } from 'vitest';
import type { Found, Looked } from '../../src/account-events/poll-schedule.ts';
import { type Hint, nextPoll } from '../../src/account-events/poll-schedule.ts';
import type { Outcome } from '../../src/rental-api/http.ts';
import { START } from '../operations/operations-setup.ts';
import { accepted, CUT, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { MINUTE, SECOND } from './poller-setup.ts';

const BEFORE: Looked = { since: 1, at: 2, known: ['a'], quiet: 0, awaited: 0, failed: 0 };
const seen = (more: Partial<Found> = {}) =>
  accepted<Found>({ known: ['a', 'b'], hasChanged: false, ...more });
const nextOf = (before: Looked, found: Outcome<Found> | undefined, hint: Hint = 'none') =>
  nextPoll(before, { found, hint, now: START });

/** Polls `count` times with the same result. Returns the schedule after each poll. */
function walk(count: number, found: Outcome<Found> | undefined, hint: Hint = 'none') {
  let before = BEFORE;
  return Array.from({ length: count }, () => {
    const next = nextOf(before, found, hint);
    before = next.looked;
    return next;
  });
}

test('polls less often while nothing changes, down to once in six hours', () => {
  const minutes = walk(15, seen()).map(({ inMs }) => inMs / MINUTE);
  expect(minutes).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360, 360, 360]);
});

test('moves an account to the quiet lane after four polls without a change', () => {
  expect(walk(6, seen()).map(({ lane }) => lane)).toEqual([
    ...['busy', 'busy', 'busy', 'busy', 'quiet', 'quiet'],
  ]);
});

test('moves an account back to the busy lane after a change and stores what was seen', () => {
  const next = nextOf({ ...BEFORE, quiet: 20, awaited: 3, failed: 2 }, seen({ hasChanged: true }));
  expect(next).toEqual({
    looked: { since: 1, at: START, known: ['a', 'b'], quiet: 0, awaited: 0, failed: 0 },
    ...{ lane: 'busy', inMs: MINUTE },
  });
});

describe('an expected change that is not there yet', () => {
  const ladder = [1, 2, 5, 15, 60, 300, undefined];
  const walkLadder = (first: Hint, then: Hint, before = BEFORE) => {
    let looked = before;
    return ladder.map((_, at) => {
      const next = nextOf(looked, seen(), at === 0 ? first : then);
      looked = next.looked;
      return next;
    });
  };
  const secondsOf = (next: ReturnType<typeof walkLadder>) =>
    next.map(({ expectMs }) => expectMs && expectMs / SECOND);

  test('is polled for after 1, 2, 5, 15, 60 and 300 seconds, and then regularly', () => {
    expect(secondsOf(walkLadder('new', 'still'))).toEqual(ladder);
  });

  test('is polled for at the same intervals by another replica', () => {
    expect(secondsOf(walkLadder('new', 'none'))).toEqual(ladder);
    expect(secondsOf(walkLadder('still', 'none'))).toEqual(ladder);
  });

  test('restarts the intervals when another change is expected', () => {
    const [, , , , fifth] = walkLadder('new', 'still');
    if (fifth === undefined) throw new Error('expected seven polls');
    expect(secondsOf(walkLadder('new', 'still', fifth.looked))).toEqual(ladder);
  });

  test('restarts the intervals if it was given up', () => {
    const last = walkLadder('new', 'still').at(-1);
    if (last === undefined) throw new Error('expected seven polls');
    expect(secondsOf(walkLadder('still', 'still', last.looked))).toEqual(ladder);
  });

  test('keeps the account busy and adds no regular poll in between', () => {
    for (const { lane, inMs, expectMs = 0 } of walkLadder('new', 'still', { ...BEFORE, quiet: 20 })) {
      expect(lane).toBe('busy');
      expect(inMs).toBeGreaterThanOrEqual(expectMs);
      expect(inMs).toBeLessThanOrEqual(5 * MINUTE);
    }
  });
});

test('polls again when the result requests it, expected or not', () => {
  for (const hasChanged of [true, false]) {
    const { expectMs, looked } = nextOf(BEFORE, seen({ hasChanged, againMs: 15_000 }));
    expect([expectMs, looked.awaited]).toEqual([15_000, 0]);
  }
  expect(nextOf(BEFORE, seen({ againMs: 15_000 }), 'new').expectMs).toBe(SECOND);
  expect(nextOf({ ...BEFORE, awaited: 4 }, seen({ againMs: 15_000 }), 'still').expectMs).toBe(15_000);
});

describe('if the service does not respond', () => {
  const away: [string, Outcome<Found>][] = [
    ['offline', OFFLINE],
    ['cut', CUT],
    ['limited', rejected(429, 'RATE_LIMITED', 1)],
  ];
  test.each(away)('(%s) retries with growing delays and keeps its state', (_, found) => {
    const next = walk(6, found, 'still');
    expect(next.map(({ inMs }) => inMs / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(next.map(({ expectMs = 0 }) => expectMs / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(next.map(({ lane }) => lane)).toEqual(Array.from({ length: 6 }, () => 'busy'));
    expect(next.at(-1)?.looked).toEqual({ ...BEFORE, failed: 6 });
  });

  test('does not start to expect a change', () => {
    expect(nextOf(BEFORE, OFFLINE).expectMs).toBeUndefined();
  });

  test('waits as long as the service says', () => {
    expect(nextOf(BEFORE, rejected(429, 'RATE_LIMITED', 45_000), 'new')).toMatchObject({
      ...{ inMs: 45_000, expectMs: 45_000 },
    });
  });

  test('resets the failures after a response', () => {
    expect(nextOf({ ...BEFORE, failed: 5 }, seen()).looked.failed).toBe(0);
  });
});

test.each<[string, Outcome<Found> | undefined]>([
  ['refuses the key', rejected(401, 'UNAUTHORIZED')],
  ['is not requested because there is no key', undefined],
])('polls as rarely as if nothing changed if the service %s', (_, found) => {
  const next = walk(9, found, 'still');
  expect(next.map(({ inMs }) => inMs / MINUTE)).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10]);
  expect(next.every(({ lane, expectMs }) => lane === 'quiet' && expectMs === undefined)).toBe(true);
});
