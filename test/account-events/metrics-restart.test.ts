import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTally } from '../../src/notifications/metrics.ts';
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
function openTallies() {
  const now = () => Date.now();
  const state = { away: false };
  const storage = failing(createMemoryStorage({ now }), () => state.away);
  const replica = () => createTally({ storage, now });
  return { state, replica, here: replica(), there: replica() };
}

test('shares counts with other replicas within five seconds', async () => {
  const { here, there } = openTallies();
  for (const id of [1, 2, 3]) here.came(ACCOUNT + id, 'order.filled', 'sent');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await there.day(START)).toMatchObject({ taken: 3, events: [{ account: ACCOUNT + 1 }, {}, {}] });
});

test('writes its counts when it is closed', async () => {
  const { here, there } = openTallies();
  for (const why of ['body', 'old'] as const) here.refused(why);
  await here.close();
  expect(await there.day(START)).toMatchObject({ refused: { body: 1, old: 1 } });
});

test('counts events rejected during a storage failure once it recovers', async () => {
  const { state, here, there } = openTallies();
  state.away = true;
  for (let times = 0; times < 4; times += 1) {
    here.refused('storage');
    await vi.advanceTimersByTimeAsync(6_000);
  }
  await expect(there.day(START)).rejects.toThrow();
  state.away = false;
  await vi.advanceTimersByTimeAsync(10_000);
  const { refused, refusals } = await there.day(START);
  expect(refused.storage).toBe(4);
  expect(refusals.map(({ at }) => at - START)).toEqual([0, 6_000, 12_000, 18_000]);
});

test('keeps the latest ten events of all replicas, whichever writes last', async () => {
  const { here, there } = openTallies();
  for (let second = 0; second < 12; second += 1) {
    const tally = second % 2 ? there : here;
    tally.came(second, 'order.filled', 'sent');
    await vi.advanceTimersByTimeAsync(100);
  }
  await there.day(START);
  const { events } = await here.day(START);
  expect(events.map(({ account }) => account)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
