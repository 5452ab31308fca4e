import { expect, test } from 'vitest';
import { createPollSchedule } from '../../src/invoices/polling.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';

test('returns the age of the most overdue read of any account and priority', async () => {
  const clock = { now: 1_000_000 };
  const lookIndex = createPollSchedule({ storage: createMemoryStorage({ now: () => clock.now }) });
  const ref = (id: string) => ({ user: 9, id });
  expect(await lookIndex.overdueMs()).toBeUndefined();
  await lookIndex.schedule(1, ref('a'), { inMs: 60_000, isPriority: true });
  await lookIndex.schedule(2, ref('b'), { inMs: 30_000, isPriority: false });
  expect(await lookIndex.overdueMs()).toBeUndefined();
  clock.now += 65_000;
  expect(await lookIndex.overdueMs()).toBe(35_000);
  await lookIndex.remove(2, ref('b'));
  expect(await lookIndex.overdueMs()).toBe(5_000);
});
