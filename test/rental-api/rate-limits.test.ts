import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createSharedRateLimiter } from '../../src/platform/rate-limit.ts';
import {
  createRateLimits,
  type Priority,
  readRateLimit,
  readWait,
} from '../../src/rental-api/rate-limits.ts';
import { json } from '../support/rental-server.ts';
import { clientOf, KEY, order, profile, purchase } from './fixture.ts';

const NOW = Date.UTC(2026, 1, 5);
const at = { now: NOW, perMinute: 30 };
const head = (headers: Record<string, string>, status = 200) => ({ status, headers });

describe('rate-limit headers', () => {
  test.each([
    ['seconds', '12'],
    ['an epoch in seconds', String(NOW / 1000 + 12)],
    ['an epoch in milliseconds', String(NOW + 12_000)],
  ])('recognizes the unit of a reset in %s', (_what, reset) => {
    const told = readRateLimit(head({ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': reset }), at);
    expect(told).toMatchObject({ remaining: 3, resetMs: 12_000 });
  });

  test('ignores a reset in the past', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 - 5) };
    expect(readRateLimit(head(headers), at)).toMatchObject({ remaining: 0, resetMs: 0 });
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
    const told = (headers: Record<string, string>) => readRateLimit(head(headers, 429), at);
    expect(told({ ...reset, 'retry-after': '7' })).toMatchObject({ remaining: 0, resetMs: 7_000 });
    expect(told(reset)).toMatchObject({ remaining: 0, resetMs: 40_000 });
    expect(told({})).toMatchObject({ remaining: 0, resetMs: 2_000 });
  });

  test('limits the wait to an hour', () => {
    const told = (headers: Record<string, string>) => readRateLimit(head(headers, 429), at)?.resetMs;
    expect(told({ 'retry-after': '999999999999999' })).toBe(3_600_000);
    expect(told({ 'x-ratelimit-reset': String(NOW * 100) })).toBe(3_600_000);
  });
});

test.each([
  ['Rate limit exceeded. Try again in 12 seconds.', 12_000],
  ['Wait 1.5 s', 1_500],
  ['retry in 500 ms', 500],
  ['retry in 250 milliseconds', 250],
  ['Retry in 30sec', 30_000],
  ['wait 1 minute', 60_000],
  ['Try again in 2 MINUTES', 120_000],
  ['try again in 1 minute and 30 seconds', 90_000],
  ['try again in 1m30s', 90_000],
  ['try again in 1 hour', 3_600_000],
  ['wait 1,200 seconds', 1_200_000],
  ['Limit of 60 requests per 1 minute exceeded, wait 5 seconds', 5_000],
  ['60 requests/60 s, wait 7 s', 7_000],
  ['wait 999999999 seconds', 3_600_000],
  [`wait ${'9'.repeat(280)} seconds`, 3_600_000],
  ['wait 100000.5 seconds', 3_600_000],
  ['wait 3 days', undefined],
  ['wait 5 more requests', undefined],
  ['try later', undefined],
  ['version 1.2.3 s', undefined],
])('reads the wait in %j', (text, waitMs) => {
  expect(readWait(text)).toBe(waitMs);
});

const ALL = ['profile', 'invoice', 'deposits', 'prices'] as const;

/** Responses of a service that limits requests to 60 a minute. */
interface Service {
  /** Counts a request. Returns the remaining ones, -1 for a 429, and the stated reset in milliseconds. */
  request(bucket: string, now: number): { remaining: number; resetMs: number };
}

const LIMIT = 60;

function fixedWindow(
  options: { aligned?: boolean; statesReset?: (resetMs: number) => number } = {},
): Service {
  const { aligned = false, statesReset = (ms) => ms } = options;
  const windows = new Map<string, { endsAt: number; used: number }>();
  return {
    request(bucket, now) {
      const open = windows.get(bucket);
      const endsAt = aligned ? (Math.floor(now / 60_000) + 1) * 60_000 : now + 60_000;
      const window = open && now < open.endsAt ? open : { endsAt, used: 0 };
      windows.set(bucket, window);
      const isRefused = window.used >= LIMIT;
      if (!isRefused) window.used += 1;
      return { remaining: isRefused ? -1 : LIMIT - window.used, resetMs: statesReset(window.endsAt - now) };
    },
  };
}

