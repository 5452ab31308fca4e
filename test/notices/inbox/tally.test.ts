import { describe, expect, test } from 'vitest';
import { createTally } from '../../../src/notices/inbox/tally.ts';
import { createMemoryStorage } from '../../../src/storage/memory.ts';
import { ACCOUNT } from '../../operations/rental-stand-in.ts';
import { failing, START } from '../../operations/room.ts';
import { settled } from '../../support/settled.ts';

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

test('a day on which nothing came says so', async () => {
  const { tally } = openTally();
  expect(await tally.day(START)).toEqual({
    ...{ taken: 0, missed: 0, copies: 0 },
    refused: { hook: 0, rate: 0, size: 0, signature: 0, body: 0, old: 0, storage: 0 },
    ...{ handledMs: undefined, toldMs: undefined, events: [], refusals: [] },
  });
});

test('what all replicas count adds up, each kind by itself', async () => {
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

test('of the latest ten are kept, events and refusals apart', async () => {
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

test('a flood of refusals costs one write in five seconds, and none of it is lost', async () => {
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

test('what is counted while the storage is away is counted once it is back', async () => {
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

test('each day (UTC) has counts of its own, and yesterday’s are still there', async () => {
  const { tally, clock } = openTally();
  tally.came(ACCOUNT, 'order.filled', 'sent');
  await settled();
  clock.now += DAY_MS;
  expect(await tally.day(clock.now)).toMatchObject({ taken: 0 });
  expect(await tally.day(START)).toMatchObject({ taken: 1 });
  clock.now += 3 * DAY_MS;
  expect(await tally.day(START)).toMatchObject({ taken: 0 });
});

describe('how long it took', () => {
  test.each([
    ['one', [80], { half: 100, most: 100 }],
    ['exactly at a step', [500], { half: 500, most: 500 }],
    ['half of them', [80, 80, 900, 900], { half: 100, most: 1_000 }],
    ['most of them', [...Array.from({ length: 99 }, () => 1), 20_000], { half: 100, most: 100 }],
    [
      'too many that were slow',
      [...Array.from({ length: 98 }, () => 1), 20_000, 200_000],
      { half: 100, most: 30_000 },
    ],
    ['longer than is told apart', [DAY_MS], { half: Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER }],
    ['a clock that went back', [-5], { half: 100, most: 100 }],
  ])('%s', async (_, delays, spread) => {
    const { tally } = openTally();
    for (const ms of delays) tally.handled(ms);
    expect(await tally.day(START)).toMatchObject({ handledMs: spread, toldMs: undefined });
  });

  test('until it was handled, and until it was told, are two things', async () => {
    const { tally } = openTally();
    tally.handled(1);
    tally.told(2_000);
    expect(await tally.day(START)).toMatchObject({
      handledMs: { half: 100, most: 100 },
      toldMs: { half: 5_000, most: 5_000 },
    });
  });
});

test('what somebody else has written there counts for nothing, and breaks nothing', async () => {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const events = [{ at: 1e300, account: 1, type: 'x', how: 'sent' }];
  const day = new Date(START).toISOString().slice(0, 10);
  await storage.set(`events-of-day:${day}`, JSON.stringify({ counts: { sent: 1 }, events, refusals: [] }));
  const tally = createTally({ storage, now: () => clock.now });
  tally.came(ACCOUNT, 'order.filled', 'sent');
  expect(await tally.day(START)).toMatchObject({ taken: 1, events: [{ type: 'order.filled' }] });
});
