import { describe, expect, test } from 'vitest';
import type { Found } from '../../../src/notices/looks/look.ts';
import { type Hint, nextLook } from '../../../src/notices/looks/look-pace.ts';
import type { Looked } from '../../../src/notices/looks/looked.ts';
import type { Outcome } from '../../../src/rental/outcome.ts';
import { accepted, CUT, OFFLINE, rejected } from '../../operations/rental-stand-in.ts';
import { START } from '../../operations/room.ts';
import { MINUTE, SECOND } from './room.ts';

const BEFORE: Looked = { since: 1, at: 2, known: ['a'], quiet: 0, awaited: 0, failed: 0 };
const seen = (more: Partial<Found> = {}) =>
  accepted<Found>({ known: ['a', 'b'], hasChanged: false, ...more });
const nextOf = (before: Looked, found: Outcome<Found> | undefined, hint: Hint = 'none') =>
  nextLook(before, { found, hint, now: START });

/** Looks again and again, with the same to be found; answers the minutes in between, and the lanes. */
function walk(count: number, found: Outcome<Found> | undefined, hint: Hint = 'none') {
  let before = BEFORE;
  return Array.from({ length: count }, () => {
    const next = nextOf(before, found, hint);
    before = next.looked;
    return next;
  });
}

test('the less there is to see, the longer until the next look, up to six hours', () => {
  const minutes = walk(15, seen()).map(({ inMs }) => inMs / MINUTE);
  expect(minutes).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360, 360, 360]);
});

test('after four without news an account is no longer busy', () => {
  expect(walk(6, seen()).map(({ lane }) => lane)).toEqual([
    ...['busy', 'busy', 'busy', 'busy', 'quiet', 'quiet'],
  ]);
});

test('news makes it busy again, and is known from then on', () => {
  const next = nextOf({ ...BEFORE, quiet: 20, awaited: 3, failed: 2 }, seen({ hasChanged: true }));
  expect(next).toEqual({
    looked: { since: 1, at: START, known: ['a', 'b'], quiet: 0, awaited: 0, failed: 0 },
    ...{ lane: 'busy', inMs: MINUTE },
  });
});

describe('what was expected and isn’t there', () => {
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

  test('is looked for again after 1, 2, 5, 15, 60 and 300 seconds, and then as before', () => {
    expect(secondsOf(walkLadder('new', 'still'))).toEqual(ladder);
  });

  test('also where the process that knew of it is gone', () => {
    expect(secondsOf(walkLadder('new', 'none'))).toEqual(ladder);
    expect(secondsOf(walkLadder('still', 'none'))).toEqual(ladder);
  });

  test('and once more from the beginning where something more is expected', () => {
    const [, , , , fifth] = walkLadder('new', 'still');
    if (fifth === undefined) throw new Error('there are seven');
    expect(secondsOf(walkLadder('new', 'still', fifth.looked))).toEqual(ladder);
  });

  test('also after it was given up', () => {
    const last = walkLadder('new', 'still').at(-1);
    if (last === undefined) throw new Error('there are seven');
    expect(secondsOf(walkLadder('still', 'still', last.looked))).toEqual(ladder);
  });

  test('keeps the account busy, and no other look in between', () => {
    for (const { lane, inMs, expectMs = 0 } of walkLadder('new', 'still', { ...BEFORE, quiet: 20 })) {
      expect(lane).toBe('busy');
      expect(inMs).toBeGreaterThanOrEqual(expectMs);
      expect(inMs).toBeLessThanOrEqual(5 * MINUTE);
    }
  });
});

test('what asks to be looked at again is, whether something was expected or not', () => {
  for (const hasChanged of [true, false]) {
    const { expectMs, looked } = nextOf(BEFORE, seen({ hasChanged, againMs: 15_000 }));
    expect([expectMs, looked.awaited]).toEqual([15_000, 0]);
  }
  expect(nextOf(BEFORE, seen({ againMs: 15_000 }), 'new').expectMs).toBe(SECOND);
  expect(nextOf({ ...BEFORE, awaited: 4 }, seen({ againMs: 15_000 }), 'still').expectMs).toBe(15_000);
});

describe('where the service doesn’t answer', () => {
  const away: [string, Outcome<Found>][] = [
    ['offline', OFFLINE],
    ['cut', CUT],
    ['limited', rejected(429, 'RATE_LIMITED', 1)],
  ];
  test.each(away)('(%s) it is asked again, later and later, and nothing is forgotten', (_, found) => {
    const next = walk(6, found, 'still');
    expect(next.map(({ inMs }) => inMs / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(next.map(({ expectMs = 0 }) => expectMs / SECOND)).toEqual([2, 5, 10, 30, 60, 60]);
    expect(next.map(({ lane }) => lane)).toEqual(Array.from({ length: 6 }, () => 'busy'));
    expect(next.at(-1)?.looked).toEqual({ ...BEFORE, failed: 6 });
  });

  test('what nobody expects is not expected by that', () => {
    expect(nextOf(BEFORE, OFFLINE).expectMs).toBeUndefined();
  });

  test('for as long as it says', () => {
    expect(nextOf(BEFORE, rejected(429, 'RATE_LIMITED', 45_000), 'new')).toMatchObject({
      ...{ inMs: 45_000, expectMs: 45_000 },
    });
  });

  test('and then answers, its failures are over', () => {
    expect(nextOf({ ...BEFORE, failed: 5 }, seen()).looked.failed).toBe(0);
  });
});

test.each<[string, Outcome<Found> | undefined]>([
  ['refuses the key', rejected(401, 'UNAUTHORIZED')],
  ['is not asked, for want of a key', undefined],
])('where the service %s, it is asked as seldom as where nothing happens', (_, found) => {
  const next = walk(9, found, 'still');
  expect(next.map(({ inMs }) => inMs / MINUTE)).toEqual([1, 1, 1, 2, 2, 5, 5, 10, 10]);
  expect(next.every(({ lane, expectMs }) => lane === 'quiet' && expectMs === undefined)).toBe(true);
});