function slidingWindow(statesReset: (oldest: number, now: number) => number): Service {
  const uses = new Map<string, number[]>();
  return {
    request(bucket, now) {
      const recent = (uses.get(bucket) ?? []).filter((one) => one > now - 60_000);
      uses.set(bucket, recent);
      const isRefused = recent.length >= LIMIT;
      if (!isRefused) recent.push(now);
      const resetMs = statesReset(recent[0] ?? now, now);
      return { remaining: isRefused ? -1 : LIMIT - recent.length, resetMs };
    },
  };
}

function tokenBucket(): Service {
  const tokens = new Map<string, { left: number; at: number }>();
  return {
    request(bucket, now) {
      const { left, at: before } = tokens.get(bucket) ?? { left: LIMIT, at: now };
      const full = Math.min(LIMIT, left + ((now - before) * LIMIT) / 60_000);
      const isRefused = full < 1;
      tokens.set(bucket, { left: isRefused ? full : full - 1, at: now });
      return {
        remaining: isRefused ? -1 : Math.floor(full - 1),
        resetMs: ((LIMIT - full + 1) / LIMIT) * 60_000,
      };
    },
  };
}

/** Runs replicas that share a key at a service, by a virtual clock. `bucketOf` returns the bucket of an endpoint. */
function runReplicas(service: Service, bucketOf: (endpoint: string) => string, replicas = 1) {
  let now = NOW + 17_000;
  const storage = createMemoryStorage({ now: () => now });
  const clock = { now: () => now, sharedLimiter: createSharedRateLimiter({ storage, now: () => now }) };
  const limits = Array.from({ length: replicas }, () => createRateLimits(clock));
  /** Remaining requests after each background read that was sent. */
  const leftByBackground: number[] = [];
  const refused = { background: 0, user: 0, operation: 0 };
  let sent = 0;

  /** Sends a request, which takes `ms`, or holds it back. Returns the wait, or 0 if it was sent. */
  async function send(endpoint: string, priority: Priority, { replica = 0, ms = 0 } = {}): Promise<number> {
    const begun = limits[replica]?.begin({ key: KEY, endpoint, priority });
    if (begun?.kind !== 'begun') return begun?.waitMs ?? 0;
    const sharedMs = priority === 'background' ? await begun.count() : 0;
    if (sharedMs > 0) return sharedMs;
    sent += 1;
    const { remaining, resetMs } = service.request(bucketOf(endpoint), now);
    if (remaining < 0) refused[priority] += 1;
    else if (priority === 'background') leftByBackground.push(remaining);
    now += ms;
    const headers = {
      'x-ratelimit-limit': String(endpoint === 'buyEnergy' ? 30 : LIMIT),
      'x-ratelimit-remaining': String(Math.max(0, remaining)),
      'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
    };
    begun.answered(head(headers, remaining < 0 ? 429 : 200));
    return 0;
  }

  return {
    send,
    advance: (ms: number) => {
      now += ms;
    },
    leftByBackground,
    refused,
    sent: () => sent,
  };
}

const SHARED: [what: string, create: () => Service][] = [
  ['a fixed window that begins with a request', () => fixedWindow()],
  ['a fixed window of the clock', () => fixedWindow({ aligned: true })],
  ['a fixed window with a constant reset', () => fixedWindow({ statesReset: () => 60_000 })],
  [
    'a sliding window that states when it begins to end',
    () => slidingWindow((oldest, now) => oldest + 60_000 - now),
  ],
  ['a sliding window that states its length', () => slidingWindow(() => 60_000)],
  ['a bucket that refills evenly', () => tokenBucket()],
];

