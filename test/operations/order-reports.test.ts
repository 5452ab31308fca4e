import { describe, expect } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import { HOUR_MS } from '../../src/platform/clock.ts';
import { readEvent } from '../../src/rental-api/webhook.ts';
import {
  BANDWIDTH,
  type OperationsSetup,
  resultOf,
  START,
  test,
  WITHDRAW_CAP,
  WITHDRAWAL,
} from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, logged, ORDER, orderOf, subscription } from './rental-stand-in.ts';

const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const FIELDS = { order_id: ORDER, address: ADDRESS, energy_amount: 65_000 };

/** Applies an event of the service, as its handler does. */
async function receive(setup: OperationsSetup, type: string, data: object, at = setup.clock.now) {
  const event = readEvent({ event: type, data, timestamp: new Date(at).toISOString() });
  for (const report of event ? setup.operations.kinds.reports(event) : [])
    await setup.operations.settlement.report(ACCOUNT, report);
}

const filled = (setup: OperationsSetup, data: object, at?: number) =>
  receive(setup, 'order.filled', { ...FIELDS, ...data }, at);

const storedResult = async (setup: OperationsSetup, operation: OperationRef) =>
  resultOf(await setup.read(operation)) ?? {};

const PENDING = { status: 'pending' };
const WHOLE = { status: 'filled' };
const part = (delivered: number) => ({ status: 'pending', delivered });

describe('a purchase of 65,000 energy after order.filled with', () => {
  test.for<[string, object[], object]>([
    ['the whole amount', [{}], WHOLE],
    ['numbers as strings', [{ order_id: '7', energy_amount: '65000' }], WHOLE],
    ['facts that agree', [{ duration_hours: 1, price_trx: '2.320', status: 'filled' }], WHOLE],
    ['facts that are null', [{ duration_hours: null, price_trx: null, status: null }], WHOLE],
    ['the whole amount and the status FILLED', [{ status: 'FILLED' }], WHOLE],
    ['the whole amount and an unknown status', [{ status: 'completed' }], WHOLE],
    ['all but one unit', [{ energy_amount: 64_999 }], part(64_999)],
    ['one unit', [{ energy_amount: 1 }], part(1)],
    [
      'half and the status partially_filled',
      [{ energy_amount: 32_500, status: 'partially_filled' }],
      part(32_500),
    ],
    ['half, then the whole', [{ energy_amount: 32_500 }, {}], WHOLE],
    ['the whole, then half', [{}, { energy_amount: 32_500 }], WHOLE],
    ['half twice', [{ energy_amount: 32_500 }, { energy_amount: 32_500 }], part(32_500)],
    [
      'a larger part, then a smaller one',
      [{ energy_amount: 40_000 }, { energy_amount: 32_500 }],
      part(40_000),
    ],
    [
      'a smaller part, then a larger one',
      [{ energy_amount: 32_500 }, { energy_amount: 40_000 }],
      part(40_000),
    ],
    ['half, then another address', [{ energy_amount: 32_500 }, { address: OTHER_ADDRESS }], part(32_500)],
  ])('%s', async ([_, reports, expected], { setup }) => {
    const operation = await setup.executed();
    for (const data of reports) await filled(setup, data);
    const { delivered, ...result } = await storedResult(setup, operation);
    expect({ ...result, ...(delivered && { delivered }) }).toMatchObject(expected);
    expect(delivered).toBe('delivered' in expected ? expected.delivered : undefined);
  });

  test('less energy, then order.failed stays partly delivered', async ({ setup }) => {
    const operation = await setup.executed();
    await filled(setup, { energy_amount: 32_500 });
    await receive(setup, 'order.failed', FIELDS);
    expect(await storedResult(setup, operation)).toMatchObject(part(32_500));
    expect(setup.reportContradiction).toHaveBeenCalledOnce();
  });
});

test('less energy, then order.failed is partly delivered although the reply was lost', async ({ setup }) => {
  setup.rental.buyEnergy.mockResolvedValue(CUT);
  const operation = await setup.executed();
  expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  await filled(setup, { energy_amount: 32_500 });
  await receive(setup, 'order.failed', FIELDS);
  expect(await storedResult(setup, operation)).toMatchObject({ order: ORDER, ...part(32_500) });
});

