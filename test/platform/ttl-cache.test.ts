import { expect, test } from 'vitest';
import { createTtlCache } from '../../src/platform/ttl-cache.ts';

test('forgets entries that are deleted, expired, or in the way of others when it is full', () => {
  let now = 0;
  const cache = createTtlCache<string, number>({ ttlMs: 10, now: () => now, maxEntries: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect([cache.get('a'), cache.get('b')]).toEqual([1, 2]);
  cache.delete('a');
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2]);
  cache.set('c', 3);
  cache.set('d', 4);
  expect([cache.get('b'), cache.get('c'), cache.get('d')]).toEqual([undefined, undefined, 4]);
  now += 10;
  expect(cache.get('d')).toBeUndefined();
});
