import { describe, expect, test } from 'vitest';
import { HANDFUL, openPace } from './open-pace.ts';

describe('until Telegram objects there is no limit', () => {
  test('however many are sent at once', () => {
    const { send } = openPace();
    for (let count = 0; count < 5_000; count += 1) expect(send()).toBe(0);
  });

  test.each([
    ['nor where many chats object that have had a message within five seconds', 4_999, true],
    ['but there is one where their last message is longer ago', 5_000, false],
  ])('%s', (_, agoMs, isFree) => {
    const { clock, pace, send } = openPace();
    const chats = Array.from({ length: 20 }, (_, index) => 9_001 + index);
    for (const to of chats) send(to);
    clock.now += agoMs;
    for (const to of chats) pace.refused(to, clock.now);
    expect(Math.max(send(), send()) === 0).toBe(isFree);
  });

  test.each([1, 2, HANDFUL])(
    'nor where no more than %i chats object, again and again, and nothing else is sent',
    (chats) => {
      const { clock, send, refuse } = openPace();
      for (let times = 0; times < 20; times += 1) {
        for (let to = 9_001; to < 9_001 + chats; to += 1) refuse(to);
        clock.now += 500;
      }
      for (let count = 0; count < 100; count += 1) expect(send()).toBe(0);
    },
  );

  test('nor where chats object that have nothing to do with each other', () => {
    const { clock, send, refuse } = openPace();
    for (let count = 0; count < HANDFUL; count += 1) refuse();
    clock.now += 5_000;
    refuse();
    expect([send(), send()]).toEqual([0, 0]);
  });

  test('but there is one where they do so within five seconds', () => {
    const { clock, send, refuse } = openPace();
    for (let count = 0; count < HANDFUL; count += 1) refuse();
    clock.now += 4_999;
    refuse();
    expect(Math.max(send(), send())).toBeGreaterThan(0);
  });

  test('nor where many object, once more after others were served, until that is ten minutes ago', () => {
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

describe('what was under way meanwhile and is refused as well is not counted as taken', () => {
  /** Has Telegram take so many of what is under way, and refuse the rest at once. */
  function refuseAtOnce(taken: number, refused: number) {
    const opened = openPace();
    const { clock, pace, send } = opened;
    for (let count = 0; count < taken; count += 1) send();
    const begun = clock.now;
    const chats = Array.from({ length: refused }, (_, index) => 9_001 + index);
    for (const to of chats) pace.take(to);
    clock.now += 100;
    for (const to of chats) pace.refused(to, begun);
    return opened;
  }

  test('where some was taken', () => {
    const { clock, perSecond } = refuseAtOnce(30, 41);
    clock.now += 1_000;
    expect(perSecond()).toBeLessThan(30);
  });

  test('where nothing was: so the pace soon doubles', () => {
    const { clock, perSecond } = refuseAtOnce(0, 51);
    clock.now += 25_000;
    expect(perSecond()).toBeGreaterThan(30);
  });
});

describe('once more, while the pace is kept,', () => {
  /** Has Telegram take so many messages within a second, of ninety that there is room for, and so many chats object. */
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
    ['one chat alone', 80, 1],
    ['two, as Telegram has taken much less than there is room for', 66, 2],
    ['a handful, as Telegram has taken much less', 10, HANDFUL],
  ])('nothing changes: %s', (_, taken, chats) => {
    expect(objectAgain(taken, chats).perSecond()).toBeGreaterThan(90);
  });

  test.each([
    ['two, as Telegram has taken nearly as much as there is room for', 72, 2],
    ['more than a handful, however little Telegram has taken', 40, HANDFUL + 1],
  ])('it falls anew: %s', (_, taken, chats) => {
    const found = objectAgain(taken, chats).perSecond();
    expect(found).toBeGreaterThan(taken * 0.85);
    expect(found).toBeLessThan(taken * 0.97);
  });

  test('and what has proved it before proves nothing more', () => {
    const { clock, refuse, perSecond } = objectAgain(40, HANDFUL + 1);
    for (let count = 0; count < HANDFUL; count += 1) {
      expect(refuse()).toBe(0);
      clock.now += 50;
    }
    clock.now += 1_000;
    expect(perSecond()).toBeGreaterThan(30);
  });
});