const contradiction = (fact: string, ordered: string, reported?: string) => ({ fact, ordered, reported });

describe('a report changes nothing and is passed on to admins if it has', () => {
  test.for<[string, object, object]>([
    ['another address', { address: OTHER_ADDRESS }, contradiction('address', ADDRESS, OTHER_ADDRESS)],
    [
      'the address in other case',
      { address: ADDRESS.toLowerCase() },
      contradiction('address', ADDRESS, ADDRESS.toLowerCase()),
    ],
    [
      'a space behind the address',
      { address: `${ADDRESS} ` },
      contradiction('address', ADDRESS, `${ADDRESS} `),
    ],
    ['no address', { address: undefined }, contradiction('address', ADDRESS)],
    ['a number as address', { address: 5 }, contradiction('address', ADDRESS, '5')],
    ['one unit more', { energy_amount: 65_001 }, contradiction('amount', '65000', '65001')],
    ['nothing delivered', { energy_amount: 0 }, contradiction('amount', '65000', '0')],
    ['a negative amount', { energy_amount: -65_000 }, contradiction('amount', '65000', '-65000')],
    ['a fraction', { energy_amount: 0.5 }, contradiction('amount', '65000', '0.5')],
    ['an unreadable amount', { energy_amount: 'all' }, contradiction('amount', '65000')],
    ['no amount', { energy_amount: undefined }, contradiction('amount', '65000')],
    ['another duration', { duration_hours: 24 }, contradiction('hours', '1', '24')],
    ['an unreadable duration', { duration_hours: 'long' }, contradiction('hours', '1', 'long')],
    ['another price', { price_trx: '2.31' }, contradiction('price', '2.32', '2.31')],
    [
      'the status partially_filled, although it is the whole amount',
      { status: 'partially_filled' },
      contradiction('status', 'filled', 'partially_filled'),
    ],
    [
      'the status failed, although it is a part',
      { energy_amount: 32_500, status: 'failed' },
      contradiction('status', 'filled', 'failed'),
    ],
  ])('%s', async ([_, data, difference], { setup }) => {
    const operation = await setup.executed();
    const before = await setup.read(operation);
    await filled(setup, data);
    expect(await setup.read(operation)).toEqual(before);
    const reported = {
      account: ACCOUNT,
      namespace: 'energy',
      order: ORDER,
      operation: operation.id,
      difference,
    };
    expect(setup.reportContradiction.mock.calls).toEqual([[expect.objectContaining(reported)]]);
    await filled(setup, {});
    expect(await storedResult(setup, operation)).toMatchObject(WHOLE);
  });

  test.for<[string, object]>([
    ['another address', { address: OTHER_ADDRESS }],
    ['less energy', { energy_amount: 32_500 }],
    ['neither address nor amount', { address: undefined, energy_amount: undefined }],
  ])('order.failed and %s', async ([_, data], { setup }) => {
    const operation = await setup.executed();
    await receive(setup, 'order.failed', { ...FIELDS, ...data });
    expect(await storedResult(setup, operation)).toMatchObject(PENDING);
    expect(setup.reportContradiction).toHaveBeenCalledOnce();
    await receive(setup, 'order.failed', FIELDS);
    expect(await storedResult(setup, operation)).toMatchObject({ status: 'failed' });
  });
});

test.for<[string, object]>([
  ['address', { address: undefined }],
  ['amount', { energy_amount: undefined }],
])('order.failed without %s shows that the order failed', async ([_, data], { setup }) => {
  const operation = await setup.executed();
  await receive(setup, 'order.failed', { ...FIELDS, ...data });
  expect(await storedResult(setup, operation)).toMatchObject({ status: 'failed' });
  expect(setup.reportContradiction).not.toHaveBeenCalled();
});

