import { describe, expect, test } from 'vitest';
import { BANDWIDTH, FILLED, openRoom, type Room, START } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, logged, ORDER } from './rental-stand-in.ts';

const FAILED_BANDWIDTH = { ...FILLED, numbering: 'bandwidth', amount: 1_000, status: 'failed' } as const;
const FAILED_ENERGY = { ...FILLED, status: 'failed' } as const;
const FILLED_BANDWIDTH = { ...FAILED_BANDWIDTH, status: 'filled' } as const;

/** Returns the log entry of a bandwidth order. */
const loggedBandwidth = (order: number, type: string) =>
  logged(order, START, { type, data: { energy_amount: undefined, bandwidth_amount: 1_000 } });

/** Makes a purchase of each kind. Both are done and have the order number 7. */
async function bothDone(room: Room) {
  const energy = await room.claimed();
  await room.advance(energy);
  const bandwidth = await room.claimed({ request: BANDWIDTH });
  await room.advance(bandwidth);
  return { energy, bandwidth };
}

/** Makes a purchase of each kind with a lost response. */
async function bothLost(room: Room) {
  return { energy: await room.lost(), bandwidth: await room.lost({ request: BANDWIDTH }) };
}

describe('energy and bandwidth orders with the same number', () => {
  test('belong to their own operations according to the responses', async () => {
    const room = openRoom();
    const { energy, bandwidth } = await bothDone(room);
    await room.pass(20_000);
    expect(await room.read(energy)).toMatchObject({ state: 'done', result: { order: ORDER, price: '2.32' } });
    expect(await room.read(bandwidth)).toMatchObject({
      state: 'done',
      result: { order: ORDER, price: '9.80' },
    });
  });

  test('keep their evidence when a response of the other kind has the same number', async () => {
    const room = openRoom();
    const energy = await room.lost();
    await room.operations.settlement.report(ACCOUNT, FILLED);
    expect(await room.read(energy)).toMatchObject({ state: 'done', result: { order: ORDER } });
    const bandwidth = await room.claimed({ request: BANDWIDTH });
    await room.advance(bandwidth);
    await room.pass(20_000);
    expect(await room.read(energy)).toMatchObject({ state: 'done', result: { status: 'filled' } });
    expect(await room.read(bandwidth)).toMatchObject({ state: 'done', result: { status: 'pending' } });
  });

  test.each([
    ['energy', FAILED_ENERGY, ['failed', 'pending']],
    ['bandwidth', FAILED_BANDWIDTH, ['pending', 'failed']],
  ] as const)('change only by an event of their own kind: %s', async (_, report, statuses) => {
    const room = openRoom();
    const { energy, bandwidth } = await bothDone(room);
    await room.operations.settlement.report(ACCOUNT, report);
    expect([(await room.read(energy)).result?.status, (await room.read(bandwidth)).result?.status]).toEqual(
      statuses,
    );
  });

  test.each([
    ['energy', FILLED, ['done', 'unknown']],
    ['bandwidth', FILLED_BANDWIDTH, ['unknown', 'unknown']],
  ] as const)(
    'settle by an event only for energy, because no bandwidth event is documented: %s',
    async (_, report, states) => {
      const room = openRoom();
      const { energy, bandwidth } = await bothLost(room);
      await room.operations.settlement.report(ACCOUNT, report);
      expect([(await room.read(energy)).state, (await room.read(bandwidth)).state]).toEqual(states);
    },
  );

  test('prove nothing about the other kind with the same amount and address', async () => {
    const room = openRoom();
    const energy = await room.lost();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, numbering: 'bandwidth' });
    const entry = { data: { energy_amount: undefined, bandwidth_amount: 65_000 } };
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, entry)]));
    await room.pass(10_000);
    expect(await room.read(energy)).toMatchObject({ state: 'unknown' });
  });

  test('keep reports that precede the response separate', async () => {
    const room = openRoom();
    await room.operations.settlement.report(ACCOUNT, FAILED_BANDWIDTH);
    const { energy, bandwidth } = await bothDone(room);
    expect(await room.read(energy)).toMatchObject({ result: { status: 'pending' } });
    expect(await room.read(bandwidth)).toMatchObject({ result: { status: 'failed' } });
  });

  test('are delivered by a log entry of their own kind', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    const { energy, bandwidth } = await bothDone(room);
    room.rental.webhookLogs.mockResolvedValue(accepted([loggedBandwidth(ORDER, 'order.filled')]));
    await room.pass(60_000);
    expect(await room.read(energy)).toMatchObject({ result: { status: 'pending' } });
    expect(await room.read(bandwidth)).toMatchObject({ result: { status: 'filled' } });
  });

  test('are distinguished by the reconciler, whatever the order of the logs', async () => {
    for (const reversed of [false, true]) {
      const room = openRoom();
      const { energy, bandwidth } = await bothLost(room);
      const entries = [loggedBandwidth(ORDER, 'order.failed'), logged(ORDER, START)];
      room.rental.webhookLogs.mockResolvedValue(accepted(reversed ? entries.reverse() : entries));
      await room.pass(30_000);
      expect(await room.read(energy)).toMatchObject({ state: 'done', result: { status: 'filled' } });
      expect(await room.read(bandwidth)).toMatchObject({ state: 'unknown' });
    }
  });

  test('prove nothing about the other kind in the reconciler either', async () => {
    const room = openRoom();
    const { energy, bandwidth } = await bothLost(room);
    room.rental.webhookLogs.mockResolvedValue(accepted([loggedBandwidth(ORDER, 'order.filled')]));
    await room.pass(30_000);
    expect(await room.read(energy)).toMatchObject({ state: 'unknown' });
    expect(await room.read(bandwidth)).toMatchObject({ state: 'unknown' });
  });
});

test('ignores a report without an amount, because its kind is unknown', async () => {
  const room = openRoom();
  const energy = await room.claimed();
  await room.advance(energy);
  const data = { order_id: ORDER, address: ADDRESS };
  expect(room.kinds.report({ type: 'order.failed', id: 'bare', data })).toBeUndefined();
});
