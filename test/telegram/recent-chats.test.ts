import { expect, test } from 'vitest';
import { createRecentChats } from '../../src/telegram/rate-limiter.ts';

test('forgets each chat after its own latest time', () => {
  const clock = { now: 1_000_000 };
  const chats = createRecentChats({ keptMs: 5_000, now: () => clock.now });
  chats.note(501);
  chats.note(502);
  clock.now += 4_000;
  chats.note(501);
  expect([chats.of(501), chats.of(502), chats.count()]).toEqual([1_004_000, 1_000_000, 2]);
  clock.now += 1_000;
  expect([chats.of(501), chats.of(502), chats.count()]).toEqual([1_004_000, undefined, 1]);
  chats.leave(501);
  expect([chats.of(501), chats.count()]).toEqual([undefined, 0]);
});
