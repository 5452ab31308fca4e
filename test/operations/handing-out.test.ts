import { expect, test, vi } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { CARD, openOn, openRoom, START, USER } from './operations-setup.ts';

const MINUTE = 60_000;

/** Opens a replica that hands out due operations and executes nothing itself. */
function openHanding() {
  const room = openRoom();
  const hand = vi.fn(async (_: OperationRef) => {});
  return { room, hand, run: room.replica(room.storage, room.show, hand).reconciler.run };
}

test('hands out a due operation again after ten seconds', async () => {
  const { room, hand, run } = openHanding();
  const { id } = await room.claimed();
  await run();
  expect(hand).not.toHaveBeenCalled();
  room.clock.now = START + 3_000;
  await run();
  expect(hand.mock.calls).toEqual([[{ user: USER, id }]]);
  room.clock.now += 9_999;
  await run();
  expect(hand).toHaveBeenCalledTimes(1);
  room.clock.now += 1;
  await run();
  expect(hand).toHaveBeenCalledTimes(2);
});

test('two reconcilers do not hand out the same operation within ten seconds', async () => {
  const { room, hand, run } = openHanding();
  await room.claimed();
  const other = vi.fn(async (_: OperationRef) => {});
  const second = room.replica(room.storage, room.show, other).reconciler;
  room.clock.now = START + 3_000;
  await run();
  await second.run();
  expect([hand.mock.calls.length, other.mock.calls.length]).toEqual([1, 0]);
  room.clock.now += 10_000;
  await second.run();
  await run();
  expect([hand.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
});

test('hands out a thousand due operations in one run, each once', async () => {
  const { room, hand, run } = openHanding();
  const orphans = Array.from({ length: 1_000 }, (_, n) => ({ user: n, id: `ORPHAN${n}` }));
  for (const { user, id } of orphans) {
    await room.storage.index.putIn('operations:dueIndex', `${user}/${id}`, -1);
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
  const { room, hand, run } = openHanding();
  const operation = await room.lost();
  room.rental.webhookLogs.mockRejectedValueOnce(new Error('the process ends'));
  await expect(room.advance(operation)).rejects.toThrow('the process ends');
  room.clock.now += 9_999;
  await run();
  expect(hand).not.toHaveBeenCalled();
  room.clock.now += 1;
  await run();
  expect(hand).toHaveBeenCalledOnce();
});

test.each([0, 1, MINUTE - 1, MINUTE])(
  'refuses a claim committed %d ms after its card expired if its process died',
  async (late) => {
    const room = openRoom();
    const draft = await room.draft();
    room.clock.now = draft.expiresAt - 1;
    const decision = await room.operations.decisions.confirm(draft, CARD, openOn(draft));
    if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
    await room.pass(late + 1);
    const { key, expected, value } = decision.claim;
    expect(await room.storage.replace(key, expected, value)).toBe(true);
    await room.pass(20_000);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await room.read(draft)).toMatchObject({ state: 'refused' });
  },
);
