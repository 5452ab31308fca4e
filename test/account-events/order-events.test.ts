import { expect, test, vi } from 'vitest';
import { createOrderEvents } from '../../src/account-events/handlers.ts';
import { BANDWIDTH, setUpOperations } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../operations/rental-stand-in.ts';

const about = { order_id: ORDER, address: ADDRESS };
const eventOf = (type: string, data: Record<string, unknown>) => ({ type, id: `${type}:${ORDER}`, data });

function openOrders() {
  const setup = setUpOperations();
  const looks = { expectBalance: vi.fn(async () => {}) };
  const { hears, heard } = createOrderEvents({ operations: setup.operations, looks });
  const hear = (type: string, data: Record<string, unknown>) => heard(ACCOUNT, eventOf(type, data), 'sent');
  return { setup, looks, hears, hear };
}

test('handles filled and failed orders only', () => {
  const { hears } = openOrders();
  expect(['order.filled', 'order.failed', 'order.other', 'orders', 'invoice.paid'].filter(hears)).toEqual([
    'order.filled',
    'order.failed',
  ]);
});

test.each([
  ['energy', {}, { energy_amount: 65_000 }],
  ['bandwidth', { request: BANDWIDTH }, { bandwidth_amount: 1_000 }],
])('updates an order of %s and polls the balance', async (_, wanted, amount) => {
  const { setup, hear, looks } = openOrders();
  const operation = await setup.claimed(wanted);
  await setup.advance(operation);
  await hear('order.filled', { ...about, ...amount });
  expect(await setup.read(operation)).toMatchObject({ result: { order: ORDER, status: 'filled' } });
  expect(looks.expectBalance).toHaveBeenCalledWith(ACCOUNT);
});

test('uses the amount’s kind to identify a failed order, because numbers are not unique', async () => {
  const { setup, hear } = openOrders();
  const operation = await setup.claimed();
  await setup.advance(operation);
  await hear('order.failed', { order_id: ORDER });
  await hear('order.failed', { order_id: ORDER, bandwidth_amount: 350 });
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
  await hear('order.failed', { order_id: ORDER, energy_amount: 65_000 });
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'failed' } });
});

test('ignores events about the other kind and events without an order', async () => {
  const { setup, hear } = openOrders();
  const operation = await setup.claimed();
  await setup.advance(operation);
  await hear('order.filled', { ...about, bandwidth_amount: 65_000 });
  await hear('order.filled', {});
  await hear('order.filled', { order_id: String(ORDER) });
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
});
