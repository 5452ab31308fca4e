import { expect, test, vi } from 'vitest';
import { createPaymentsGate } from '../../src/operations/payments-gate.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { Durability } from '../../src/storage/storage.ts';

const FORGETFUL: Durability = { durable: false, why: 'appendonly is off' };

function tillOver(found: Durability) {
  const clock = { now: 1_000, lost: false };
  const durability = vi.fn(async () => found);
  return {
    clock,
    durability,
    paymentsGate: createPaymentsGate({
      storage: { durability },
      volatile: false,
      lost: async () => clock.lost,
      now: () => clock.now,
    }),
  };
}

test('nothing is taken while the storage would forget, and the till says why', async () => {
  const { paymentsGate } = tillOver(FORGETFUL);
  expect(await paymentsGate.closed()).toBe('appendonly is off');
});

test('a storage that forgets opens it only where that was allowed', async () => {
  const deps = { storage: createMemoryStorage(), lost: async () => false, now: Date.now };
  expect(await createPaymentsGate({ ...deps, volatile: true }).closed()).toBeUndefined();
  expect(await createPaymentsGate({ ...deps, volatile: false }).closed()).toMatch(/memory/);
});

test('it opens within seconds once the storage keeps what it is told', async () => {
  const { paymentsGate, durability, clock } = tillOver(FORGETFUL);
  await paymentsGate.closed();
  durability.mockResolvedValue({ durable: true });
  clock.now += 5_000;
  expect(await paymentsGate.closed()).toBeUndefined();
});

test('a durable storage is trusted for a minute, and then looked at again', async () => {
  const { paymentsGate, durability, clock } = tillOver({ durable: true });
  await paymentsGate.closed();
  clock.now += 59_999;
  await paymentsGate.closed();
  expect(durability).toHaveBeenCalledOnce();
  durability.mockResolvedValue(FORGETFUL);
  clock.now += 1;
  expect(await paymentsGate.closed()).toBe('appendonly is off');
});

test('before a claim it is asked at that moment, however much it was trusted just before', async () => {
  const { paymentsGate, durability } = tillOver({ durable: true });
  await paymentsGate.closed();
  durability.mockResolvedValue(FORGETFUL);
  expect(await paymentsGate.closed()).toBeUndefined();
  expect(await paymentsGate.closedNow()).toBe('appendonly is off');
  expect(await paymentsGate.closed()).toBe('appendonly is off');
});

test('nothing is taken while a durable storage has lost its data, and the till says why', async () => {
  const { paymentsGate, clock } = tillOver({ durable: true });
  clock.lost = true;
  expect(await paymentsGate.closed()).toContain('lost its data');
  clock.lost = false;
  expect(await paymentsGate.closed()).toBeUndefined();
});

test('a storage that cannot be asked takes nothing', async () => {
  const { paymentsGate, durability } = tillOver({ durable: true });
  durability.mockRejectedValue(new Error('away'));
  await expect(paymentsGate.closed()).rejects.toThrow('away');
});
