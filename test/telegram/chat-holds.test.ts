import { expect, test } from 'vitest';
import { createChatHolds } from '../../src/telegram/chat-holds.ts';

function openHolds() {
  const clock = { now: 1_000_000 };
  return { clock, holds: createChatHolds({ now: () => clock.now }) };
}

test('a chat is held until its time is over, and no other is', () => {
  const { clock, holds } = openHolds();
  holds.hold(501, 3_000);
  expect([holds.left(501), holds.left(502)]).toEqual([3_000, 0]);
  clock.now += 2_999;
  expect(holds.left(501)).toBe(1);
  clock.now += 1;
  expect(holds.left(501)).toBe(0);
});

test('of two times the longer counts', () => {
  const { holds } = openHolds();
  holds.hold(501, 3_000);
  holds.hold(501, 1_000);
  expect(holds.left(501)).toBe(3_000);
  holds.hold(501, 4_000);
  expect(holds.left(501)).toBe(4_000);
});

test('of more than there is room for, the latest ten thousand are kept', () => {
  const { holds } = openHolds();
  for (let chat = 1; chat <= 10_500; chat += 1) holds.hold(chat, 60_000);
  expect([holds.left(500), holds.left(501), holds.left(10_500)]).toEqual([0, 60_000, 60_000]);
});

test('those that are over make room for others', () => {
  const { clock, holds } = openHolds();
  holds.hold(501, 60_000);
  for (let chat = 1_001; chat < 11_000; chat += 1) holds.hold(chat, 1_000);
  clock.now += 1_000;
  holds.hold(502, 60_000);
  expect([holds.left(501), holds.left(502)]).toEqual([59_000, 60_000]);
});
