import { expect, test, vi } from 'vitest';
import { createPaymentsGate } from '../../src/operations/payments-gate.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { Durability } from '../../src/storage/storage.ts';

const FORGETFUL: Durability = { durable: false, why: 'appendonly is off' };

function tillOver(found: Durability) {
  const clock = { now: 1_000 };
  const durability = vi.fn(async () => found);
  return {
    clock,
    durability,
    paymentsGate: createPaymentsGate({ storage: { durability }, volatile: false, now: () => clock.now }),
  };
}

test('nothing is taken while the storage would forget, and the till says why', async () => {
  const { paymentsGate } = tillOver(FORGETFUL);
  expect(await paymentsGate.closed()).toBe('appendonly is off');
});

test('a storage that forgets opens it only where that was allowed', async () => {
  const storage = createMemoryStorage();
  expect(await createPaymentsGate({ storage, volatile: true, now: Date.now }).closed()).toBeUndefined();
  expect(await createPaymentsGate({ storage, volatile: false, now: Date.now }).closed()).toMatch(/memory/);
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

test('a storage that cannot be asked takes nothing', async () => {
  const { paymentsGate, durability } = tillOver({ durable: true });
  durability.mockRejectedValue(new Error('away'));
  await expect(paymentsGate.closed()).rejects.toThrow('away');
});
