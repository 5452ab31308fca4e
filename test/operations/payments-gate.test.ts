import { expect, test, vi } from 'vitest';
import type { ContinuityWatch } from '../../src/operations/continuity.ts';
import type { Maintenance } from '../../src/operations/maintenance.ts';
import { closedTo, createPaymentsGate } from '../../src/operations/payments-gate.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Durability } from '../../src/platform/storage.ts';

const NOT_DURABLE: Durability = { durable: false, why: 'appendonly is off' };
const NEVER = { find: async () => undefined };
const OFF = { by: 'storage', why: 'appendonly is off' };

function openGate(found: Durability) {
  const clock = { now: 1_000 };
  const obstacle = vi.fn<ContinuityWatch['obstacle']>(async () => undefined);
  const find = vi.fn<Maintenance['find']>(async () => undefined);
  const durability = vi.fn(async () => found);
  return {
    clock,
    durability,
    find,
    obstacle,
    paymentsGate: createPaymentsGate({
      storage: { durability },
      volatile: false,
      continuity: { obstacle },
      maintenance: { find },
      now: () => clock.now,
    }),
  };
}

test('is closed with a reason while the storage is not durable', async () => {
  const { paymentsGate } = openGate(NOT_DURABLE);
  expect(await paymentsGate.closed()).toEqual(OFF);
});

test('opens on a volatile storage only if that is allowed', async () => {
  const continuity = { obstacle: async () => undefined };
  const deps = { storage: createMemoryStorage(), continuity, maintenance: NEVER, now: Date.now };
  expect(await createPaymentsGate({ ...deps, volatile: true }).closed()).toBeUndefined();
  expect(await createPaymentsGate({ ...deps, volatile: false }).closed()).toMatchObject({
    why: expect.stringMatching(/memory/),
  });
});

test('opens within seconds after the storage has become durable', async () => {
  const { paymentsGate, durability, clock } = openGate(NOT_DURABLE);
  await paymentsGate.closed();
  durability.mockResolvedValue({ durable: true });
  clock.now += 5_000;
  expect(await paymentsGate.closed()).toBeUndefined();
});

test('checks a durable storage again after a minute', async () => {
  const { paymentsGate, durability, clock } = openGate({ durable: true });
  await paymentsGate.closed();
  clock.now += 59_999;
  await paymentsGate.closed();
  expect(durability).toHaveBeenCalledOnce();
  durability.mockResolvedValue(NOT_DURABLE);
  clock.now += 1;
  expect(await paymentsGate.closed()).toEqual(OFF);
});

test('checks the storage at once before a claim', async () => {
  const { paymentsGate, durability } = openGate({ durable: true });
  await paymentsGate.closed();
  durability.mockResolvedValue(NOT_DURABLE);
  expect(await paymentsGate.closed()).toBeUndefined();
  expect(await paymentsGate.closedNow()).toEqual(OFF);
  expect(await paymentsGate.closed()).toEqual(OFF);
});

test('takes no payments while the continuity of the data is in doubt', async () => {
  const { paymentsGate, obstacle } = openGate({ durable: true });
  const lost = { by: 'data-lost', why: 'the storage lost its data a moment ago' } as const;
  obstacle.mockResolvedValue(lost);
  for (const ask of [paymentsGate.closed, paymentsGate.closedNow]) expect(await ask()).toEqual(lost);
  obstacle.mockResolvedValue(undefined);
  expect(await paymentsGate.closed()).toBeUndefined();
});

test('rejects if the storage cannot be checked', async () => {
  const { paymentsGate, durability } = openGate({ durable: true });
  durability.mockRejectedValue(new Error('away'));
  await expect(paymentsGate.closed()).rejects.toThrow('away');
});

test('is closed during maintenance, which it checks each time, also with volatile storage', async () => {
  for (const volatile of [true, false]) {
    const { find, durability, obstacle, clock } = openGate({ durable: true });
    const paymentsGate = createPaymentsGate({
      ...{ storage: { durability }, volatile, maintenance: { find } },
      continuity: { obstacle },
      now: () => clock.now,
    });
    for (const ask of [paymentsGate.closed, paymentsGate.closedNow]) {
      expect(await ask()).toBeUndefined();
      find.mockResolvedValueOnce({ since: 1, admin: 504 });
      expect(await ask()).toMatchObject({ by: 'maintenance' });
    }
  }
});

test('closes during maintenance to all but what only ends costs, which a storage that loses data refuses too', async () => {
  const { paymentsGate, find, durability } = openGate({ durable: true });
  find.mockResolvedValue({ since: 1, admin: 504 });
  const asked = async (ends: boolean) =>
    closedTo({ onlyEndsCosts: () => ends }, { kind: 'any' }, await paymentsGate.closedNow());
  expect(await asked(false)).toMatchObject({ by: 'maintenance' });
  expect(await asked(true)).toBeUndefined();
  durability.mockResolvedValue(NOT_DURABLE);
  expect(await asked(true)).toEqual(OFF);
});

test('rejects if the maintenance state cannot be read', async () => {
  const { paymentsGate, find } = openGate({ durable: true });
  find.mockRejectedValue(new Error('away'));
  await expect(paymentsGate.closedNow()).rejects.toThrow('away');
});
