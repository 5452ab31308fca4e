import { describe, expect, test } from 'vitest';
import { ACCOUNT, ADDRESS, accepted, logged, ORDER } from './rental-stand-in.ts';
import { BANDWIDTH, FILLED, openRoom, type Room, START } from './room.ts';

const FAILED_BANDWIDTH = { ...FILLED, numbering: 'bandwidth', amount: 1_000, status: 'failed' } as const;
const FAILED_ENERGY = { ...FILLED, status: 'failed' } as const;
const FILLED_BANDWIDTH = { ...FAILED_BANDWIDTH, status: 'filled' } as const;

/** The log's entry of an order of bandwidth. */
const loggedBandwidth = (order: number, type: string) =>
  logged(order, START, { type, data: { energy_amount: undefined, bandwidth_amount: 1_000 } });

/** A purchase of either kind, both done, both with the number 7. */
async function bothDone(room: Room) {
  const energy = await room.claimed();
  await room.advance(energy);
  const bandwidth = await room.claimed({ request: BANDWIDTH });
  await room.advance(bandwidth);
  return { energy, bandwidth };
}

/** A purchase of either kind, of both of which the answer was lost. */
async function bothLost(room: Room) {
  return { energy: await room.lost(), bandwidth: await room.lost({ request: BANDWIDTH }) };
}

describe('an order of energy and one of bandwidth with the same number', () => {
  test('belong to their own operations by the answers of the service', async () => {
    const room = openRoom();
    const { energy, bandwidth } = await bothDone(room);
    await room.pass(20_000);
    expect(await room.read(energy)).toMatchObject({ state: 'done', result: { order: ORDER, price: '2.32' } });
    expect(await room.read(bandwidth)).toMatchObject({
      state: 'done',
      result: { order: ORDER, price: '9.80' },
    });
  });

  test('leave each other their evidence when an answer names the number', async () => {
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
  ] as const)('change by an event of their own kind alone: %s', async (_, report, statuses) => {
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
    'are proved by an event of energy alone, for no event of bandwidth is documented: %s',
    async (_, report, states) => {
      const room = openRoom();
      const { energy, bandwidth } = await bothLost(room);
      await room.operations.settlement.report(ACCOUNT, report);
      expect([(await room.read(energy)).state, (await room.read(bandwidth)).state]).toEqual(states);
    },
  );

  test('prove nothing of each other by the same amount for the same address', async () => {
    const room = openRoom();
    const energy = await room.lost();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, numbering: 'bandwidth' });
    const entry = { data: { energy_amount: undefined, bandwidth_amount: 65_000 } };
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, entry)]));
    await room.pass(10_000);
    expect(await room.read(energy)).toMatchObject({ state: 'unknown' });
  });

  test('keep apart what was reported before the answer', async () => {
    const room = openRoom();
    await room.operations.settlement.report(ACCOUNT, FAILED_BANDWIDTH);
    const { energy, bandwidth } = await bothDone(room);
    expect(await room.read(energy)).toMatchObject({ result: { status: 'pending' } });
    expect(await room.read(bandwidth)).toMatchObject({ result: { status: 'failed' } });
  });

  test('are delivered by the entry of their own kind in the logs', async () => {
    const room = openRoom();
    room.reported.mockResolvedValue(true);
    const { energy, bandwidth } = await bothDone(room);
    room.rental.webhookLogs.mockResolvedValue(accepted([loggedBandwidth(ORDER, 'order.filled')]));
    await room.pass(60_000);
    expect(await room.read(energy)).toMatchObject({ result: { status: 'pending' } });
    expect(await room.read(bandwidth)).toMatchObject({ result: { status: 'filled' } });
  });

  test('are told apart by the reconciler, in whatever order the logs name them', async () => {
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

  test('prove nothing of the other kind by the reconciler either', async () => {
    const room = openRoom();
    const { energy, bandwidth } = await bothLost(room);
    room.rental.webhookLogs.mockResolvedValue(accepted([loggedBandwidth(ORDER, 'order.filled')]));
    await room.pass(30_000);
    expect(await room.read(energy)).toMatchObject({ state: 'unknown' });
    expect(await room.read(bandwidth)).toMatchObject({ state: 'unknown' });
  });
});

test('a report that names no amount changes nothing: whose number it means is not known', async () => {
  const room = openRoom();
  const energy = await room.claimed();
  await room.advance(energy);
  const data = { order_id: ORDER, address: ADDRESS };
  expect(room.kinds.report({ type: 'order.failed', id: 'bare', data })).toBeUndefined();
});