test('does not revoke a delivery by order.failed', async ({ setup }) => {
  const operation = await setup.executed();
  await filled(setup, {});
  await receive(setup, 'order.failed', FIELDS);
  expect(await storedResult(setup, operation)).toMatchObject(WHOLE);
  expect(setup.reportContradiction).toHaveBeenCalledOnce();
});

test.for<[object, object, number]>([
  [{ bandwidth_amount: 1_000 }, WHOLE, 0],
  [{ bandwidth_amount: 999 }, part(999), 0],
  [{ bandwidth_amount: 1_001 }, PENDING, 1],
  // Without an amount the order is one of energy.
  [{}, PENDING, 0],
])('a purchase of 1,000 bandwidth after %j is %j', async ([data, expected, contradictions], { setup }) => {
  const operation = await setup.executed({ request: BANDWIDTH, estimate: '9.80' });
  await receive(setup, 'order.filled', { order_id: ORDER, address: ADDRESS, ...data });
  expect(await storedResult(setup, operation)).toMatchObject(expected);
  expect(setup.reportContradiction).toHaveBeenCalledTimes(contradictions);
});

test.for<[string, object[], object, number]>([
  ['a part', [{ energy_amount: 32_500 }], part(32_500), 0],
  ['a part and the whole', [{ energy_amount: 32_500 }, {}], WHOLE, 0],
  ['the whole and a part', [{}, { energy_amount: 32_500 }], WHOLE, 0],
  ['another address', [{ address: OTHER_ADDRESS }], PENDING, 1],
  ['the whole and another address', [{}, { address: OTHER_ADDRESS }], WHOLE, 1],
])(
  'compares reports that arrived before the response: %s',
  async ([_, reports, expected, contradictions], { setup }) => {
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockImplementationOnce(async () => {
      for (const data of reports) await filled(setup, data);
      return orderOf();
    });
    setup.reportContradiction.mockRejectedValue(new Error('the storage is away'));
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      settledBy: 'reply',
      result: expected,
    });
    expect(setup.reportContradiction).toHaveBeenCalledTimes(contradictions);
  },
);

test.for<[string, object[], object, number]>([
  ['less energy', [{ energy_amount: 32_500 }], part(32_500), 0],
  ['less energy and the whole', [{ energy_amount: 32_500 }, {}], WHOLE, 0],
  ['another address', [{ address: OTHER_ADDRESS }], PENDING, 1],
])(
  'compares reports in the webhook log of a known order: %s',
  async ([_, all, expected, contradictions], { setup }) => {
    setup.reported.mockResolvedValue(true);
    const operation = await setup.executed();
    setup.rental.webhookLogs.mockResolvedValue(accepted(all.map((data) => logged(ORDER, START, { data }))));
    await setup.pass(40_000);
    expect(await storedResult(setup, operation)).toMatchObject(expected);
    expect(setup.reportContradiction).toHaveBeenCalledTimes(contradictions);
  },
);

describe('an unknown outcome', () => {
  test.for<[string, object]>([
    ['less energy', { energy_amount: 32_500 }],
    ['another duration', { duration_hours: 24 }],
    ['another status', { status: 'partially_filled' }],
  ])('is not settled by a report of %s, which may be about another order', async ([_, data], { setup }) => {
    const operation = await setup.lost();
    await filled(setup, data);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, { data })]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.reportContradiction).not.toHaveBeenCalled();
  });

  test('keeps a delivery that evidence has proven when the late response arrives', async ({ setup }) => {
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, setup.clock.now)]));
    await setup.pass(10_000);
    expect(await storedResult(setup, operation)).toMatchObject(WHOLE);
    const value = { order: ORDER, status: 'pending', price: '2.32' };
    await setup.operations.settlement.settle(await setup.stored(operation), { kind: 'accepted', value });
    expect(await setup.read(operation)).toMatchObject({
      settledBy: 'reply',
      result: { ...WHOLE, price: '2.32' },
    });
  });
});

test('counts the rental from the first delivery, whatever the order of the reports', async ({ setup }) => {
  const operation = await setup.executed();
  setup.clock.now += HOUR_MS / 2;
  await filled(setup, { energy_amount: 40_000 }, START + 2_000);
  await filled(setup, { energy_amount: 32_500 }, START + 1_000);
  await filled(setup, {}, START + 3_000);
  expect(await storedResult(setup, operation)).toMatchObject({ ...WHOLE, deliveredAt: START + 2_000 });
});

