import { describe, expect, test } from 'vitest';
import { createAdaptiveRateLimiter, createRecentChats } from '../../src/telegram/sender.ts';

/** Number of chats that may refuse without slowing down others. */
const FEW_CHATS = 5;
const UNLIMITED = 5_000;

/** Opens a rate limiter with a clock that the test controls. A chat that isn't named is a new one. */
function openLimiter() {
  const clock = { now: 1_000_000 };
  const limiter = createAdaptiveRateLimiter({ now: () => clock.now });
  let chats = 0;
  const newChat = () => {
    chats += 1;
    return chats;
  };
  const send = (to = newChat()) => {
    const ms = limiter.acquire(to);
    if (ms === 0) limiter.onSent(to);
    return ms;
  };
  const refuse = (to = newChat()) => {
    const ms = limiter.acquire(to);
    if (ms === 0) limiter.onRateLimited(to, clock.now);
    return ms;
  };
  /** Makes Telegram accept `taken` messages within a second and refuse more. */
  const learn = (taken: number) => {
    for (let count = 0; count < taken; count += 1) send();
    for (let count = 0; count <= FEW_CHATS; count += 1) refuse();
  };
  /** Returns how many new chats may send within the next second. */
  const perSecond = () => {
    let count = 0;
    while (count < UNLIMITED && send() < 1_000) count += 1;
    return count;
  };
  const due: { at: number; chat: number }[] = [];
  /**
   * Returns how many messages are sent within `ms` if a new chat is added every 20 ms and all return at their times.
   */
  const through = (ms: number, ask = send) => {
    let count = 0;
    for (const end = clock.now + ms; clock.now < end; clock.now += 20) {
      due.push({ at: clock.now, chat: newChat() });
      for (const one of due.filter(({ at }) => at <= clock.now)) {
        const wait = ask(one.chat);
        one.at = wait === 0 ? Number.POSITIVE_INFINITY : clock.now + wait;
        if (wait === 0) count += 1;
      }
    }
    return count;
  };
  return { clock, limiter, send, refuse, learn, perSecond, through };
}

describe('before Telegram’s limit is known', () => {
  test('sends any number of messages at once', () => {
    const { send } = openLimiter();
    for (let count = 0; count < 5_000; count += 1) expect(send()).toBe(0);
  });

  test.each([
    ['does not infer a limit from chats that received a message within five seconds', 4_999, true],
    ['infers a limit if their last messages were longer ago', 5_000, false],
  ])('%s', (_, agoMs, isFree) => {
    const { clock, limiter, send } = openLimiter();
    const chats = Array.from({ length: 20 }, (_, index) => 9_001 + index);
    for (const to of chats) send(to);
    clock.now += agoMs;
    for (const to of chats) limiter.onRateLimited(to, clock.now);
    expect(Math.max(send(), send()) === 0).toBe(isFree);
  });

  test.each([1, 2, FEW_CHATS])('infers no limit if at most %i chats refuse repeatedly', (chats) => {
    const { clock, send, refuse } = openLimiter();
    for (let times = 0; times < 20; times += 1) {
      for (let to = 9_001; to < 9_001 + chats; to += 1) refuse(to);
      clock.now += 500;
    }
    for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
  });

  test('infers no limit from refusals more than five seconds apart', () => {
    const { clock, send, refuse } = openLimiter();
    for (let count = 0; count < FEW_CHATS; count += 1) refuse();
    clock.now += 5_000;
    refuse();
    expect([send(), send()]).toEqual([0, 0]);
  });

  test('infers a limit from refusals within five seconds', () => {
    const { clock, send, refuse } = openLimiter();
    for (let count = 0; count < FEW_CHATS; count += 1) refuse();
    clock.now += 4_999;
    refuse();
    expect(Math.max(send(), send())).toBeGreaterThan(0);
  });

  test('infers no limit from chats that refused before, within ten minutes', () => {
    const { clock, send, refuse } = openLimiter();
    const chats = Array.from({ length: 20 }, (_, index) => 9_001 + index);
    const refuseAll = (some: number[]) => {
      for (const to of some) refuse(to);
      clock.now += 5_000;
    };
    for (let from = 0; from < chats.length; from += FEW_CHATS) refuseAll(chats.slice(from, from + FEW_CHATS));
    send();
    clock.now += 500_000;
    refuseAll(chats);
    send();
    clock.now += 594_999;
    refuseAll(chats);
    for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
    clock.now += 595_000;
    refuseAll(chats);
    expect(Math.max(send(), send())).toBeGreaterThan(0);
  });
});

describe('refusals of concurrent messages', () => {
  /** Makes Telegram accept `taken` concurrent messages and refuse `refused` others at the same time. */
  function refuseAtOnce(taken: number, refused: number) {
    const opened = openLimiter();
    const { clock, limiter, send } = opened;
    for (let count = 0; count < taken; count += 1) send();
    const begun = clock.now;
    const chats = Array.from({ length: refused }, (_, index) => 9_001 + index);
    for (const to of chats) limiter.acquire(to);
    clock.now += 100;
    for (const to of chats) limiter.onRateLimited(to, begun);
    return opened;
  }

  test('do not count as accepted', () => {
    const { clock, perSecond } = refuseAtOnce(30, 41);
    clock.now += 1_000;
    expect(perSecond()).toBeLessThan(30);
  });

  test('let the pace double quickly if nothing was accepted', () => {
    const { clock, perSecond } = refuseAtOnce(0, 51);
    clock.now += 25_000;
    expect(perSecond()).toBeGreaterThan(30);
  });
});

