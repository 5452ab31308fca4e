import { expect, test } from 'vitest';
import { createQuiet } from '../src/quiet.ts';

function openQuiet() {
  const clock = { now: 0 };
  return { clock, quiet: createQuiet({ now: () => clock.now }) };
}

test('a reason is said once in ten seconds, and the next time with how many were left out', () => {
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

test('each reason is said by itself, and reasons that differ in numbers alone are one', () => {
  const { quiet } = openQuiet();
  expect(quiet('Missing lock for job 17')).toEqual({});
  expect(quiet('Missing lock for job 18')).toBeUndefined();
  expect(quiet('OOM script: 8ac0a6ef69a1f10cbd5a5c8bff3ad4c1e1f5a3c9')).toEqual({});
  expect(quiet('OOM script: ffc0a6ef69a1f10cbd5a5c8bff3ad4c1e1f5a3c9')).toBeUndefined();
});

test('reasons without end are not kept without end', () => {
  const { quiet } = openQuiet();
  const reason = (n: number) => String.fromCodePoint(0x4e00 + n);
  for (let n = 0; n < 1_001; n++) expect(quiet(reason(n))).toEqual({});
  expect(quiet(reason(0))).toEqual({});
  expect(quiet(reason(1_000))).toBeUndefined();
});
