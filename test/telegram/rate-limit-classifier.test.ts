import { describe, expect, test } from 'vitest';
import { HANDFUL, openPace } from './open-pace.ts';

describe('before Telegram’s limit is known', () => {
  test('sends any number of messages at once', () => {
    const { send } = openPace();
    for (let count = 0; count < 5_000; count += 1) expect(send()).toBe(0);
  });

  test.each([
    ['does not infer a limit from chats that received a message within five seconds', 4_999, true],
    ['infers a limit if their last messages were longer ago', 5_000, false],
  ])('%s', (_, agoMs, isFree) => {
    const { clock, pace, send } = openPace();
    const chats = Array.from({ length: 20 }, (_, index) => 9_001 + index);
    for (const to of chats) send(to);
    clock.now += agoMs;
    for (const to of chats) pace.onRateLimited(to, clock.now);
    expect(Math.max(send(), send()) === 0).toBe(isFree);
  });

  test.each([1, 2, HANDFUL])('infers no limit if at most %i chats refuse repeatedly', (chats) => {
    const { clock, send, refuse } = openPace();
    for (let times = 0; times < 20; times += 1) {
      for (let to = 9_001; to < 9_001 + chats; to += 1) refuse(to);
      clock.now += 500;
    }
    for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
  });

  test('infers no limit from refusals more than five seconds apart', () => {
    const { clock, send, refuse } = openPace();
    for (let count = 0; count < HANDFUL; count += 1) refuse();
    clock.now += 5_000;
    refuse();
    expect([send(), send()]).toEqual([0, 0]);
  });

  test('infers a limit from refusals within five seconds', () => {
    const { clock, send, refuse } = openPace();
    for (let count = 0; count < HANDFUL; count += 1) refuse();
    clock.now += 4_999;
    refuse();
    expect(Math.max(send(), send())).toBeGreaterThan(0);
  });

  test('infers no limit from chats that refused before, within ten minutes', () => {
    const { clock, send, refuse } = openPace();
    const chats = Array.from({ length: 20 }, (_, index) => 9_001 + index);
    const objectTo = (some: number[]) => {
      for (const to of some) refuse(to);
      clock.now += 5_000;
    };
    for (let from = 0; from < chats.length; from += HANDFUL) objectTo(chats.slice(from, from + HANDFUL));
    send();
    clock.now += 500_000;
    objectTo(chats);
    send();
    clock.now += 594_999;
    objectTo(chats);
    for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
    clock.now += 595_000;
    objectTo(chats);
    expect(Math.max(send(), send())).toBeGreaterThan(0);
  });
});

describe('refusals of concurrent messages', () => {
  /** Makes Telegram accept `taken` concurrent messages and refuse `refused` others at the same time. */
  function refuseAtOnce(taken: number, refused: number) {
    const opened = openPace();
    const { clock, pace, send } = opened;
    for (let count = 0; count < taken; count += 1) send();
    const begun = clock.now;
    const chats = Array.from({ length: refused }, (_, index) => 9_001 + index);
    for (const to of chats) pace.acquire(to);
    clock.now += 100;
    for (const to of chats) pace.onRateLimited(to, begun);
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
  function objectAgain(taken: number, chats: number) {
    const opened = openPace();
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
    ['five chats, if Telegram accepted very little', 10, HANDFUL],
  ])('do not lower the pace: %s', (_, taken, chats) => {
    expect(objectAgain(taken, chats).perSecond()).toBeGreaterThan(90);
  });

  test.each([
    ['two chats, if Telegram accepted nearly the capacity', 72, 2],
    ['six chats, however little Telegram accepted', 40, HANDFUL + 1],
  ])('lower the pace again: %s', (_, taken, chats) => {
    const found = objectAgain(taken, chats).perSecond();
    expect(found).toBeGreaterThan(taken * 0.85);
    expect(found).toBeLessThan(taken * 0.97);
  });

  test('are counted only once', () => {
    const { clock, refuse, perSecond } = objectAgain(40, HANDFUL + 1);
    for (let count = 0; count < HANDFUL; count += 1) {
      expect(refuse()).toBe(0);
      clock.now += 50;
    }
    clock.now += 1_000;
    expect(perSecond()).toBeGreaterThan(30);
  });
});