/** Returns a repeatable sequence of numbers from 0 to below 1. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe.each(SHARED)('if the endpoints of a key share %s', (_what, create) => {
  test.each([1, 2])(
    'background reads of %i replicas leave requests to users and operations',
    async (replicas) => {
      const { send, advance, leftByBackground, refused } = runReplicas(create(), () => 'all', replicas);
      const random = randomOf(replicas);
      for (let second = 0; second < 300; second += 1) {
        const replica = Math.floor(random() * replicas);
        // More polls than the bucket allows, in bursts, some user reads, and a purchase each ten seconds.
        if (second % 3 === 0)
          for (const endpoint of ['invoice', 'invoice', ...ALL])
            await send(endpoint, 'background', { replica, ms: Math.floor(random() * 50) });
        if (random() < 0.15) await send('profile', 'user', { replica: replicas - 1 - replica });
        if (second % 10 === 5) await send('profile', 'operation', { replica });
        advance(700 + Math.floor(random() * 300));
      }
      expect(refused).toEqual({ background: 0, user: 0, operation: 0 });
      // The reserve, minus the reads for which a replica that has no recent response may use it.
      expect(Math.min(...leftByBackground)).toBeGreaterThanOrEqual(replicas === 1 ? 10 : 10 - 3 * replicas);
      expect(leftByBackground.length).toBeGreaterThan(75);
    },
  );
});

test.each([...SHARED.slice(0, 2), ...SHARED.slice(3, 5)])(
  'notices that endpoints have buckets of their own: %s',
  async (_what, create) => {
    const { send, advance, refused } = runReplicas(create(), (endpoint) => endpoint);
    let held = 0;
    for (let second = 0; second < 180; second += 1) {
      for (const endpoint of ALL) {
        const waitMs = second % 2 === 0 || endpoint === 'invoice' ? await send(endpoint, 'background') : 0;
        if (second >= 60 && endpoint !== 'invoice' && waitMs > 0) held += 1;
      }
      advance(1_000);
    }
    expect(refused.background).toBe(0);
    expect(held).toBe(0);
  },
);

/**
 * Returns whether a background read of the profile is held back after these responses and an almost empty bucket of
 * invoices. Each response: endpoint (`p`: profile, `i`: invoice), seconds since the one before, remaining requests (-1
 * for a 429, `error` for a 500 without a rate limit), seconds until the reset, limit.
 */
function isHeldAfter(responses: string): boolean {
  let now = NOW;
  const limits = createRateLimits({ now: () => now });
  for (const response of responses.split(', ')) {
    const [endpoint, seconds, remaining, reset = '', limit = String(LIMIT)] = response.split(' ');
    now += Number(seconds) * 1_000;
    const named = { key: KEY, endpoint: endpoint === 'p' ? 'profile' : 'invoice' };
    const begun = limits.begin({ ...named, priority: 'operation' });
    if (begun.kind === 'held') throw new Error('operations are not held back here');
    const left = Number(remaining);
    const headers = {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': String(Math.max(0, left)),
      'x-ratelimit-reset': reset,
    };
    begun.answered(remaining === 'error' ? head({}, 500) : head(headers, left < 0 ? 429 : 200));
  }
  return limits.begin({ key: KEY, endpoint: 'profile', priority: 'background' }).kind === 'held';
}

test.each([
  ['one endpoint only was requested', 'i 0 10 30'],
  ['the other one had less afterwards', 'p 0 30 50, i 1 12 49, p 1 11 48, i 1 10 47'],
  ['only one pair of responses contradicts it', 'p 0 59 60, i 1 12 30, p 1 58 58, i 1 10 28'],
  ['pairs have the same first response', 'p 0 59 60, i 1 12 30, p 1 58 58, p 1 57 57, i 1 10 28'],
  ['the window ended in between', 'p 0 59 60, i 1 12 1, p 2 58 58, i 1 11 1, p 2 57 55, i 1 10 28'],
  ['no reset is in the future', 'p 0 59 0, i 1 12 0, p 1 58 0, i 1 11 0, p 1 57 0, i 1 10 28'],
  ['a bucket may have refilled', 'p 0 30 60, i 1 12 50, p 5 16 40, i 1 15 40, p 5 19 40, i 1 10 40'],
  ['requests may have left the window', 'p 0 59 60, i 59 12 50, p 1 40 40, i 1 12 40, p 1 40 40, i 1 10 40'],
  [
    'earlier requests that failed may not be counted',
    `${'p 0 error 0, '.repeat(50)}i 1 12 50, p 1 14 50, i 1 12 48, p 1 14 46, i 1 10 46`,
  ],
  ['the limit of the other one is known from the specification only', 'i 1 10 30 100'],
  ['a 429 follows', 'p 0 59 60, i 1 12 30, p 1 58 58, i 1 11 28, p 1 57 56, i 1 -1 26'],
])('holds a background read because of another endpoint: %s', (_what, responses) => {
  expect(isHeldAfter(responses)).toBe(true);
});

