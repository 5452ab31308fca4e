import { describe, expect, test } from 'vitest';
import { createTally } from '../../src/notifications/metrics.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { failing, START } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { settled } from '../support/settled.ts';

const DAY_MS = 24 * 3600_000;

function openTally() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const calls: string[] = [];
  let isAway = false;
  const own = failing(storage, ({ method }) => {
    calls.push(method);
    return isAway;
  });
  const replica = () => createTally({ storage: own, now: () => clock.now });
  return {
    ...{ clock, replica, tally: replica() },
    written: () => calls.filter((method) => method !== 'get').length,
    away(now: boolean) {
      isAway = now;
    },
  };
}

test('returns zeros for a day without events', async () => {
  const { tally } = openTally();
  expect(await tally.day(START)).toEqual({
    ...{ taken: 0, missed: 0, copies: 0 },
    refused: { hook: 0, rate: 0, size: 0, signature: 0, body: 0, old: 0, storage: 0 },
    ...{ handledMs: undefined, toldMs: undefined, events: [], refusals: [] },
  });
});

test('adds up the counts of all replicas by kind', async () => {
  const { tally, replica, clock } = openTally();
  const other = replica();
  for (const one of [tally, other]) {
    one.came(ACCOUNT, 'order.filled', 'sent');
    one.came(ACCOUNT, 'order.filled', 'copy');
    one.came(ACCOUNT, 'deposit.confirmed', 'logged');
    one.refused('signature');
    clock.now += 1;
  }
  tally.refused('rate');
  await tally.day(clock.now);
  const day = await other.day(clock.now);
  expect(day).toMatchObject({ taken: 2, copies: 2, missed: 2 });
  expect(day.refused).toMatchObject({ signature: 2, rate: 1, hook: 0 });
  expect(day.events.map(({ type, how }) => `${type} ${how}`).sort()).toEqual([
    ...['deposit.confirmed logged', 'deposit.confirmed logged'],
    ...['order.filled sent', 'order.filled sent'],
  ]);
});

test('keeps the latest ten events and the latest ten rejections', async () => {
  const { tally, clock } = openTally();
  for (let n = 0; n < 25; n++) {
    tally.came(ACCOUNT + n, 'order.filled', 'sent');
    tally.refused('hook');
    clock.now += 1_000;
    await settled();
  }
  const { events, refusals, taken } = await tally.day(START);
  expect(taken).toBe(25);
  expect(events.map(({ account }) => account - ACCOUNT)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  expect(refusals.map(({ at }) => (at - START) / 1_000)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
});

test('writes at most once in five seconds during a flood of rejections, without losing any', async () => {
  const { tally, clock, written } = openTally();
  for (let n = 0; n < 10_000; n++) {
    tally.refused('rate');
    clock.now += 1;
    if (n % 100 === 0) await settled();
  }
  await settled();
  expect(written()).toBe(2);
  expect((await tally.day(clock.now)).refused.rate).toBe(10_000);
});

test('writes counts from a storage failure once it recovers', async () => {
  const { tally, clock, away } = openTally();
  away(true);
  for (let n = 0; n < 3; n++) {
    tally.refused('storage');
    clock.now += 5_000;
    await settled();
  }
  await expect(tally.day(clock.now)).rejects.toThrow('the storage is away');
  away(false);
  const { refused, refusals } = await tally.day(clock.now);
  expect([refused.storage, refusals.length]).toEqual([3, 3]);
});

test('counts each day (UTC) separately and keeps yesterday’s counts', async () => {
  const { tally, clock } = openTally();
  tally.came(ACCOUNT, 'order.filled', 'sent');
  await settled();
  clock.now += DAY_MS;
  expect(await tally.day(clock.now)).toMatchObject({ taken: 0 });
  expect(await tally.day(START)).toMatchObject({ taken: 1 });
  clock.now += 3 * DAY_MS;
  expect(await tally.day(START)).toMatchObject({ taken: 0 });
});

describe('delays', () => {
  test.each([
    ['one event', [80], { half: 100, most: 100 }],
    ['exactly a bucket’s limit', [500], { half: 500, most: 500 }],
    ['half of the events', [80, 80, 900, 900], { half: 100, most: 1_000 }],
    [
      'one slow event among a hundred',
      [...Array.from({ length: 99 }, () => 1), 20_000],
      { half: 100, most: 100 },
    ],
    [
      'two slow events among a hundred',
      [...Array.from({ length: 98 }, () => 1), 20_000, 200_000],
      { half: 100, most: 30_000 },
    ],
    [
      'longer than the largest bucket',
      [DAY_MS],
      { half: Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER },
    ],
    ['a clock that was set back', [-5], { half: 100, most: 100 }],
  ])('%s', async (_, delays, spread) => {
    const { tally } = openTally();
    for (const ms of delays) tally.handled(ms);
    expect(await tally.day(START)).toMatchObject({ handledMs: spread, toldMs: undefined });
  });

  test('counts the delays of handling and of notifying separately', async () => {
    const { tally } = openTally();
    tally.handled(1);
    tally.told(2_000);
    expect(await tally.day(START)).toMatchObject({
      handledMs: { half: 100, most: 100 },
      toldMs: { half: 5_000, most: 5_000 },
    });
  });
});

test('ignores counts that were not written by this bot', async () => {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const events = [{ at: 1e300, account: 1, type: 'x', how: 'sent' }];
  const day = new Date(START).toISOString().slice(0, 10);
  await storage.set(`events-of-day:${day}`, JSON.stringify({ counts: { sent: 1 }, events, refusals: [] }));
  const tally = createTally({ storage, now: () => clock.now });
  tally.came(ACCOUNT, 'order.filled', 'sent');
  expect(await tally.day(START)).toMatchObject({ taken: 1, events: [{ type: 'order.filled' }] });
});