test.for<[string, object]>([
  ['a part', { energy_amount: 32_500 }],
  ['the whole', {}],
])('changes and shows nothing for a repeated report of %s', async ([_, data], { setup }) => {
  const operation = await setup.executed();
  await filled(setup, data);
  const [reported, shown] = [await setup.read(operation), setup.show.mock.calls.length];
  setup.clock.now += HOUR_MS;
  await filled(setup, data);
  expect(await setup.read(operation)).toEqual(reported);
  expect(setup.show).toHaveBeenCalledTimes(shown);
});

test('notifies of the rest by a new follow-up', async ({ setup }) => {
  const operation = await setup.executed();
  await filled(setup, { energy_amount: 32_500 });
  setup.show.mockResolvedValue({ kind: 'shown', card: 40, followUp: 41 });
  await setup.store.change(operation, (present) => ({
    ...present,
    receipt: { ...present.receipt, followUp: 41 },
  }));
  await filled(setup, {});
  const [shown] = setup.show.mock.calls
    .map(([one]) => one)
    .filter((one) => resultOf(one)?.status === 'filled');
  expect(shown).toMatchObject({ receipt: { late: true } });
  expect(shown?.receipt.followUp).toBeUndefined();
});

describe('a listed withdrawal', () => {
  test.for<[string, object, object]>([
    ['to another address', { to_address: OTHER_ADDRESS }, contradiction('address', ADDRESS, OTHER_ADDRESS)],
    ['of another amount', { amount_trx: '12.49' }, contradiction('amount', '12.50', '12.49')],
  ])('%s changes nothing and is passed on to admins', async ([_, other, difference], { setup }) => {
    const made = { id: 31, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status: 'pending' };
    setup.rental.withdrawals.mockResolvedValue(accepted([]));
    setup.rental.withdraw.mockResolvedValue(accepted(made));
    await setup.announced();
    const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
    const operation = await setup.executed({ request, balance: '1000.00' });
    setup.rental.withdrawals.mockResolvedValue(accepted([{ ...made, status: 'completed', ...other }]));
    await setup.pass(60_000);
    const name = { account: ACCOUNT, namespace: 'withdrawal', order: 31 };
    const entry = { address: ADDRESS, amount: '12.50', status: 'completed' };
    const { to_address: address = ADDRESS, amount_trx: amount = '12.50' } = other as Partial<typeof made>;
    expect(await setup.operations.applyListedStatus(name, { ...entry, address, amount })).toBeUndefined();
    expect(await storedResult(setup, operation)).toMatchObject(PENDING);
    for (const [reported] of setup.reportContradiction.mock.calls)
      expect(reported).toMatchObject({ ...name, difference });
    expect(setup.reportContradiction).toHaveBeenCalled();
    expect(await setup.operations.applyListedStatus(name, entry)).toBe(operation.user);
    expect(await storedResult(setup, operation)).toMatchObject({ status: 'completed' });
  });
});

describe('a Smart Mode subscription with another address', () => {
  const request = { kind: 'smart-mode', action: 'pause', address: ADDRESS, subscription: 12 };

  test('is not paused', async ({ setup }) => {
    setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ address: OTHER_ADDRESS })]));
    const operation = await setup.executed({ request });
    expect(await setup.refusal(operation)).toBe('gone');
    expect(setup.rental.toggleSubscription).not.toHaveBeenCalled();
  });

  test('proves nothing, in the response or on the list', async ({ setup }) => {
    setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    const other = subscription({ address: OTHER_ADDRESS, status: 'paused' });
    setup.rental.toggleSubscription.mockResolvedValueOnce(accepted(other));
    const operation = await setup.executed({ request });
    setup.rental.subscriptions.mockResolvedValue(accepted([other]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    setup.rental.subscriptions.mockResolvedValue(accepted([subscription({ status: 'paused' })]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'paused' } });
  });
});
