import { expect, test } from 'vitest';
import { createLogThrottle } from '../../src/platform/log.ts';

function openQuiet() {
  const clock = { now: 0 };
  return { clock, quiet: createLogThrottle({ now: () => clock.now }) };
}

test('lets a reason through once in ten seconds, then with the suppressed count', () => {
  const { clock, quiet } = openQuiet();
  expect(quiet('full')).toEqual({});
  for (let n = 0; n < 1_000; n++) expect(quiet('full')).toBeUndefined();
  clock.now = 9_999;
  expect(quiet('full')).toBeUndefined();
  clock.now = 10_000;
  expect(quiet('full')).toEqual({ count: 1_001 });
  clock.now = 20_000;
  expect(quiet('full')).toEqual({});
});

test('throttles each reason separately and ignores numbers in it', () => {
  const { quiet } = openQuiet();
  expect(quiet('Missing lock for job 17')).toEqual({});
  expect(quiet('Missing lock for job 18')).toBeUndefined();
  expect(quiet('OOM script: 8ac0a6ef69a1f10cbd5a5c8bff3ad4c1e1f5a3c9')).toEqual({});
  expect(quiet('OOM script: ffc0a6ef69a1f10cbd5a5c8bff3ad4c1e1f5a3c9')).toBeUndefined();
});

test('limits the number of remembered reasons', () => {
  const { quiet } = openQuiet();
  const reason = (n: number) => String.fromCodePoint(0x4e00 + n);
  for (let n = 0; n < 1_001; n++) expect(quiet(reason(n))).toEqual({});
  expect(quiet(reason(0))).toEqual({});
  expect(quiet(reason(1_000))).toBeUndefined();
});