describe('refusals while the pace is limited', () => {
  /**
   * Makes Telegram accept `taken` messages in a second with a capacity of ninety, and refuse those to `chats` chats.
   */
  function refuseAgain(taken: number, chats: number) {
    const opened = openLimiter();
    const { clock, learn, send, refuse } = opened;
    learn(100);
    clock.now += 1_000;
    for (let count = 0; count < taken + chats; count += 1) {
      clock.now += Math.floor(1_000 / (taken + chats));
      expect(count < taken ? send() : refuse()).toBe(0);
    }
    clock.now += 1_000;
    return opened;
  }

  test.each([
    ['one chat', 80, 1],
    ['two chats, if Telegram accepted much less than the capacity', 66, 2],
    ['five chats, if Telegram accepted very little', 10, FEW_CHATS],
  ])('do not lower the pace: %s', (_, taken, chats) => {
    expect(refuseAgain(taken, chats).perSecond()).toBeGreaterThan(90);
  });

  test.each([
    ['two chats, if Telegram accepted nearly the capacity', 72, 2],
    ['six chats, however little Telegram accepted', 40, FEW_CHATS + 1],
  ])('lower the pace again: %s', (_, taken, chats) => {
    const found = refuseAgain(taken, chats).perSecond();
    expect(found).toBeGreaterThan(taken * 0.85);
    expect(found).toBeLessThan(taken * 0.97);
  });

  test('are counted only once', () => {
    const { clock, refuse, perSecond } = refuseAgain(40, FEW_CHATS + 1);
    for (let count = 0; count < FEW_CHATS; count += 1) {
      expect(refuse()).toBe(0);
      clock.now += 50;
    }
    clock.now += 1_000;
    expect(perSecond()).toBeGreaterThan(30);
  });
});

describe('after many chats refused', () => {
  test.each([10, 20, 30, 40])(
    'sends nine tenths of the %i messages that Telegram accepted in a second',
    (taken) => {
      const { clock, learn, through } = openLimiter();
      learn(taken);
      clock.now += 1_000;
      const sent = through(5_000) / 5;
      expect(sent).toBeGreaterThan(taken * 0.85);
      expect(sent).toBeLessThan(taken * 0.97);
    },
  );

  test('sends nothing before the current second has capacity', () => {
    const { clock, learn, send } = openLimiter();
    learn(30);
    expect(send()).toBe(1_000);
    clock.now += 999;
    expect(send()).toBeGreaterThan(0);
  });

  test('gives a thousand waiting chats different times', () => {
    const { learn, send } = openLimiter();
    learn(30);
    const waits = Array.from({ length: 1_000 }, () => send());
    expect(Math.min(...waits)).toBeGreaterThan(0);
    for (let second = 0; second < 60; second += 1)
      expect(waits.filter((ms) => Math.floor(ms / 1_000) === second).length).toBeLessThan(45);
    expect(new Set(waits).size).toBeGreaterThan(950);
  });

  test('reserves the time for its chat and repeats it to an early caller', () => {
    const { clock, learn, send } = openLimiter();
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
    const { clock, learn, send } = openLimiter();
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
    const { clock, learn, send } = openLimiter();
    learn(30);
    const ms = send(9_001);
    clock.now += ms + 30_001;
    const others = Array.from({ length: 60 }, () => send()).filter((wait) => wait > 0);
    expect(others.length).toBeGreaterThan(0);
    expect(send(9_001)).toBeGreaterThanOrEqual(Math.max(...others));
  });

  test('returns times within the next minute and spreads them evenly', () => {
    const { learn, send } = openLimiter();
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
    const { learn, send } = openLimiter();
    learn(1_000);
    const waits = Array.from({ length: 10_001 }, () => send());
    expect(Math.max(...waits.slice(0, 10_000))).toBeLessThan(12_000);
    expect(waits[10_000]).toBeGreaterThanOrEqual(30_000);
  });

  test.each([0, 1])('falls to one message a second if %i were accepted, and not lower', (taken) => {
    const { clock, learn, send } = openLimiter();
    learn(taken);
    clock.now += 1_000;
    expect(send()).toBe(0);
    const ms = send();
    expect(ms).toBeGreaterThan(850);
    expect(ms).toBeLessThan(950);
  });

  test('stays at one message a second while nothing is accepted', () => {
    const { refuse, through } = openLimiter();
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
    const { clock, learn, perSecond } = openLimiter();
    learn(taken);
    const start = clock.now;
    return seconds.map((after) => {
      clock.now = start + after * 1_000;
      return perSecond();
    });
  }

  test('raises the pace every second by a hundredth of what Telegram had accepted', () => {
    const rates = ratesAfter(1_000, [9.5, 19.5, 29.5]);
    for (const [at, expected] of [990, 1_080, 1_170].entries())
      expect(Math.abs((rates[at] ?? 0) - expected)).toBeLessThan(2);
  });

  test('raises the pace by at least a tenth of a message a second', () => {
    const [first = 0, second = 0, third = 0] = ratesAfter(2, [100, 200, 300]);
    expect([second - first, third - second]).toEqual([10, 10]);
  });

  test('doubles the pace every five seconds if Telegram had accepted nothing', () => {
    const rates = ratesAfter(0, [19.5, 24.5, 29.5]);
    for (const [at, expected] of [16, 32, 64].entries())
      expect(Math.abs((rates[at] ?? 0) - expected)).toBeLessThan(2);
  });

  test.each([
    [0, 100],
    [10, 100],
    [40, 100],
    [80, 160],
  ])('drops the limit if Telegram had accepted %i, once the pace reaches %i a second', (taken, most) => {
    const { clock, learn, perSecond } = openLimiter();
    learn(taken);
    let last = 0;
    for (;;) {
      clock.now += 1_000;
      const rate = perSecond();
      if (rate === UNLIMITED) break;
      last = rate;
    }
    expect(Math.abs(last - most)).toBeLessThan(5);
  });
});

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
