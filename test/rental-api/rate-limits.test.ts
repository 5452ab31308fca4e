import { expect, test } from 'vitest';
import { createRateLimits, readRateLimit } from '../../src/rental-api/client.ts';
import { json } from '../support/rental-server.ts';
import { clientOf, KEY, order, profile, purchase } from './fixture.ts';

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
  const limits = createRateLimits({ now: () => NOW });
  const spend = (key: string) => limits.record(key, 'profile', { remaining: 0, resetMs: 10_000 });
  const others = Array.from({ length: 9_999 }, (_, at) => `other ${at}`);
  for (const key of ['one', 'two', ...others.slice(1), 'one']) spend(key);
  expect(['one', 'two'].map((key) => limits.acquire(key, 'profile'))).toEqual([10_000, 10_000]);
  spend('three');
  expect(['one', 'two', 'three'].map((key) => limits.acquire(key, 'profile'))).toEqual([10_000, 0, 10_000]);
});

const spent = (reset: number, body: unknown = order) =>
  json(200, body, {
    'x-ratelimit-limit': '30',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(reset),
  });

test('does not send a request before an exhausted rate limit resets', async () => {
  const { rental, server, advance } = await clientOf(spent(20));
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  advance(5_000);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({
    kind: 'not-sent',
    reason: 'limited',
    retryAfterMs: 15_000,
  });
  expect(server.requests).toHaveLength(1);
  advance(15_000);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
});

test('applies rate limits per key and endpoint', async () => {
  const { rental, server } = await clientOf(spent(20));
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy('another-key', purchase)).toMatchObject({ kind: 'accepted' });
  server.answerWith(json(200, profile));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
});

test('reads rate limits of rejections too', async () => {
  const { rental } = await clientOf(
    json(400, {}, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9' }),
  );
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 9_000 });
});

test('waits as long as a 429 says', async () => {
  const { rental, server } = await clientOf(
    json(429, { detail: 'wait 30 seconds' }, { 'x-ratelimit-reset': '5' }),
  );
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 30_000 });
  expect(server.requests).toHaveLength(1);
});

test('never waits longer than a minute', async () => {
  const { rental } = await clientOf(spent(3_600));
  await rental.buyEnergy(KEY, purchase);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ reason: 'limited', retryAfterMs: 60_000 });
});

test('returns at once if a read would wait long', async () => {
  const { rental, server, slept } = await clientOf(spent(40, profile));
  await rental.profile(KEY);
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'not-sent', reason: 'limited' });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});

test('waits briefly before a read if the limit resets soon', async () => {
  const { rental, slept } = await clientOf(spent(2, profile));
  await rental.profile(KEY);
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(slept).toEqual([2_187.5]);
});
