import { expect, test } from 'vitest';
import { createLookedStore } from '../../src/account-events/poll-schedule.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START } from '../operations/operations-setup.ts';
import { DAY } from './poller-setup.ts';

const REF = { account: 1001, name: 'deposits' } as const;
const LOOKED = { since: 1, at: 2, known: ['7:confirmed'], quiet: 3, awaited: 4, failed: 5 };

function openLooked() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  return { clock, storage, looked: createLookedStore({ storage }) };
}

test('reads what it stored for the same account and name only', async () => {
  const { looked } = openLooked();
  await looked.write(REF, LOOKED);
  expect(await looked.read(REF)).toEqual(LOOKED);
  expect(await looked.read({ ...REF, account: 1002 })).toBeUndefined();
  expect(await looked.read({ ...REF, name: 'withdrawals' })).toBeUndefined();
});

test('distinguishes a failed first poll from an empty list', async () => {
  const { looked } = openLooked();
  const { known: _, ...unseen } = LOOKED;
  await looked.write(REF, unseen);
  expect(await looked.read(REF)).toEqual(unseen);
  await looked.write(REF, { ...LOOKED, known: [] });
  expect((await looked.read(REF))?.known).toEqual([]);
});

test('removes a state on request, and after forty days without a poll', async () => {
  const { looked, clock, storage } = openLooked();
  await looked.write(REF, LOOKED);
  await looked.forget(REF);
  expect(await storage.keys('')).toEqual([]);
  await looked.write(REF, LOOKED);
  clock.now += 40 * DAY;
  expect(await looked.read(REF)).toBeUndefined();
});

test.each(['', 'null', '{}', '{"since":"x"}', 'not JSON'])(
  'treats an unreadable state as missing: %s',
  async (text) => {
    const { looked, storage } = openLooked();
    await storage.set('looked:1001:deposits', text);
    expect(await looked.read(REF)).toBeUndefined();
  },
);
