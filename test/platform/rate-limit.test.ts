import { expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createSharedRateLimiter } from '../../src/platform/rate-limit.ts';
import { storedKeys } from '../support/stored-keys.ts';

const THREE = { max: 3, withinMs: 60_000 };

function open() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const replica = (skewMs = 0) => createSharedRateLimiter({ storage, now: () => clock.now + skewMs });
  return { clock, storage, replica, rateLimiter: replica() };
}

test('grants up to the limit within the window, then returns the wait for the next slot', async () => {
  const { rateLimiter, clock } = open();
  for (const one of ['a', 'b', 'c']) {
    expect(await rateLimiter.acquire('x', one, THREE)).toBe(0);
    clock.now += 1_000;
  }
  expect(await rateLimiter.acquire('x', 'd', THREE)).toBe(57_000);
  clock.now += 56_999;
  expect(await rateLimiter.acquire('x', 'd', THREE)).toBe(1);
  clock.now += 1;
  expect(await rateLimiter.acquire('x', 'd', THREE)).toBe(0);
  expect(await rateLimiter.acquire('x', 'e', THREE)).toBe(1_000);
});

test('grants a member one slot even if it asks repeatedly', async () => {
  const { rateLimiter } = open();
  for (let time = 0; time < 5; time++) expect(await rateLimiter.acquire('x', 'a', THREE)).toBe(0);
  expect(await rateLimiter.acquire('x', 'b', THREE)).toBe(0);
  expect(await rateLimiter.acquire('x', 'c', THREE)).toBe(0);
  expect(await rateLimiter.acquire('x', 'a', THREE)).toBe(0);
  expect(await rateLimiter.acquire('x', 'd', THREE)).toBeGreaterThan(0);
});

test('frees a returned slot, and counts each name separately', async () => {
  const { rateLimiter } = open();
  for (const one of ['a', 'b', 'c']) await rateLimiter.acquire('x', one, THREE);
  expect(await rateLimiter.acquire('y', 'd', THREE)).toBe(0);
  await rateLimiter.release('x', 'b');
  expect(await rateLimiter.members('x')).toEqual(['a', 'c']);
  expect(await rateLimiter.acquire('x', 'd', THREE)).toBe(0);
  expect(await rateLimiter.acquire('x', 'e', THREE)).toBeGreaterThan(0);
  await rateLimiter.release('x', 'nobody');
  expect(await rateLimiter.acquire('x', 'e', THREE)).toBeGreaterThan(0);
});

test('grants exactly the limit when hundreds of members ask several replicas at once', async () => {
  const { replica } = open();
  const replicas = [replica(), replica(), replica()];
  const waits = await Promise.all(
    Array.from({ length: 600 }, (_, at) =>
      replicas[at % 3]?.acquire('x', `member ${at}`, { max: 12, withinMs: 60_000 }),
    ),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(12);
  expect(waits.every((wait) => wait !== undefined && wait >= 0 && wait <= 60_000)).toBe(true);
});

test('grants at most the limit in any sliding window', async () => {
  const { rateLimiter, clock } = open();
  const taken: number[] = [];
  for (let at = 0; at < 1_000; at++) {
    clock.now += (at * 7_919) % 4_000;
    if ((await rateLimiter.acquire('x', `member ${at}`, THREE)) === 0) taken.push(clock.now);
  }
  expect(taken.length).toBeGreaterThan(20);
  for (const from of taken)
    expect(taken.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(3);
});

test('stores a record only from the first use until the last slot has expired', async () => {
  const { rateLimiter, clock, storage } = open();
  await rateLimiter.release('x', 'a');
  expect(await storedKeys(storage)).toEqual([]);
  for (const name of ['x', 'y']) await rateLimiter.acquire(name, 'a', THREE);
  clock.now += 30_000;
  await rateLimiter.acquire('y', 'b', THREE);
  clock.now += 29_999;
  const keys = () => storedKeys(storage, 'rate-limit:');
  expect(await keys()).toEqual(['rate-limit:x', 'rate-limit:y']);
  clock.now += 1;
  expect(await keys()).toEqual(['rate-limit:y']);
  clock.now += 30_000;
  expect(await keys()).toEqual([]);
});

test.each(['', 'nonsense', '{}', '[[1]]', '[["a","b"]]', '[[1,2,3]]'])(
  'replaces an invalid record (%j) with an empty one',
  async (text) => {
    const { rateLimiter, storage } = open();
    await storage.set('rate-limit:x', text);
    for (const one of ['a', 'b', 'c']) expect(await rateLimiter.acquire('x', one, THREE)).toBe(0);
    expect(await rateLimiter.acquire('x', 'd', THREE)).toBeGreaterThan(0);
  },
);
