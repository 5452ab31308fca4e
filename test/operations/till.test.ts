import { expect, test, vi } from 'vitest';
import { createTill } from '../../src/operations/till.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { Durability } from '../../src/storage/storage.ts';

const FORGETFUL: Durability = { durable: false, why: 'appendonly is off' };

function tillOver(found: Durability) {
  const clock = { now: 1_000 };
  const durability = vi.fn(async () => found);
  return {
    clock,
    durability,
    till: createTill({ storage: { durability }, volatile: false, now: () => clock.now }),
  };
}

test('nothing is taken while the storage would forget, and the till says why', async () => {
  const { till } = tillOver(FORGETFUL);
  expect(await till.closed()).toBe('appendonly is off');
});

test('a storage that forgets opens it only where that was allowed', async () => {
  const storage = createMemoryStorage();
  expect(await createTill({ storage, volatile: true, now: Date.now }).closed()).toBeUndefined();
  expect(await createTill({ storage, volatile: false, now: Date.now }).closed()).toMatch(/memory/);
});

test('it opens within seconds once the storage keeps what it is told', async () => {
  const { till, durability, clock } = tillOver(FORGETFUL);
  await till.closed();
  durability.mockResolvedValue({ durable: true });
  clock.now += 5_000;
  expect(await till.closed()).toBeUndefined();
});

test('a durable storage is trusted for a minute, and then looked at again', async () => {
  const { till, durability, clock } = tillOver({ durable: true });
  await till.closed();
  clock.now += 59_999;
  await till.closed();
  expect(durability).toHaveBeenCalledOnce();
  durability.mockResolvedValue(FORGETFUL);
  clock.now += 1;
  expect(await till.closed()).toBe('appendonly is off');
});

test('a storage that cannot be asked takes nothing', async () => {
  const { till, durability } = tillOver({ durable: true });
  durability.mockRejectedValue(new Error('away'));
  await expect(till.closed()).rejects.toThrow('away');
});
