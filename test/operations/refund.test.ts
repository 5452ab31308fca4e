import { describe, expect } from 'vitest';
import type { OrderReport } from '../../src/operations/kinds/kind.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import { CARD, FILLED, type OperationsSetup, resultOf, START, test, USER } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, heldBack, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

const MINUTE = 60_000;
const FAILED: OrderReport = { ...FILLED, status: 'failed' };

/** Sets the balance, in TRX, and the entries of the service's lists from now on. */
function setAccount(
  { rental }: Pick<OperationsSetup, 'rental'>,
  balance: string,
  lists: { deposits?: object[]; withdrawals?: object[] } = {},
): void {
  rental.profile.mockResolvedValue(profileOf(balance));
  const { deposits = [], withdrawals = [] } = lists;
  rental.deposits.mockResolvedValue(accepted(deposits) as Awaited<ReturnType<Rental['deposits']>>);
  rental.withdrawals.mockResolvedValue(accepted(withdrawals) as Awaited<ReturnType<Rental['withdrawals']>>);
}

/** Buys energy for 2.32 TRX a second after the last purchase, with this balance. */
async function bought(
  setup: OperationsSetup,
  order = ORDER,
  balance = '1000.00',
  user = USER,
): Promise<Operation> {
  setup.clock.now += 1_000;
  setAccount(setup, balance);
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: order }));
  return setup.executed({ user });
}

/** Reports the orders as failed, and lets the reconciler of another process run once. */
async function failed(setup: OperationsSetup, ...orders: number[]): Promise<void> {
  setup.clock.now += 1_000;
  for (const order of orders.length > 0 ? orders : [ORDER])
    await setup.operations.settlement.report(ACCOUNT, { ...FAILED, order, at: setup.clock.now });
  setup.show.mockClear();
  await setup.pass(1_000, setup.replica().reconciler);
}

const created_at = new Date(START).toISOString();
const deposit = (amount: string) => ({ status: 'confirmed', amount, currency: 'TRX', created_at });
const withdrawal = (amount_trx: string) => ({
  id: 31,
  to_address: ADDRESS,
  amount_trx,
  fee_trx: '1',
  status: 'completed',
  created_at,
});

describe('the first check for a refund compares the balance', () => {
  test.for<[behaviour: string, balance: string, verdict: string, lists?: object]>([
    ['as before the charge', '1000.00', 'back'],
    ['as after the charge', '997.68', 'same'],
    ['changed by something unknown', '998.50', 'moved'],
    ['with an equal deposit', '1000.00', 'moved', { deposits: [deposit('2.32')] }],
    ['with an equal deposit and the refund', '1002.32', 'back', { deposits: [deposit('2.32')] }],
    ['with a deposit only', '1047.68', 'same', { deposits: [deposit('50')] }],
    ['with a withdrawal and the refund', '989.00', 'back', { withdrawals: [withdrawal('10')] }],
    [
      'with an earlier deposit',
      '1000.00',
      'back',
      { deposits: [{ ...deposit('2.32'), created_at: '2025-05-01T00:00:00Z' }] },
    ],
  ])('%s', async ([, balance, verdict, lists], { setup }) => {
    const operation = await bought(setup);
    setAccount(setup, balance, lists);
    await failed(setup);
    expect(resultOf(await setup.read(operation))).toMatchObject({
      status: 'failed',
      refund: { checks: 1, balance: verdict, over: verdict === 'back' },
    });
    expect(setup.show).toHaveBeenCalledOnce();
    expect(await setup.isNotified(operation)).toBe(true);
  });

  test.for<[behaviour: string, balance: string, failedOrders: number[], verdicts: string[]]>([
    ['with a later order', '997.68', [ORDER], ['back', 'none']],
    ['with a later order only', '995.36', [ORDER], ['same', 'none']],
    ['with an earlier order', '997.68', [ORDER + 1], ['none', 'back']],
    ['with two refunds', '1000.00', [ORDER, ORDER + 1], ['back', 'back']],
    ['with one of two refunds', '997.68', [ORDER, ORDER + 1], ['moved', 'moved']],
  ])('%s', async ([, balance, orders, verdicts], { setup }) => {
    const operations = [await bought(setup), await bought(setup, ORDER + 1, '997.68', USER + 1)];
    setAccount(setup, balance);
    await failed(setup, ...orders);
    const found = await Promise.all(operations.map(setup.read));
    expect(found.map((one) => resultOf(one)?.refund?.balance ?? 'none')).toEqual(verdicts);
  });

  test.for([
    ['997.68', 'moved'],
    ['1000.00', 'back'],
  ])('with an order whose outcome is unknown: %s TRX are %s', async ([balance = '', verdict], { setup }) => {
    const operation = await bought(setup);
    await setup.lost();
    setAccount(setup, balance);
    await failed(setup);
    expect(resultOf(await setup.read(operation))?.refund).toMatchObject({ balance: verdict });
  });

  test('only if no other operation is in progress', async ({ setup }) => {
    const operation = await bought(setup);
    const { attended, answer } = await setup.underWay();
    setAccount(setup, '1000.00');
    await failed(setup);
    expect(resultOf(await setup.read(operation))?.refund).toMatchObject({ balance: 'moved' });
    expect(resultOf(await setup.read(operation))?.refund?.left).toBeUndefined();
    answer(orderOf({ order_id: 8 }));
    await attended;
  });

  test('only if the key opens the account', async ({ setup }) => {
    const operation = await bought(setup);
    setup.rental.profile.mockResolvedValue(profileOf('1000.00', ACCOUNT + 1));
    await failed(setup);
    setup.apiKey.mockResolvedValue(undefined);
    setup.rental.profile.mockClear();
    await setup.pass(20_000);
    expect(resultOf(await setup.read(operation))?.refund).toMatchObject({ checks: 2, balance: 'unread' });
    expect(setup.rental.profile).not.toHaveBeenCalled();
  });
});

