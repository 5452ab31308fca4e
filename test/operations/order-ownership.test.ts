import { describe, expect } from 'vitest';
import type { OrderReport } from '../../src/operations/kinds/kind.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import type { WebhookLogEntry } from '../../src/rental-api/schemas.ts';
import { eventually } from '../support/eventually.ts';
import {
  BANDWIDTH,
  ENERGY,
  FILLED,
  failing,
  type OperationsSetup,
  START,
  setUpOperations,
  test,
} from './operations-setup.ts';
import { ACCOUNT, accepted, logged, ORDER, orderOf } from './rental-stand-in.ts';

const ANSWER = { kind: 'accepted', value: { order: ORDER, status: 'pending', price: '2.32' } } as const;

/** Returns what the user was shown of one operation. */
const shownOf = (setup: OperationsSetup, { id }: { id: string }) =>
  setup.show.mock.calls.map(([operation]) => operation).filter((operation) => operation.id === id);

/** Creates a purchase whose request is under way until `answer` is called. */
async function pendingSummary(setup: OperationsSetup) {
  const operation = await setup.claimed();
  let answer = (_: Awaited<ReturnType<Rental['buyEnergy']>>) => {};
  setup.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const asked = setup.rental.buyEnergy.mock.calls.length;
  const attended = setup.advance(operation);
  await eventually(() => expect(setup.rental.buyEnergy.mock.calls.length).toBe(asked + 1));
  return { operation, attended, answer: (value: Parameters<typeof answer>[0]) => answer(value) };
}

describe('evidence', () => {
  test('waits for another attempt that may own it, and is used once that is done', async ({ setup }) => {
    const unknown = await setup.lost();
    const going = await pendingSummary(setup);
    setup.rental.webhookLogs.mockImplementation(async () => accepted([logged(ORDER, setup.clock.now)]));
    await setup.pass(6_000);
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown' });
    going.answer(orderOf({ order_id: ORDER + 1 }));
    await going.attended;
    await setup.pass(30_000);
    expect(await setup.read(unknown)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await setup.read(going.operation)).toMatchObject({ state: 'done', result: { order: ORDER + 1 } });
  });

  test("belongs to the other attempt if that one's response names it", async ({ setup }) => {
    const unknown = await setup.lost();
    const going = await pendingSummary(setup);
    setup.rental.webhookLogs.mockImplementation(async () => accepted([logged(ORDER, setup.clock.now)]));
    await setup.pass(6_000);
    going.answer(orderOf());
    await going.attended;
    await setup.pass(30_000);
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown' });
    expect(shownOf(setup, unknown).map(({ state }) => state)).not.toContain('done');
    expect(await setup.read(going.operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('does not wait for an attempt that it cannot match', async ({ setup }) => {
    const going = await pendingSummary(setup);
    const other = await setup.lost({ request: { ...ENERGY, energy_amount: 131_000 } });
    const entry = { data: { energy_amount: 131_000 } };
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, setup.clock.now, entry)]));
    await setup.pass(6_000);
    expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER } });
    going.answer(orderOf());
    await going.attended;
  });
});

describe('a purchase that loses its order to another one', () => {
  async function reopened() {
    const setup = setUpOperations();
    const other = await setup.lost();
    setup.clock.now += 1_000;
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    expect(shownOf(setup, other).at(-1)).toMatchObject({ state: 'done', late: true });
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    return { setup, other };
  }

  test('becomes unknown again without its previous result', async () => {
    const { setup, other } = await reopened();
    const { state, result, settledAt } = await setup.read(other);
    expect({ state, result, settledAt }).toEqual({ state: 'unknown' });
  });

  test('notifies its user with a follow-up, which stays the latest state', async () => {
    const { setup, other } = await reopened();
    await setup.pass(6_000);
    const shown = shownOf(setup, other);
    const again = shown.slice(shown.findLastIndex(({ state }) => state === 'done') + 1);
    expect(again[0]).toMatchObject({ state: 'unknown', late: true });
    expect(shown.at(-1)).toMatchObject({ state: 'unknown' });
    expect(await setup.isNotified(other)).toBe(true);
  });

  test('is searched for again and settled by its own order', async () => {
    const { setup, other } = await reopened();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1, at: setup.clock.now });
    expect(await setup.read(other)).toMatchObject({
      state: 'done',
      result: { order: ORDER + 1 },
      late: false,
    });
    expect(shownOf(setup, other).at(-1)).toMatchObject({ state: 'done', late: true });
  });

  test('becomes unknown also after a storage failure between the two writes', async ({ setup }) => {
    const other = await setup.lost();
    setup.clock.now += 1_000;
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    let refused = 0;
    const own = setup.replica(
      failing(
        setup.storage,
        ({ method, key }) => method === 'replace' && key.endsWith(other.id) && refused++ === 0,
      ),
    );
    const settle = async () => own.settlement.settle(await setup.stored(operation), ANSWER);
    await expect(settle()).rejects.toThrow('the storage is away');
    await settle();
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
  });
});

const evidenceOf = ({ order, status }: OrderReport) =>
  ({ kind: 'strong', result: { order, status } }) as const;

