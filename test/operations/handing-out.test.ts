import { expect, test, vi } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { CARD, openOn, START, setUpOperations, USER } from './operations-setup.ts';

const MINUTE = 60_000;

/** Opens a replica that hands out due operations and executes nothing itself. */
function openHanding() {
  const setup = setUpOperations();
  const hand = vi.fn(async (_: OperationRef) => {});
  return { setup, hand, run: setup.replica(setup.storage, setup.show, hand).reconciler.run };
}

test('hands out a due operation again after ten seconds', async () => {
  const { setup, hand, run } = openHanding();
  const { id } = await setup.claimed();
  await run();
  expect(hand).not.toHaveBeenCalled();
  setup.clock.now = START + 3_000;
  await run();
  expect(hand.mock.calls).toEqual([[{ user: USER, id }]]);
  setup.clock.now += 9_999;
  await run();
  expect(hand).toHaveBeenCalledTimes(1);
  setup.clock.now += 1;
  await run();
  expect(hand).toHaveBeenCalledTimes(2);
});

test('two reconcilers do not hand out the same operation within ten seconds', async () => {
  const { setup, hand, run } = openHanding();
  await setup.claimed();
  const other = vi.fn(async (_: OperationRef) => {});
  const second = setup.replica(setup.storage, setup.show, other).reconciler;
  setup.clock.now = START + 3_000;
  await run();
  await second.run();
  expect([hand.mock.calls.length, other.mock.calls.length]).toEqual([1, 0]);
  setup.clock.now += 10_000;
  await second.run();
  await run();
  expect([hand.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
});

test('hands out a thousand due operations in one run, each once', async () => {
  const { setup, hand, run } = openHanding();
  const orphans = Array.from({ length: 1_000 }, (_, n) => ({ user: n, id: `ORPHAN${n}` }));
  for (const { user, id } of orphans) {
    await setup.storage.index.scheduleIn('operations:dueIndex', `${user}/${id}`, -1);
  }
  let atOnce = 0;
  let most = 0;
  hand.mockImplementation(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
  });
  await run();
  const handed = hand.mock.calls.map(([ref]) => ref);
  expect(handed.toSorted((a, b) => a.user - b.user)).toEqual(orphans);
  expect(most).toBeLessThanOrEqual(100);
  await run();
  expect(hand).toHaveBeenCalledTimes(1_000);
});

test('hands out a searched operation again after ten seconds if its process died', async () => {
  const { setup, hand, run } = openHanding();
  const operation = await setup.lost();
  setup.rental.webhookLogs.mockRejectedValueOnce(new Error('the process ends'));
  await expect(setup.advance(operation)).rejects.toThrow('the process ends');
  setup.clock.now += 9_999;
  await run();
  expect(hand).not.toHaveBeenCalled();
  setup.clock.now += 1;
  await run();
  expect(hand).toHaveBeenCalledOnce();
});

test.each([0, 1, MINUTE - 1, MINUTE])(
  'refuses a claim committed %d ms after its card expired if its process died',
  async (late) => {
    const setup = setUpOperations();
    const draft = await setup.draft();
    setup.clock.now = draft.expiresAt - 1;
    const decision = await setup.operations.decisions.confirm(draft, CARD, openOn(draft));
    if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
    await setup.pass(late + 1);
    const { key, expected, value } = decision.claim;
    expect(await setup.storage.replace(key, expected, value)).toBe(true);
    await setup.pass(20_000);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(draft)).toMatchObject({ state: 'refused' });
  },
);