test('looks for a refund for about an hour, ever less often, and tells its user once that none came', async ({
  setup,
}) => {
  const operation = await bought(setup);
  setAccount(setup, '997.68');
  setup.rental.profile.mockClear();
  await failed(setup);
  const told = setup.show.mock.calls.length;
  await setup.pass(5 * MINUTE);
  expect(setup.rental.profile).toHaveBeenCalledTimes(4);
  await setup.pass(50 * MINUTE);
  expect(setup.rental.profile).toHaveBeenCalledTimes(7);
  expect(setup.show).toHaveBeenCalledTimes(told);
  setup.rental.profile.mockResolvedValue(CUT);
  await setup.pass(20 * MINUTE);
  expect(await setup.read(operation)).toMatchObject({
    result: { refund: { checks: 8, balance: 'same', over: true } },
    receipt: { replaced: 1 },
  });
  expect(setup.show).toHaveBeenCalledTimes(told + 1);
  setAccount(setup, '1000.00');
  await setup.operations.settlement.report(ACCOUNT, FAILED);
  await setup.pass(120 * MINUTE);
  expect(setup.rental.profile).toHaveBeenCalledTimes(8);
  expect(await setup.storage.index.upTo('operations:due', Number.MAX_VALUE, 10)).toEqual([]);
});

test('ends the search with a check that was due more than an hour ago', async ({ setup }) => {
  const operation = await bought(setup);
  setAccount(setup, '997.68');
  await failed(setup);
  setup.clock.now += 72 * MINUTE;
  await setup.pass(1_000);
  expect(resultOf(await setup.read(operation))?.refund).toMatchObject({
    checks: 2,
    balance: 'same',
    over: true,
  });
  expect(await setup.isNotified(operation)).toBe(true);
});

test('sees a later refund although the balance changed for other reasons before', async ({ setup }) => {
  const operation = await bought(setup);
  setAccount(setup, '996.18');
  await failed(setup);
  expect(resultOf(await setup.read(operation))?.refund).toMatchObject({ balance: 'moved' });
  setAccount(setup, '998.50');
  await setup.pass(MINUTE);
  expect(resultOf(await setup.read(operation))?.refund).toMatchObject({ checks: 2, balance: 'back' });
});

test('replies that the refund was seen even if no reply to the failure was acknowledged', async ({
  setup,
}) => {
  await bought(setup);
  setAccount(setup, '997.68');
  const sent: (string | undefined)[] = [];
  const { reconciler } = setup.replica(setup.storage, async (operation, may) => {
    if (may === 'edit') return { kind: 'shown', card: CARD };
    sent.push(resultOf(operation)?.refund?.balance);
    const isUnclear = resultOf(operation)?.refund?.over !== true;
    return isUnclear
      ? { kind: 'later', afterMs: 15_000, isUnclear }
      : { kind: 'shown', card: CARD, followUp: 90 };
  });
  await setup.operations.settlement.report(ACCOUNT, FAILED);
  await setup.pass(50_000, reconciler);
  setAccount(setup, '1000.00');
  await setup.pass(MINUTE, reconciler);
  expect(sent).toEqual(['same', 'same', 'back']);
});

test('shows a reported refund without a look at the balance', async ({ setup }) => {
  const operation = await bought(setup);
  setup.rental.profile.mockClear();
  const data = { order_id: ORDER, address: ADDRESS, refund_trx: '2.30' };
  const [report] = setup.kinds.reports({ type: 'order.failed', id: '1', data });
  if (report) await setup.operations.settlement.report(ACCOUNT, report);
  await setup.pass(MINUTE);
  expect(resultOf(await setup.read(operation))).toMatchObject({ status: 'failed', refunded: '2.30' });
  expect(setup.rental.profile).not.toHaveBeenCalled();
  expect(await setup.isNotified(operation)).toBe(true);
});

test('tells of a failure even while the rate limit holds the check back, and makes it afterwards', async ({
  setup,
}) => {
  const operation = await bought(setup);
  setup.rental.profile.mockResolvedValue(heldBack(30_000));
  await failed(setup);
  expect(setup.show).toHaveBeenCalledOnce();
  expect(resultOf(await setup.read(operation))?.refund).toBeUndefined();
  setAccount(setup, '1000.00');
  await setup.pass(40_000);
  expect(resultOf(await setup.read(operation))?.refund).toMatchObject({ checks: 1, balance: 'back' });
});

test('looks for the refund of an order that its own reply or evidence shows as failed', async ({ setup }) => {
  setAccount(setup, '1000.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ status: 'failed' }));
  const operation = await setup.executed();
  const uncertain = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, { ...FAILED, order: 8, at: setup.clock.now });
  await setup.pass(MINUTE);
  for (const ref of [operation, uncertain]) {
    expect(resultOf(await setup.read(ref))?.refund?.checks).toBeGreaterThan(0);
    expect(await setup.isNotified(ref)).toBe(true);
  }
});
