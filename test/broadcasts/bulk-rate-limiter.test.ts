import { expect, test } from 'vitest';
import { createBulkRateLimiter, MAX_PER_SECOND } from '../../src/broadcasts/send.ts';
import { createOutgoing } from '../../src/telegram/sender.ts';

const SECOND = 1_000;

function openPace() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const outgoing = createOutgoing({ now });
  const pace = createBulkRateLimiter({ outgoing });
  /** Sends at the bulk pace for `ms` and returns the times of the sends. `beside` sends other messages in between. */
  function sendFor(ms: number, beside: (at: number) => void = () => {}, late = 0): number[] {
    const times: number[] = [];
    for (const until = clock.now + ms; clock.now < until; ) {
      beside(clock.now);
      const wait = pace.acquire();
      if (wait > 0) {
        clock.now += Math.ceil(wait) + late;
        continue;
      }
      outgoing.countCall('copyMessage');
      times.push(clock.now);
    }
    return times;
  }
  return { clock, outgoing, pace, sendFor };
}

/** Returns the highest number of sends in any second. */
const mostInASecond = (times: readonly number[]) =>
  Math.max(...times.map((time) => times.filter((at) => at > time - SECOND && at <= time).length));

test("sends evenly and below Telegram's limit", () => {
  const { sendFor } = openPace();
  const times = sendFor(20 * SECOND);
  expect(times.length).toBeGreaterThan(20 * MAX_PER_SECOND * 0.95);
  expect(mostInASecond(times)).toBeLessThanOrEqual(MAX_PER_SECOND + 1);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(39);
});

test('keeps nearly the same rate below the limit on a machine whose timers are late', () => {
  const { sendFor } = openPace();
  const times = sendFor(20 * SECOND, undefined, 25);
  expect(times.length).toBeGreaterThan(20 * MAX_PER_SECOND * 0.95);
  expect(mostInASecond(times)).toBeLessThanOrEqual(26);
});

test('slows bulk messages down while other messages are sent', () => {
  const { sendFor, outgoing } = openPace();
  const others: number[] = [];
  const times = sendFor(20 * SECOND, (at) => {
    if (at - (others.at(-1) ?? 0) < 100) return;
    outgoing.countCall('sendMessage');
    others.push(at);
  });
  expect(mostInASecond([...times, ...others].toSorted((a, b) => a - b))).toBeLessThanOrEqual(27);
  expect(times.length).toBeLessThan(20 * 21);
});

test('ignores edits, callback answers and reads', () => {
  const { outgoing, clock } = openPace();
  for (const method of ['editMessageText', 'answerCallbackQuery', 'getUpdates', 'sendChatAction'])
    for (let times = 0; times < 40; times += 1) outgoing.countCall(method);
  expect(outgoing.availableFrom(1, clock.now)).toBe(clock.now);
});

test('slows down after each 429, never stops entirely and recovers', () => {
  const { sendFor, pace } = openPace();
  pace.onRateLimited();
  const slower = sendFor(5 * SECOND).length;
  expect(slower).toBeLessThan(5 * MAX_PER_SECOND * 0.85);
  for (let times = 0; times < 40; times += 1) pace.onRateLimited();
  expect(sendFor(5 * SECOND).length).toBeGreaterThanOrEqual(4);
  sendFor(400 * SECOND);
  expect(sendFor(5 * SECOND).length).toBeGreaterThan(5 * MAX_PER_SECOND * 0.95);
});
