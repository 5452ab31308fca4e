import { expect, test, vi } from 'vitest';
import { createKinds, KINDS } from '../../src/operations/kinds/kinds.ts';
import { createCooldowns } from '../../src/operations/preflight.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';
import { ENERGY, START, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const MINUTE = 60_000;
const withdrawal = { account: ACCOUNT, request: WITHDRAWAL };
const purchase = { account: ACCOUNT, request: ENERGY };

/** Opens the cooldowns of two processes on one storage, each with its own clock. */
function openCooldowns() {
  const storage = createMemoryStorage({ now: () => START });
  const clocks = { here: START, there: START };
  const cooldownsOf = (whose: keyof typeof clocks) =>
    createCooldowns({ records: signedRecords(storage), kinds: createKinds(KINDS), now: () => clocks[whose] });
  return { storage, clocks, here: cooldownsOf('here'), there: cooldownsOf('there') };
}

test('is over if nothing was sent before', async () => {
  const { here } = openCooldowns();
  expect(await here.remainingMs(withdrawal)).toBe(0);
});

test('lasts a minute for the same kind and account', async () => {
  const { clocks, here } = openCooldowns();
  await here.begin(withdrawal);
  clocks.here += 20_000;
  expect(await here.remainingMs(withdrawal)).toBe(40_000);
  expect(await here.remainingMs({ ...withdrawal, account: ACCOUNT + 1 })).toBe(0);
  expect(await here.remainingMs(purchase)).toBe(0);
});

test.each([
  ['behind', -5 * MINUTE, MINUTE],
  ['ahead', 5 * MINUTE, 0],
])('lasts between zero and one minute for a process whose clock is %s', async (_, by, ms) => {
  const { clocks, here, there } = openCooldowns();
  await here.begin(withdrawal);
  clocks.there += by;
  expect(await there.remainingMs(withdrawal)).toBe(ms);
});

test('stores and reads nothing for a kind without a cooldown', async () => {
  const { storage, here } = openCooldowns();
  const get = vi.spyOn(storage, 'get');
  await here.begin(purchase);
  expect(await here.remainingMs(purchase)).toBe(0);
  expect([get.mock.calls, await storage.keys('')]).toEqual([[], []]);
});
