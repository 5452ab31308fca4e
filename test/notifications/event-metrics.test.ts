import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEventMetrics } from '../../src/notifications/event-metrics.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { failing, START } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';

function openEventMetrics() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const calls: string[] = [];
  let isAway = false;
  const own = failing(storage, ({ method }) => {
    calls.push(method);
    return isAway;
  });
  const replica = () => createEventMetrics({ records: signedRecords(own), now: () => clock.now });
  return {
    ...{ clock, replica, eventMetrics: replica() },
    written: () => calls.filter((method) => method !== 'get').length,
    away(now: boolean) {
      isAway = now;
    },
  };
}

test('returns zeros for a day without events', async () => {
  const { eventMetrics } = openEventMetrics();
  expect(await eventMetrics.readDay(START)).toEqual({
    ...{ received: 0, recovered: 0, duplicates: 0 },
    rejected: { hook: 0, rate: 0, size: 0, signature: 0, body: 0, old: 0, storage: 0 },
    ...{ handledMs: undefined, sentMs: undefined, events: [], rejections: [] },
  });
});

test('adds up the counts of all replicas by kind', async () => {
  const { eventMetrics, replica, clock } = openEventMetrics();
  const other = replica();
  for (const one of [eventMetrics, other]) {
    one.eventReceived(ACCOUNT, 'order.filled', 'webhook');
    one.eventReceived(ACCOUNT, 'order.filled', 'duplicate');
    one.eventReceived(ACCOUNT, 'deposit.confirmed', 'log');
    one.requestRejected('signature');
    clock.now += 1;
  }
  eventMetrics.requestRejected('rate');
  await eventMetrics.readDay(clock.now);
  const day = await other.readDay(clock.now);
  expect(day).toMatchObject({ received: 2, duplicates: 2, recovered: 2 });
  expect(day.rejected).toMatchObject({ signature: 2, rate: 1, hook: 0 });
  expect(day.events.map(({ type, source }) => `${type} ${source}`).sort()).toEqual([
    ...['deposit.confirmed log', 'deposit.confirmed log'],
    ...['order.filled webhook', 'order.filled webhook'],
  ]);
});

test('keeps the latest ten events and the latest ten rejections', async () => {
  const { eventMetrics, clock } = openEventMetrics();
  for (let n = 0; n < 25; n++) {
    eventMetrics.eventReceived(ACCOUNT + n, 'order.filled', 'webhook');
    eventMetrics.requestRejected('hook');
    clock.now += 1_000;
    await settled();
  }
  const { events, rejections, received } = await eventMetrics.readDay(START);
  expect(received).toBe(25);
  expect(events.map(({ account }) => account - ACCOUNT)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  expect(rejections.map(({ at }) => (at - START) / 1_000)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
});

test('writes at most once in five seconds during a flood of rejections, without losing any', async () => {
  const { eventMetrics, clock, written } = openEventMetrics();
  for (let n = 0; n < 10_000; n++) {
    eventMetrics.requestRejected('rate');
    clock.now += 1;
    if (n % 100 === 0) await settled();
  }
  await settled();
  expect(written()).toBe(2);
  expect((await eventMetrics.readDay(clock.now)).rejected.rate).toBe(10_000);
});

test('counts each day (UTC) separately and keeps yesterday’s counts', async () => {
  const { eventMetrics, clock } = openEventMetrics();
  eventMetrics.eventReceived(ACCOUNT, 'order.filled', 'webhook');
  await settled();
  clock.now += DAY_MS;
  expect(await eventMetrics.readDay(clock.now)).toMatchObject({ received: 0 });
  expect(await eventMetrics.readDay(START)).toMatchObject({ received: 1 });
  clock.now += 3 * DAY_MS;
  expect(await eventMetrics.readDay(START)).toMatchObject({ received: 0 });
});

describe('delays', () => {
  const FAST = Array.from({ length: 98 }, () => 1);
  const MOST = Number.MAX_SAFE_INTEGER;
  test.each([
    ['one event', [80], { median: 100, p99: 100 }],
    ['exactly a bucket’s limit', [500], { median: 500, p99: 500 }],
    ['half of the events', [80, 80, 900, 900], { median: 100, p99: 1_000 }],
    ['one slow event among a hundred', [...FAST, 1, 20_000], { median: 100, p99: 100 }],
    ['two slow events among a hundred', [...FAST, 20_000, 200_000], { median: 100, p99: 30_000 }],
    ['longer than the largest bucket', [DAY_MS], { median: MOST, p99: MOST }],
    ['a clock that was set back', [-5], { median: 100, p99: 100 }],
  ])('%s', async (_, delays, spread) => {
    const { eventMetrics } = openEventMetrics();
    for (const ms of delays) eventMetrics.eventHandled(ms);
    expect(await eventMetrics.readDay(START)).toMatchObject({ handledMs: spread, sentMs: undefined });
  });

  test('counts the delays of handling and of notifying separately', async () => {
    const { eventMetrics } = openEventMetrics();
    eventMetrics.eventHandled(1);
    eventMetrics.notificationSent(2_000);
    expect(await eventMetrics.readDay(START)).toMatchObject({
      handledMs: { median: 100, p99: 100 },
      sentMs: { median: 5_000, p99: 5_000 },
    });
  });
});

/** Opens replicas on one storage, which can fail. */
function openReplicas() {
  vi.useFakeTimers({ now: START });
  onTestFinished(() => void vi.useRealTimers());
  const now = () => Date.now();
  const state = { away: false };
  const storage = failing(createMemoryStorage({ now }), () => state.away);
  const replica = () => createEventMetrics({ records: signedRecords(storage), now });
  return { state, replica, here: replica(), there: replica() };
}

test('writes its counts when it is closed', async () => {
  const { here, there } = openReplicas();
  for (const reason of ['body', 'old'] as const) here.requestRejected(reason);
  await here.close();
  expect(await there.readDay(START)).toMatchObject({ rejected: { body: 1, old: 1 } });
});

test('counts events rejected during a storage failure once it recovers', async () => {
  const { state, here, there } = openReplicas();
  state.away = true;
  for (let times = 0; times < 4; times += 1) {
    here.requestRejected('storage');
    await vi.advanceTimersByTimeAsync(6_000);
  }
  await expect(there.readDay(START)).rejects.toThrow();
  state.away = false;
  await vi.advanceTimersByTimeAsync(10_000);
  const { rejected, rejections } = await there.readDay(START);
  expect(rejected.storage).toBe(4);
  expect(rejections.map(({ at }) => at - START)).toEqual([0, 6_000, 12_000, 18_000]);
});
