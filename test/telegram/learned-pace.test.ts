import { describe, expect, test } from 'vitest';
import { createLearnedPace } from '../../src/telegram/learned-pace.ts';

/** A pace, by a clock that the test moves. A chat that isn't named is a new one, which has had no message before. */
function openPace() {
  const clock = { now: 1_000_000 };
  const pace = createLearnedPace({ now: () => clock.now });
  let chats = 0;
  const newChat = () => {
    chats += 1;
    return chats;
  };
  const send = (to = newChat()) => {
    const ms = pace.take(to);
    if (ms === 0) pace.sent(to);
    return ms;
  };
  const refuse = (to = newChat()) => {
    const ms = pace.take(to);
    if (ms === 0) pace.refused(to, clock.now);
    return ms;
  };
  /** Has Telegram take so many messages within a second, and object to more. */
  const learn = (taken: number) => {
    for (let count = 0; count < taken; count += 1) send();
    refuse();
    refuse();
  };
  const due: { at: number; chat: number }[] = [];
  /** How many are let through within so many milliseconds, of new chats, one every 20 ms, that come when they are told to. */
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
  return { clock, pace, send, refuse, learn, through };
}

describe('until Telegram objects there is no limit', () => {
  test('however many are sent at once', () => {
    const { send } = openPace();
    for (let count = 0; count < 5_000; count += 1) expect(send()).toBe(0);
  });

  test('nor where it objects in a chat that has just had a message', () => {
    const { clock, pace, send } = openPace();
    for (let to = 9_001; to <= 9_003; to += 1) {
      send(to);
      clock.now += 1_000;
      pace.take(to);
      pace.refused(to, clock.now);
    }
    for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
  });

  test('nor where a single chat objects, again and again', () => {
    const { clock, send, refuse } = openPace();
    for (let times = 0; times < 20; times += 1) {
      refuse(9_001);
      clock.now += 500;
    }
    for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
  });

  test('nor where two chats object that have nothing to do with each other', () => {
    const { clock, send, refuse } = openPace();
    refuse();
    clock.now += 5_000;
    refuse();
    expect([send(), send()]).toEqual([0, 0]);
  });
});

describe('once it objects', () => {
  test.each([10, 20, 30, 40])('of %i it took in a second, nine tenths are sent', (taken) => {
    const { clock, learn, through } = openPace();
    learn(taken);
    clock.now += 1_000;
    const sent = through(5_000) / 5;
    expect(sent).toBeGreaterThan(taken * 0.85);
    expect(sent).toBeLessThan(taken * 0.97);
  });

  test('nothing more is sent before there is room in the second', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    expect(send()).toBe(1_000);
    clock.now += 999;
    expect(send()).toBeGreaterThan(0);
  });

  test('a thousand who have to wait are each told a time of their own', () => {
    const { learn, send } = openPace();
    learn(30);
    const waits = Array.from({ length: 1_000 }, () => send());
    expect(Math.min(...waits)).toBeGreaterThan(0);
    for (let second = 0; second < 60; second += 1)
      expect(waits.filter((ms) => Math.floor(ms / 1_000) === second).length).toBeLessThan(45);
    expect(new Set(waits).size).toBeGreaterThan(950);
  });

  test('who was told a time has it, whoever came since, and is told the same if asking before', () => {
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

  test('of those who all come late to their times as many are let through as belong into a second', () => {
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

  test('a time that was missed by more than half a minute is kept no longer', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    const ms = send(9_001);
    clock.now += ms + 30_001;
    const others = Array.from({ length: 60 }, () => send()).filter((wait) => wait > 0);
    expect(others.length).toBeGreaterThan(0);
    expect(send(9_001)).toBeGreaterThanOrEqual(Math.max(...others));
  });

  test('nobody is told a time that is more than a minute ahead, and they are spread all the same', () => {
    const { learn, send } = openPace();
    learn(5);
    const waits = Array.from({ length: 20_000 }, () => send());
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    const last = waits.slice(-3_000);
    const perSecond = Array.from(
      { length: 30 },
      (_, second) => last.filter((ms) => Math.floor(ms / 1_000) === 30 + second).length,
    );
    expect(Math.max(...perSecond)).toBeLessThan(110);
    expect(Math.min(...perSecond)).toBeGreaterThan(90);
  });

  test('it falls to one a second where nothing at all is taken, and not below', () => {
    const { refuse, through } = openPace();
    const asked = through(60_000, refuse);
    expect(asked).toBeGreaterThan(55);
    expect(asked).toBeLessThan(130);
  });
});

describe('while all goes well', () => {
  test('the pace rises', () => {
    const { clock, learn, through } = openPace();
    learn(30);
    clock.now += 1_000;
    const first = through(10_000);
    through(20_000);
    const fourth = through(10_000);
    expect(fourth).toBeGreaterThan(first + 50);
  });

  test('it matters no more after five minutes', () => {
    const { clock, learn, send } = openPace();
    learn(30);
    clock.now += 200_000;
    expect(Array.from({ length: 200 }, () => send()).some((ms) => ms > 0)).toBe(true);
    clock.now += 100_000;
    for (let count = 0; count < 200; count += 1) expect(send()).toBe(0);
  });

  test('it matters no more half a minute after Telegram has taken nothing at all', () => {
    const { clock, learn, send } = openPace();
    learn(0);
    expect([send(), send()]).toContain(1_000);
    clock.now += 35_000;
    for (let count = 0; count < 200; count += 1) expect(send()).toBe(0);
  });
});
