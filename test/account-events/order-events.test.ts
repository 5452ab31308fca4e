import { expect, test } from 'vitest';
import { BANDWIDTH, setUpOperations } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../operations/rental-stand-in.ts';
import { openOrderHandler } from './order-handler.ts';

const about = { order_id: ORDER, address: ADDRESS };
const eventOf = (type: string, data: Record<string, unknown>) => ({ type, id: `${type}:${ORDER}`, data });

function openOrders() {
  const setup = setUpOperations();
  const { handler, pollers } = openOrderHandler(setup.operations);
  const handleOrder = (type: string, data: Record<string, unknown>) =>
    handler.handle(ACCOUNT, eventOf(type, data), 'webhook');
  return { setup, pollers, handles: handler.handles, handleOrder };
}

test('handles filled and failed orders only', () => {
  const { handles } = openOrders();
  expect(['order.filled', 'order.failed', 'order.other', 'orders', 'invoice.paid'].filter(handles)).toEqual([
    'order.filled',
    'order.failed',
  ]);
});

test.each([
  ['energy', {}, { energy_amount: 65_000 }],
  ['bandwidth', { request: BANDWIDTH }, { bandwidth_amount: 1_000 }],
])('updates an order of %s and polls the balance', async (_, wanted, amount) => {
  const { setup, handleOrder, pollers } = openOrders();
  const operation = await setup.claimed(wanted);
  await setup.advance(operation);
  await handleOrder('order.filled', { ...about, ...amount });
  expect(await setup.read(operation)).toMatchObject({ result: { order: ORDER, status: 'filled' } });
  expect(pollers.pollBalanceIfNeeded).toHaveBeenCalledWith(ACCOUNT);
});

test('uses the amount’s kind to identify a failed order, because numbers are not unique', async () => {
  const { setup, handleOrder } = openOrders();
  const operation = await setup.claimed();
  await setup.advance(operation);
  await handleOrder('order.failed', { order_id: ORDER });
  await handleOrder('order.failed', { order_id: ORDER, bandwidth_amount: 350 });
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
  await handleOrder('order.failed', { order_id: ORDER, energy_amount: 65_000 });
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'failed' } });
});

test('ignores events about the other kind and events without an order', async () => {
  const { setup, handleOrder } = openOrders();
  const operation = await setup.claimed();
  await setup.advance(operation);
  await handleOrder('order.filled', { ...about, bandwidth_amount: 65_000 });
  await handleOrder('order.filled', {});
  await handleOrder('order.filled', { order_id: String(ORDER) });
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
});
