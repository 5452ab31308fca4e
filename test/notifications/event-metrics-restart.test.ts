import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEventMetrics } from '../../src/notifications/event-metrics.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { failing, START } from '../operations/operations-setup.ts';

const ACCOUNT = 1001;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Opens replicas on one storage, which can fail. */
function openReplicas() {
  const now = () => Date.now();
  const state = { away: false };
  const storage = failing(createMemoryStorage({ now }), () => state.away);
  const replica = () => createEventMetrics({ storage, now });
  return { state, replica, here: replica(), there: replica() };
}

test('shares counts with other replicas within five seconds', async () => {
  const { here, there } = openReplicas();
  for (const id of [1, 2, 3]) here.eventReceived(ACCOUNT + id, 'order.filled', 'webhook');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await there.readDay(START)).toMatchObject({
    received: 3,
    events: [{ account: ACCOUNT + 1 }, {}, {}],
  });
});

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

test('keeps the latest ten events of all replicas, whichever writes last', async () => {
  const { here, there } = openReplicas();
  for (let second = 0; second < 12; second += 1) {
    const eventMetrics = second % 2 ? there : here;
    eventMetrics.eventReceived(second, 'order.filled', 'webhook');
    await vi.advanceTimersByTimeAsync(100);
  }
  await there.readDay(START);
  const { events } = await here.readDay(START);
  expect(events.map(({ account }) => account)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