test('late evidence does not bind another order to a settled operation', async ({ setup }) => {
  const operation = await setup.orphaned();
  await setup.pass(15_000);
  const asItWas = await setup.stored(operation);
  await setup.operations.settlement.settle(asItWas, ANSWER);
  const found = { ...FILLED, order: ORDER + 1 };
  await setup.operations.settlement.conclude(asItWas, evidenceOf(found), false);
  await setup.operations.settlement.report(ACCOUNT, { ...found, status: 'failed' });
  expect(await setup.read(operation)).toMatchObject({ result: { order: ORDER, status: 'pending' } });
});

test('evidence that is bound during the response can settle another operation', async ({ setup }) => {
  const operation = await setup.orphaned();
  await setup.pass(15_000);
  const asItWas = await setup.stored(operation);
  const { add } = setup.storage;
  const own = setup.replica({
    ...setup.storage,
    async add(key, value, lifetime) {
      const added = await add(key, value, lifetime);
      if (key.startsWith('order:')) await setup.operations.settlement.settle(asItWas, ANSWER);
      return added;
    },
  });
  const found = { ...FILLED, order: ORDER + 1 };
  expect(await own.settlement.conclude(asItWas, evidenceOf(found), false)).toBeUndefined();
  const other = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, { ...found, at: setup.clock.now });
  expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER + 1 } });
  expect(await setup.read(operation)).toMatchObject({ result: { order: ORDER, status: 'pending' } });
});

test('a repeated event settles an operation if the first one failed after binding', async ({ setup }) => {
  const operation = await setup.lost();
  const own = setup.replica(
    failing(setup.storage, ({ method, key }) => method === 'replace' && key.startsWith('operation:')),
  );
  await expect(own.settlement.report(ACCOUNT, FILLED)).rejects.toThrow('the storage is away');
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
});

const BANDWIDTH_REPORT = { ...FILLED, namespace: 'bandwidth', amount: 1_000 } as const;

/** Returns the log entry of a bandwidth order with number 7. */
const loggedBandwidth = (type: string) =>
  logged(ORDER, START, { type, data: { energy_amount: undefined, bandwidth_amount: 1_000 } });

describe('energy and bandwidth orders with the same number', () => {
  type Happen = (setup: OperationsSetup) => unknown;
  const reported =
    (report: OrderReport): Happen =>
    ({ operations }) =>
      operations.settlement.report(ACCOUNT, report);
  const inLogs =
    (...entries: WebhookLogEntry[]): Happen =>
    ({ rental }) =>
      rental.webhookLogs.mockResolvedValue(accepted(entries));

  test.for<[string, Happen, string[]]>([
    ['belong to their own operations according to the responses', () => {}, ['pending', 'pending']],
    ['change by an event of energy', reported({ ...FILLED, status: 'failed' }), ['failed', 'pending']],
    ['change by an event of bandwidth', reported(BANDWIDTH_REPORT), ['pending', 'filled']],
    [
      'are delivered by a log entry of bandwidth',
      inLogs(loggedBandwidth('order.filled')),
      ['pending', 'filled'],
    ],
  ])('%s', async ([_, happen, statuses], { setup }) => {
    setup.reported.mockResolvedValue(true);
    const both = [await setup.executed(), await setup.executed({ request: BANDWIDTH })];
    await happen(setup);
    await setup.pass(60_000);
    expect(await Promise.all(both.map(setup.read))).toMatchObject([
      { state: 'done', result: { order: ORDER, price: '2.32', status: statuses[0] } },
      { state: 'done', result: { order: ORDER, price: '9.80', status: statuses[1] } },
    ]);
  });

  const settled = { state: 'done', result: { status: 'filled' } };
  test.for<[string, Happen, object]>([
    ['settle by an event of energy', reported(FILLED), settled],
    ['do not settle by an event of bandwidth, which is not documented', reported(BANDWIDTH_REPORT), {}],
    ['do not settle by a log entry of bandwidth', inLogs(loggedBandwidth('order.filled')), {}],
    ['are distinguished in the logs', inLogs(loggedBandwidth('order.failed'), logged(ORDER, START)), settled],
    [
      'are distinguished in any order',
      inLogs(logged(ORDER, START), loggedBandwidth('order.failed')),
      settled,
    ],
  ])('%s after lost responses', async ([_, happen, energy], { setup }) => {
    const both = [await setup.lost(), await setup.lost({ request: BANDWIDTH })];
    await happen(setup);
    await setup.pass(30_000);
    const unknown = { state: 'unknown' };
    expect(await Promise.all(both.map(setup.read))).toMatchObject([{ ...unknown, ...energy }, unknown]);
  });

  test('keep their evidence when a response of the other kind has the same number', async ({ setup }) => {
    const energy = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { order: ORDER } });
    const bandwidth = await setup.executed({ request: BANDWIDTH });
    await setup.pass(20_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { status: 'filled' } });
    expect(await setup.read(bandwidth)).toMatchObject({ state: 'done', result: { status: 'pending' } });
  });

  test('prove nothing about the other kind with the same amount and address', async ({ setup }) => {
    const energy = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, namespace: 'bandwidth' });
    const entry = { data: { energy_amount: undefined, bandwidth_amount: 65_000 } };
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, entry)]));
    await setup.pass(10_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'unknown' });
  });

  test('keep reports that precede the response separate', async ({ setup }) => {
    await setup.operations.settlement.report(ACCOUNT, BANDWIDTH_REPORT);
    expect(await setup.outcome()).toMatchObject({ result: { status: 'pending' } });
    expect(await setup.outcome({ request: BANDWIDTH })).toMatchObject({ result: { status: 'filled' } });
  });
});
