import { expect, test } from 'vitest';
import { createRecentChats } from '../../src/telegram/rate-limiter.ts';

test('forgets each chat after its own latest time', () => {
  const clock = { now: 1_000_000 };
  const chats = createRecentChats({ ttlMs: 5_000, now: () => clock.now });
  chats.add(501);
  chats.add(502);
  clock.now += 4_000;
  chats.add(501);
  expect([chats.timeOf(501), chats.timeOf(502), chats.count()]).toEqual([1_004_000, 1_000_000, 2]);
  clock.now += 1_000;
  expect([chats.timeOf(501), chats.timeOf(502), chats.count()]).toEqual([1_004_000, undefined, 1]);
  chats.remove(501);
  expect([chats.timeOf(501), chats.count()]).toEqual([undefined, 0]);
});
