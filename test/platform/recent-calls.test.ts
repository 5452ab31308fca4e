import { expect, test } from 'vitest';
import { createRecentCalls } from '../../src/platform/recent-calls.ts';

const MINUTE = 60_000;

function open() {
  const clock = { now: 10 * MINUTE };
  return { clock, calls: createRecentCalls({ now: () => clock.now }) };
}

test('returns no times and zero counts before the first call', () => {
  expect(open().calls.seen()).toEqual({
    ...{ lastSuccessAt: undefined, lastFailure: undefined, failedInARow: 0 },
    ...{ calls: 0, failed: 0, limited: 0, medianMs: undefined },
  });
});

test('returns the last success, the last failure with its reason, and failures in a row', () => {
  const { calls, clock } = open();
  calls.note({ kind: 'failed', why: 'HTTP 500' });
  clock.now += 1;
  calls.note({ kind: 'answered', ms: 5 });
  expect(calls.seen()).toMatchObject({ lastSuccessAt: clock.now, failedInARow: 0 });
  for (const why of ['HTTP 502', 'no connection: ECONNREFUSED']) {
    clock.now += 1;
    calls.note({ kind: 'failed', why });
  }
  expect(calls.seen()).toMatchObject({
    lastSuccessAt: clock.now - 2,
    lastFailure: { at: clock.now, why: 'no connection: ECONNREFUSED' },
    failedInARow: 2,
    ...{ calls: 4, failed: 3 },
  });
});

test('counts a rate-limited response separately, and as a success', () => {
  const { calls, clock } = open();
  calls.note({ kind: 'failed', why: 'HTTP 500' });
  calls.note({ kind: 'limited', ms: 3 });
  expect(calls.seen()).toMatchObject({
    calls: 2,
    failed: 1,
    limited: 1,
    failedInARow: 0,
    lastSuccessAt: clock.now,
  });
});

test('computes the median from timed calls only', () => {
  const { calls } = open();
  for (const ms of [9, 1, 2, 100, 3]) calls.note({ kind: 'answered', ms });
  calls.note({ kind: 'answered' });
  expect(calls.seen()).toMatchObject({ calls: 6, medianMs: 3 });
});

test('drops calls after five minutes but keeps the last success and failure', () => {
  const { calls, clock } = open();
  const at = clock.now;
  calls.note({ kind: 'answered', ms: 5 });
  clock.now += 4 * MINUTE;
  calls.note({ kind: 'failed', why: 'HTTP 500' });
  expect(calls.seen()).toMatchObject({ calls: 2, medianMs: 5 });
  clock.now += MINUTE;
  expect(calls.seen()).toMatchObject({ calls: 1, medianMs: undefined });
  clock.now += 5 * MINUTE;
  expect(calls.seen()).toMatchObject({
    ...{ calls: 0, failed: 0, lastSuccessAt: at },
    lastFailure: { at: at + 4 * MINUTE, why: 'HTTP 500' },
  });
});

test('counts all of a million calls but times only the last ones', () => {
  const { calls } = open();
  for (let count = 0; count < 1_000_000; count += 1) {
    calls.note({ kind: 'answered', ms: count < 999_000 ? 1 : 7 });
  }
  expect(calls.seen()).toMatchObject({ calls: 1_000_000, medianMs: 7 });
});
