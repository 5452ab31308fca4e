import { expect, test, vi } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { CARD, openOn, START, setUpOperations, USER } from './operations-setup.ts';

const MINUTE = 60_000;

/** Opens a replica that hands out due operations and executes nothing itself. */
function openReconciler() {
  const setup = setUpOperations();
  const enqueue = vi.fn(async (_: OperationRef) => {});
  return { setup, enqueue, run: setup.replica(setup.storage, setup.show, enqueue).reconciler.run };
}

test('hands out a due operation again after ten seconds', async () => {
  const { setup, enqueue, run } = openReconciler();
  const { id } = await setup.claimed();
  await run();
  expect(enqueue).not.toHaveBeenCalled();
  setup.clock.now = START + 3_000;
  await run();
  expect(enqueue.mock.calls).toEqual([[{ user: USER, id }]]);
  setup.clock.now += 9_999;
  await run();
  expect(enqueue).toHaveBeenCalledTimes(1);
  setup.clock.now += 1;
  await run();
  expect(enqueue).toHaveBeenCalledTimes(2);
});

test('two reconcilers do not enqueue the same operation within ten seconds', async () => {
  const { setup, enqueue, run } = openReconciler();
  await setup.claimed();
  const other = vi.fn(async (_: OperationRef) => {});
  const second = setup.replica(setup.storage, setup.show, other).reconciler;
  setup.clock.now = START + 3_000;
  await run();
  await second.run();
  expect([enqueue.mock.calls.length, other.mock.calls.length]).toEqual([1, 0]);
  setup.clock.now += 10_000;
  await second.run();
  await run();
  expect([enqueue.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
});

test('hands out a thousand due operations in one run, each once', async () => {
  const { setup, enqueue, run } = openReconciler();
  const orphans = Array.from({ length: 1_000 }, (_, n) => ({ user: n, id: `ORPHAN${n}` }));
  for (const { user, id } of orphans) {
    await setup.storage.index.scheduleIn('operations:due', `${user}/${id}`, -1);
  }
  let atOnce = 0;
  let most = 0;
  enqueue.mockImplementation(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
  });
  await run();
  const enqueued = enqueue.mock.calls.map(([ref]) => ref);
  expect(enqueued.toSorted((a, b) => a.user - b.user)).toEqual(orphans);
  expect(most).toBeLessThanOrEqual(100);
  await run();
  expect(enqueue).toHaveBeenCalledTimes(1_000);
});

test('hands out a searched operation again after ten seconds if its process died', async () => {
  const { setup, enqueue, run } = openReconciler();
  const operation = await setup.lost();
  setup.rental.webhookLogs.mockRejectedValueOnce(new Error('the process ends'));
  await expect(setup.advance(operation)).rejects.toThrow('the process ends');
  setup.clock.now += 9_999;
  await run();
  expect(enqueue).not.toHaveBeenCalled();
  setup.clock.now += 1;
  await run();
  expect(enqueue).toHaveBeenCalledOnce();
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
