import { expect, test } from 'vitest';
import { createChatHolds, MAX_HOLD_CHECK_MS } from '../../src/telegram/sender.ts';

function openHolds() {
  const clock = { now: 1_000_000 };
  return { clock, holds: createChatHolds({ now: () => clock.now }) };
}

test('holds one chat until its time is over, and no other', () => {
  const { clock, holds } = openHolds();
  holds.hold(501, 3_000);
  expect([holds.remainingMs(501), holds.remainingMs(502)]).toEqual([3_000, 0]);
  clock.now += 2_999;
  expect(holds.remainingMs(501)).toBe(1);
  clock.now += 1;
  expect(holds.remainingMs(501)).toBe(0);
});

test('keeps the longer of two times', () => {
  const { holds } = openHolds();
  holds.hold(501, 3_000);
  holds.hold(501, 1_000);
  expect(holds.remainingMs(501)).toBe(3_000);
  holds.hold(501, 4_000);
  expect(holds.remainingMs(501)).toBe(4_000);
});

test('limits the wait to seconds while a long hold lasts', () => {
  const { clock, holds } = openHolds();
  holds.hold(501, 3_600_000);
  expect(holds.remainingMs(501)).toBe(MAX_HOLD_CHECK_MS);
  clock.now += 3_599_000;
  expect(holds.remainingMs(501)).toBe(1_000);
});

test('ends with a message that was started after the refusal, but not with an earlier one', () => {
  const { clock, holds } = openHolds();
  const before = clock.now;
  clock.now += 100;
  holds.hold(501, 3_000);
  clock.now += 100;
  holds.onDelivered(501, before);
  holds.onDelivered(502, clock.now);
  expect(holds.remainingMs(501)).toBe(2_900);
  holds.onDelivered(501, clock.now);
  expect(holds.remainingMs(501)).toBe(0);
});

test('keeps the latest ten thousand holds', () => {
  const { holds } = openHolds();
  for (let chat = 1; chat <= 10_500; chat += 1) holds.hold(chat, 3_000);
  expect([holds.remainingMs(500), holds.remainingMs(501), holds.remainingMs(10_500)]).toEqual([
    0, 3_000, 3_000,
  ]);
});

test('drops expired holds to make space', () => {
  const { clock, holds } = openHolds();
  holds.hold(501, 4_000);
  for (let chat = 1_001; chat < 11_000; chat += 1) holds.hold(chat, 1_000);
  clock.now += 1_000;
  holds.hold(502, 4_000);
  expect([holds.remainingMs(501), holds.remainingMs(502)]).toEqual([3_000, 4_000]);
});
