import { describe, expect, test } from 'vitest';
import { BANDWIDTH, FILLED, type OperationsSetup, START, setUpOperations } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, logged, ORDER } from './rental-stand-in.ts';

const FAILED_BANDWIDTH = { ...FILLED, namespace: 'bandwidth', amount: 1_000, status: 'failed' } as const;
const FAILED_ENERGY = { ...FILLED, status: 'failed' } as const;
const FILLED_BANDWIDTH = { ...FAILED_BANDWIDTH, status: 'filled' } as const;

/** Returns the log entry of a bandwidth order. */
const loggedBandwidth = (order: number, type: string) =>
  logged(order, START, { type, data: { energy_amount: undefined, bandwidth_amount: 1_000 } });

/** Makes a purchase of each kind. Both are done and have the order number 7. */
async function bothDone(setup: OperationsSetup) {
  const energy = await setup.claimed();
  await setup.advance(energy);
  const bandwidth = await setup.claimed({ request: BANDWIDTH });
  await setup.advance(bandwidth);
  return { energy, bandwidth };
}

/** Makes a purchase of each kind with a lost response. */
async function bothLost(setup: OperationsSetup) {
  return { energy: await setup.lost(), bandwidth: await setup.lost({ request: BANDWIDTH }) };
}

describe('energy and bandwidth orders with the same number', () => {
  test('belong to their own operations according to the responses', async () => {
    const setup = setUpOperations();
    const { energy, bandwidth } = await bothDone(setup);
    await setup.pass(20_000);
    expect(await setup.read(energy)).toMatchObject({
      state: 'done',
      result: { order: ORDER, price: '2.32' },
    });
    expect(await setup.read(bandwidth)).toMatchObject({
      state: 'done',
      result: { order: ORDER, price: '9.80' },
    });
  });

  test('keep their evidence when a response of the other kind has the same number', async () => {
    const setup = setUpOperations();
    const energy = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { order: ORDER } });
    const bandwidth = await setup.claimed({ request: BANDWIDTH });
    await setup.advance(bandwidth);
    await setup.pass(20_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { status: 'filled' } });
    expect(await setup.read(bandwidth)).toMatchObject({ state: 'done', result: { status: 'pending' } });
  });

  test.each([
    ['energy', FAILED_ENERGY, ['failed', 'pending']],
    ['bandwidth', FAILED_BANDWIDTH, ['pending', 'failed']],
  ] as const)('change only by an event of their own kind: %s', async (_, report, statuses) => {
    const setup = setUpOperations();
    const { energy, bandwidth } = await bothDone(setup);
    await setup.operations.settlement.report(ACCOUNT, report);
    expect([(await setup.read(energy)).result?.status, (await setup.read(bandwidth)).result?.status]).toEqual(
      statuses,
    );
  });

  test.each([
    ['energy', FILLED, ['done', 'unknown']],
    ['bandwidth', FILLED_BANDWIDTH, ['unknown', 'unknown']],
  ] as const)(
    'settle by an event only for energy, because no bandwidth event is documented: %s',
    async (_, report, states) => {
      const setup = setUpOperations();
      const { energy, bandwidth } = await bothLost(setup);
      await setup.operations.settlement.report(ACCOUNT, report);
      expect([(await setup.read(energy)).state, (await setup.read(bandwidth)).state]).toEqual(states);
    },
  );

  test('prove nothing about the other kind with the same amount and address', async () => {
    const setup = setUpOperations();
    const energy = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, namespace: 'bandwidth' });
    const entry = { data: { energy_amount: undefined, bandwidth_amount: 65_000 } };
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, entry)]));
    await setup.pass(10_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'unknown' });
  });

  test('keep reports that precede the response separate', async () => {
    const setup = setUpOperations();
    await setup.operations.settlement.report(ACCOUNT, FAILED_BANDWIDTH);
    const { energy, bandwidth } = await bothDone(setup);
    expect(await setup.read(energy)).toMatchObject({ result: { status: 'pending' } });
    expect(await setup.read(bandwidth)).toMatchObject({ result: { status: 'failed' } });
  });

  test('are delivered by a log entry of their own kind', async () => {
    const setup = setUpOperations();
    setup.reported.mockResolvedValue(true);
    const { energy, bandwidth } = await bothDone(setup);
    setup.rental.webhookLogs.mockResolvedValue(accepted([loggedBandwidth(ORDER, 'order.filled')]));
    await setup.pass(60_000);
    expect(await setup.read(energy)).toMatchObject({ result: { status: 'pending' } });
    expect(await setup.read(bandwidth)).toMatchObject({ result: { status: 'filled' } });
  });

  test('are distinguished by the reconciler, whatever the order of the logs', async () => {
    for (const reversed of [false, true]) {
      const setup = setUpOperations();
      const { energy, bandwidth } = await bothLost(setup);
      const entries = [loggedBandwidth(ORDER, 'order.failed'), logged(ORDER, START)];
      setup.rental.webhookLogs.mockResolvedValue(accepted(reversed ? entries.reverse() : entries));
      await setup.pass(30_000);
      expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { status: 'filled' } });
      expect(await setup.read(bandwidth)).toMatchObject({ state: 'unknown' });
    }
  });

  test('prove nothing about the other kind in the reconciler either', async () => {
    const setup = setUpOperations();
    const { energy, bandwidth } = await bothLost(setup);
    setup.rental.webhookLogs.mockResolvedValue(accepted([loggedBandwidth(ORDER, 'order.filled')]));
    await setup.pass(30_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'unknown' });
    expect(await setup.read(bandwidth)).toMatchObject({ state: 'unknown' });
  });
});

test('ignores a report without an amount, because its kind is unknown', async () => {
  const setup = setUpOperations();
  const energy = await setup.claimed();
  await setup.advance(energy);
  const data = { order_id: ORDER, address: ADDRESS };
  expect(setup.kinds.report({ type: 'order.failed', id: 'bare', data })).toBeUndefined();
});
