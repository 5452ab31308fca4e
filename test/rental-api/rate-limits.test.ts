import { expect, test } from 'vitest';
import { createRateLimits, readRateLimit } from '../../src/rental-api/http.ts';

const NOW = Date.UTC(2026, 1, 5);
const at = { now: NOW, perMinute: 30 };
const head = (headers: Record<string, string>, status = 200) => ({ status, headers });

test.each([
  ['seconds', '12'],
  ['an epoch in seconds', String(NOW / 1000 + 12)],
  ['an epoch in milliseconds', String(NOW + 12_000)],
])('recognizes the unit of a reset in %s', (_what, reset) => {
  const told = readRateLimit(head({ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': reset }), at);
  expect(told).toEqual({ remaining: 3, resetMs: 12_000 });
});

test('ignores a reset in the past', () => {
  const told = readRateLimit(
    head({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 - 5) }),
    at,
  );
  expect(told).toEqual({ remaining: 0, resetMs: 0 });
});

test.each([
  ['missing', {}],
  ['not a number', { 'x-ratelimit-remaining': 'many' }],
  ['negative', { 'x-ratelimit-remaining': '-1' }],
] as [string, Record<string, string>][])(
  'assumes no limit if the remaining count is unusable (%s)',
  (_what, headers) => {
    expect(readRateLimit(head(headers), at)).toBeUndefined();
  },
);

test('treats a 429 as exhausted and uses the most specific header for the wait', () => {
  const reset = { 'x-ratelimit-reset': '40' };
  expect(readRateLimit(head({ ...reset, 'retry-after': '7' }, 429), at)).toEqual({
    remaining: 0,
    resetMs: 7_000,
  });
  expect(readRateLimit(head(reset, 429), at)).toEqual({ remaining: 0, resetMs: 40_000 });
  expect(readRateLimit(head({}, 429), at)).toEqual({ remaining: 0, resetMs: 2_000 });
});

test('limits the wait to an hour', () => {
  const told = (headers: Record<string, string>) => readRateLimit(head(headers, 429), at)?.resetMs;
  expect(told({ 'retry-after': '999999999999999' })).toBe(3_600_000);
  expect(told({ 'x-ratelimit-reset': String(NOW * 100) })).toBe(3_600_000);
});

test('counts pending requests against the remaining ones', () => {
  const limits = createRateLimits({ now: () => NOW });
  limits.record('key', 'buyEnergy', { remaining: 2, resetMs: 10_000 });
  expect([1, 2, 3].map(() => limits.acquire('key', 'buyEnergy'))).toEqual([0, 0, 10_000]);
});

test('does not wait before the service reported a limit', () => {
  const limits = createRateLimits({ now: () => NOW });
  expect(Array.from({ length: 100 }, () => limits.acquire('key', 'withdraw'))).toEqual(Array(100).fill(0));
});

test('limits its memory by removing the least recently used scope', () => {
  const limits = createRateLimits({ now: () => NOW, most: 2 });
  const spent = { remaining: 0, resetMs: 10_000 };
  for (const key of ['one', 'two', 'one', 'three']) limits.record(key, 'profile', spent);
  expect(['one', 'two', 'three'].map((key) => limits.acquire(key, 'profile'))).toEqual([10_000, 0, 10_000]);
});

test('removes no other scope when a known one is updated', () => {
  const limits = createRateLimits({ now: () => NOW, most: 2 });
  for (const key of ['one', 'two', 'two']) limits.record(key, 'profile', { remaining: 0, resetMs: 10_000 });
  expect(limits.acquire('one', 'profile')).toBe(10_000);
});
