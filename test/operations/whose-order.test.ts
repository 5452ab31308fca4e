import { describe, expect, test } from 'vitest';
import type { Rental } from '../../src/rental-api/client.ts';
import { eventually } from '../support/eventually.ts';
import { ENERGY, FILLED, failing, openRoom, type Room } from './operations-setup.ts';
import { ACCOUNT, accepted, logged, ORDER, orderOf } from './rental-stand-in.ts';

const ANSWER = { kind: 'accepted', value: { order: ORDER, status: 'pending', price: '2.32' } } as const;

/** Returns what the user was shown of one operation. */
const shownOf = (room: Room, { id }: { id: string }) =>
  room.show.mock.calls.map(([operation]) => operation).filter((operation) => operation.id === id);

/** Creates a purchase whose request is under way until `answer` is called. */
async function underWay(room: Room) {
  const operation = await room.claimed();
  let answer = (_: Awaited<ReturnType<Rental['buyEnergy']>>) => {};
  room.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const asked = room.rental.buyEnergy.mock.calls.length;
  const attended = room.advance(operation);
  await eventually(() => expect(room.rental.buyEnergy.mock.calls.length).toBe(asked + 1));
  return { operation, attended, answer: (value: Parameters<typeof answer>[0]) => answer(value) };
}

describe('evidence', () => {
  test('waits for another attempt that may own it, and is used once that is done', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    const going = await underWay(room);
    room.rental.webhookLogs.mockImplementation(async () => accepted([logged(ORDER, room.clock.now)]));
    await room.pass(6_000);
    expect(room.rental.webhookLogs).toHaveBeenCalled();
    expect(await room.read(unknown)).toMatchObject({ state: 'unknown' });
    going.answer(orderOf({ order_id: ORDER + 1 }));
    await going.attended;
    await room.pass(30_000);
    expect(await room.read(unknown)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await room.read(going.operation)).toMatchObject({ state: 'done', result: { order: ORDER + 1 } });
  });

  test("belongs to the other attempt if that one's response names it", async () => {
    const room = openRoom();
    const unknown = await room.lost();
    const going = await underWay(room);
    room.rental.webhookLogs.mockImplementation(async () => accepted([logged(ORDER, room.clock.now)]));
    await room.pass(6_000);
    going.answer(orderOf());
    await going.attended;
    await room.pass(30_000);
    expect(await room.read(unknown)).toMatchObject({ state: 'unknown' });
    expect(shownOf(room, unknown).map(({ state }) => state)).not.toContain('done');
    expect(await room.read(going.operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('does not wait for an attempt that it cannot match', async () => {
    const room = openRoom();
    const going = await underWay(room);
    const other = await room.lost({ request: { ...ENERGY, energy_amount: 131_000 } });
    const entry = { data: { energy_amount: 131_000 } };
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, room.clock.now, entry)]));
    await room.pass(6_000);
    expect(await room.read(other)).toMatchObject({ state: 'done', result: { order: ORDER } });
    going.answer(orderOf());
    await going.attended;
  });
});

describe('a purchase that loses its order to another one', () => {
  async function reopened() {
    const room = openRoom();
    const other = await room.lost();
    room.clock.now += 1_000;
    const operation = await room.orphaned();
    await room.pass(15_000);
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, at: room.clock.now });
    expect(shownOf(room, other).at(-1)).toMatchObject({ state: 'done', late: true });
    await room.operations.settlement.settle(await room.stored(operation), ANSWER);
    return { room, other };
  }

  test('becomes unknown again without its previous result', async () => {
    const { room, other } = await reopened();
    const { state, result, settledAt } = await room.read(other);
    expect({ state, result, settledAt }).toEqual({ state: 'unknown' });
  });

  test('notifies its user with a follow-up, which stays the latest state', async () => {
    const { room, other } = await reopened();
    await room.pass(6_000);
    const shown = shownOf(room, other);
    const again = shown.slice(shown.findLastIndex(({ state }) => state === 'done') + 1);
    expect(again[0]).toMatchObject({ state: 'unknown', late: true });
    expect(shown.at(-1)).toMatchObject({ state: 'unknown' });
    const { notified, revision } = await room.read(other);
    expect(notified).toBe(revision);
  });

  test('is searched for again and settled by its own order', async () => {
    const { room, other } = await reopened();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1, at: room.clock.now });
    expect(await room.read(other)).toMatchObject({
      state: 'done',
      result: { order: ORDER + 1 },
      late: false,
    });
    expect(shownOf(room, other).at(-1)).toMatchObject({ state: 'done', late: true });
  });

  test('becomes unknown also after a storage failure between the two writes', async () => {
    const room = openRoom();
    const other = await room.lost();
    room.clock.now += 1_000;
    const operation = await room.orphaned();
    await room.pass(15_000);
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, at: room.clock.now });
    let refused = 0;
    const own = room.replica(
      failing(
        room.storage,
        ({ method, key }) => method === 'replace' && key.endsWith(other.id) && refused++ === 0,
      ),
    );
    const settle = async () => own.settlement.settle(await room.stored(operation), ANSWER);
    await expect(settle()).rejects.toThrow('the storage is away');
    await settle();
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await room.read(other)).toMatchObject({ state: 'unknown' });
  });
});

test('late evidence does not bind another order to a settled operation', async () => {
  const room = openRoom();
  const operation = await room.orphaned();
  await room.pass(15_000);
  const asItWas = await room.stored(operation);
  await room.operations.settlement.settle(asItWas, ANSWER);
  const found = { ...FILLED, order: ORDER + 1 };
  await room.operations.settlement.conclude(
    asItWas,
    { kind: 'strong', result: { order: found.order, status: found.status } },
    false,
  );
  await room.operations.settlement.report(ACCOUNT, { ...found, status: 'failed' });
  expect(await room.read(operation)).toMatchObject({
    state: 'done',
    result: { order: ORDER, status: 'pending' },
  });
});

test('evidence that is bound during the response is released and settles another operation', async () => {
  const room = openRoom();
  const operation = await room.orphaned();
  await room.pass(15_000);
  const asItWas = await room.stored(operation);
  const { add } = room.storage;
  const own = room.replica({
    ...room.storage,
    async add(key, value, lifetime) {
      const added = await add(key, value, lifetime);
      if (key.startsWith('order:')) await room.operations.settlement.settle(asItWas, ANSWER);
      return added;
    },
  });
  const found = { ...FILLED, order: ORDER + 1 };
  expect(
    await own.settlement.conclude(
      asItWas,
      { kind: 'strong', result: { order: found.order, status: found.status } },
      false,
    ),
  ).toBeUndefined();
  const other = await room.lost();
  await room.operations.settlement.report(ACCOUNT, { ...found, at: room.clock.now });
  expect(await room.read(other)).toMatchObject({ state: 'done', result: { order: ORDER + 1 } });
  expect(await room.read(operation)).toMatchObject({
    state: 'done',
    result: { order: ORDER, status: 'pending' },
  });
});

test('a repeated event settles an operation after a failure between binding and settling', async () => {
  const room = openRoom();
  const operation = await room.lost();
  const own = room.replica(
    failing(room.storage, ({ method, key }) => method === 'replace' && key.startsWith('operation:')),
  );
  await expect(own.settlement.report(ACCOUNT, FILLED)).rejects.toThrow('the storage is away');
  await room.operations.settlement.report(ACCOUNT, FILLED);
  expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
});
