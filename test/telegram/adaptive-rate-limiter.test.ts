import { describe, expect, test } from 'vitest';
import { openPace, WITHOUT_END } from './open-pace.ts';

describe('after many chats refused', () => {
  test.each([10, 20, 30, 40])(
    'sends nine tenths of the %i messages that Telegram accepted in a second',
    (taken) => {
      const { clock, learn, through } = openPace();
      learn(taken);
      clock.now += 1_000;
      const sent = through(5_000) / 5;
      expect(sent).toBeGreaterThan(taken * 0.85);
      expect(sent).toBeLessThan(taken * 0.97);
    },
  );

  test('sends nothing before the current second has capacity', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    expect(send()).toBe(1_000);
    clock.now += 999;
    expect(send()).toBeGreaterThan(0);
  });

  test('gives a thousand waiting chats different times', () => {
    const { learn, send } = openPace();
    learn(30);
    const waits = Array.from({ length: 1_000 }, () => send());
    expect(Math.min(...waits)).toBeGreaterThan(0);
    for (let second = 0; second < 60; second += 1)
      expect(waits.filter((ms) => Math.floor(ms / 1_000) === second).length).toBeLessThan(45);
    expect(new Set(waits).size).toBeGreaterThan(950);
  });

  test('reserves the time for its chat and repeats it to an early caller', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    const ms = send(9_001);
    for (let count = 0; count < 100; count += 1) send();
    clock.now += ms - 1;
    expect(send(9_001)).toBe(1);
    clock.now += 1;
    expect(send(9_001)).toBe(0);
    expect(send(9_001)).toBeGreaterThan(0);
  });

  test('sends at the usual pace if many chats miss their times', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    for (let to = 9_001; to <= 9_300; to += 1) send(to);
    clock.now += 20_000;
    const waits = Array.from({ length: 300 }, (_, index) => send(9_001 + index));
    const passed = waits.filter((ms) => ms === 0).length;
    expect(passed).toBeGreaterThan(27);
    expect(passed).toBeLessThan(36);
    expect(Math.max(...waits)).toBeLessThan(12_000);
  });

  test('drops a reservation that was missed by more than thirty seconds', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    const ms = send(9_001);
    clock.now += ms + 30_001;
    const others = Array.from({ length: 60 }, () => send()).filter((wait) => wait > 0);
    expect(others.length).toBeGreaterThan(0);
    expect(send(9_001)).toBeGreaterThanOrEqual(Math.max(...others));
  });

  test('returns times within the next minute and spreads them evenly', () => {
    const { learn, send } = openPace();
    learn(5);
    const waits = Array.from({ length: 20_000 }, () => send());
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    expect(Math.max(...waits)).toBeGreaterThan(59_900);
    const last = waits.slice(-3_000);
    const perSecond = Array.from(
      { length: 30 },
      (_, second) => last.filter((ms) => Math.floor(ms / 1_000) === 30 + second).length,
    );
    expect(Math.max(...perSecond)).toBeLessThan(110);
    expect(Math.min(...perSecond)).toBeGreaterThan(90);
  });

  test('reserves times for ten thousand chats and asks others to return much later', () => {
    const { learn, send } = openPace();
    learn(1_000);
    const waits = Array.from({ length: 10_001 }, () => send());
    expect(Math.max(...waits.slice(0, 10_000))).toBeLessThan(12_000);
    expect(waits[10_000]).toBeGreaterThanOrEqual(30_000);
  });

  test.each([0, 1])('falls to one message a second if %i were accepted, and not lower', (taken) => {
    const { clock, learn, send } = openPace();
    learn(taken);
    clock.now += 1_000;
    expect(send()).toBe(0);
    const ms = send();
    expect(ms).toBeGreaterThan(850);
    expect(ms).toBeLessThan(950);
  });

  test('stays at one message a second while nothing is accepted', () => {
    const { refuse, through } = openPace();
    const asked = through(60_000, refuse);
    expect(asked).toBeGreaterThan(55);
    expect(asked).toBeLessThan(130);
  });
});

describe('while Telegram accepts everything', () => {
  /**
   * Returns how many messages are sent per second, at the given seconds after Telegram accepted `taken` and then
   * refused.
   */
  function ratesAfter(taken: number, seconds: readonly number[]) {
    const { clock, learn, perSecond } = openPace();
    learn(taken);
    const start = clock.now;
    return seconds.map((after) => {
      clock.now = start + after * 1_000;
      return perSecond();
    });
  }

  test('raises the pace every second by a hundredth of what Telegram had accepted', () => {
    const [first = 0, second = 0, third = 0] = ratesAfter(1_000, [9.5, 19.5, 29.5]);
    expect(Math.abs(first - 900 - 90)).toBeLessThan(2);
    expect(Math.abs(second - first - 90)).toBeLessThan(2);
    expect(Math.abs(third - second - 90)).toBeLessThan(2);
  });

  test('raises the pace by at least a tenth of a message a second', () => {
    const [first = 0, second = 0, third = 0] = ratesAfter(2, [100, 200, 300]);
    expect([second - first, third - second]).toEqual([10, 10]);
  });

  test('doubles the pace every five seconds if Telegram had accepted nothing', () => {
    const [first = 0, second = 0, third = 0] = ratesAfter(0, [19.5, 24.5, 29.5]);
    expect(Math.abs(first - 16)).toBeLessThan(2);
    expect(Math.abs(second - 32)).toBeLessThan(2);
    expect(Math.abs(third - 64)).toBeLessThan(2);
  });

  test.each([
    [0, 100],
    [10, 100],
    [40, 100],
    [80, 160],
  ])('drops the limit if Telegram had accepted %i, once the pace reaches %i a second', (taken, most) => {
    const { clock, learn, perSecond } = openPace();
    learn(taken);
    let last = 0;
    for (;;) {
      clock.now += 1_000;
      const rate = perSecond();
      if (rate === WITHOUT_END) break;
      last = rate;
    }
    expect(Math.abs(last - most)).toBeLessThan(5);
  });
});