test.each([
  ['two pairs contradict it', 'p 0 59 60, i 1 12 30, p 1 58 58, i 1 11 28, p 1 57 56, i 1 10 26'],
  ['the limits differ', 'p 0 99 60 100, i 1 10 30'],
])('does not hold a background read because of another endpoint: %s', (_what, responses) => {
  expect(isHeldAfter(responses)).toBe(false);
});

test('counts pending requests of an operation against the remaining ones', async () => {
  const limits = createRateLimits({ now: () => NOW });
  const begin = () => limits.begin({ key: KEY, endpoint: 'buyEnergy', priority: 'operation' });
  const first = begin();
  if (first.kind === 'begun')
    first.answered(head({ 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': '10' }));
  const waits = [begin(), begin(), begin()].map((one) => 'waitMs' in one && one.waitMs);
  expect(waits).toEqual([false, false, 10_000]);
});

test('sends operations without a limit until the service has reported one', async () => {
  const limits = createRateLimits({ now: () => NOW });
  for (let count = 0; count < 100; count += 1)
    expect(limits.begin({ key: KEY, endpoint: 'withdraw', priority: 'operation' })).toMatchObject({
      kind: 'begun',
    });
});

test('sends as many background reads as the specification allows if the service reports nothing', async () => {
  const { send, advance, sent } = runReplicas(
    { request: () => ({ remaining: Number.NaN, resetMs: 0 }) },
    () => 'all',
  );
  for (let second = 0; second < 59; second += 1) {
    for (const endpoint of ALL) await send(endpoint, 'background');
    advance(1_000);
  }
  expect(sent()).toBe(50);
});

test('holds background reads back while the storage cannot count them', async () => {
  const sharedLimiter = { acquire: () => Promise.reject(new Error('the storage is away')) };
  const limits = createRateLimits({ now: () => NOW, sharedLimiter });
  const begin = (priority: Priority) => limits.begin({ key: KEY, endpoint: 'profile', priority });
  const begun = begin('background');
  expect(begun.kind === 'begun' && (await begun.count())).toBe(5_000);
});

test('takes nothing from operations for background reads that are not sent', async () => {
  const sharedLimiter = { acquire: async () => 1_000 };
  const limits = createRateLimits({ now: () => NOW, sharedLimiter });
  const begin = (priority: Priority) => limits.begin({ key: KEY, endpoint: 'profile', priority });
  const first = begin('operation');
  if (first.kind === 'begun')
    first.answered(head({ 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '30' }));
  for (let count = 0; count < 20; count += 1) {
    const read = begin('background');
    expect(read.kind === 'begun' && (await read.count())).toBe(1_000);
  }
  const kinds = Array.from({ length: 13 }, () => begin('operation').kind);
  expect(kinds).toEqual([...Array(12).fill('begun'), 'held']);
});

test('keeps the last requests of a bucket from users, but not an exhausted one of another endpoint', async () => {
  const { send } = runReplicas(fixedWindow(), () => 'all');
  const waits: number[] = [];
  for (let count = 0; count < 60; count += 1) waits.push(await send('profile', 'user'));
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(57);
  expect(await send('deposits', 'user')).toBe(60_000);
  for (let count = 0; count < 3; count += 1) expect(await send('profile', 'operation')).toBe(0);
  expect(await send('profile', 'operation')).toBe(60_000);
  expect(await send('deposits', 'background')).toBe(60_000);
  expect(await send('deposits', 'user')).toBe(0);
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

test('does not retry a read in the background that was held back', async () => {
  const { rental, server, slept } = await clientOf(spent(2, profile));
  await rental.profile(KEY);
  const held = await rental.withPriority('background').deposits(KEY);
  expect(held).toMatchObject({ kind: 'not-sent', reason: 'limited', retryAfterMs: 2_000 });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});
