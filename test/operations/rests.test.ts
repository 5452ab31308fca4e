import { expect, test, vi } from 'vitest';
import { createKinds, KINDS } from '../../src/operations/kinds/kinds.ts';
import { createRests } from '../../src/operations/rests.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { ACCOUNT } from './rental-stand-in.ts';
import { ENERGY, START, WITHDRAWAL } from './room.ts';

const MINUTE = 60_000;
const withdrawal = { account: ACCOUNT, request: WITHDRAWAL };
const purchase = { account: ACCOUNT, request: ENERGY };

/** Two processes on one storage, each with a clock of its own. */
function openRests() {
  const storage = createMemoryStorage({ now: () => START });
  const clocks = { here: START, there: START };
  const rests = (whose: keyof typeof clocks) =>
    createRests({ storage, kinds: createKinds(KINDS), now: () => clocks[whose] });
  return { storage, clocks, here: rests('here'), there: rests('there') };
}

test('where nothing was sent before, nothing has to wait', async () => {
  const { here } = openRests();
  expect(await here.left(withdrawal)).toBe(0);
});

test('what was sent has its kind wait for a minute, and its account alone', async () => {
  const { clocks, here } = openRests();
  await here.begin(withdrawal);
  clocks.here += 20_000;
  expect(await here.left(withdrawal)).toBe(40_000);
  expect(await here.left({ ...withdrawal, account: ACCOUNT + 1 })).toBe(0);
  expect(await here.left(purchase)).toBe(0);
});

test.each([
  ['behind', -5 * MINUTE, MINUTE],
  ['ahead', 5 * MINUTE, 0],
])(
  'a process whose clock is %s waits no longer than that, and no shorter than not at all',
  async (_, by, ms) => {
    const { clocks, here, there } = openRests();
    await here.begin(withdrawal);
    clocks.there += by;
    expect(await there.left(withdrawal)).toBe(ms);
  },
);

test('of what may follow at once nothing is kept, and nobody is asked', async () => {
  const { storage, here } = openRests();
  const get = vi.spyOn(storage, 'get');
  await here.begin(purchase);
  expect(await here.left(purchase)).toBe(0);
  expect([get.mock.calls, await storage.keys('')]).toEqual([[], []]);
});
