import { expect, test, vi } from 'vitest';
import { createOrderEvents } from '../../../src/notices/events/order.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../../operations/rental-stand-in.ts';
import { BANDWIDTH, openRoom } from '../../operations/room.ts';

const about = { order_id: ORDER, address: ADDRESS };
const eventOf = (type: string, data: Record<string, unknown>) => ({ type, id: `${type}:${ORDER}`, data });

function openOrders() {
  const room = openRoom();
  const looks = { expectBalance: vi.fn(async () => {}) };
  const { hears, heard } = createOrderEvents({ operations: room.operations, looks });
  const hear = (type: string, data: Record<string, unknown>) => heard(ACCOUNT, eventOf(type, data), 'sent');
  return { room, looks, hears, hear };
}

test('it hears what becomes of orders, and nothing else', () => {
  const { hears } = openOrders();
  expect(['order.filled', 'order.failed', 'order.other', 'orders', 'invoice.paid'].filter(hears)).toEqual([
    'order.filled',
    'order.failed',
  ]);
});

test.each([
  ['energy', {}, { energy_amount: 65_000 }],
  ['bandwidth', { request: BANDWIDTH }, { bandwidth_amount: 1_000 }],
])('an order of %s learns what became of it, and the balance is looked at', async (_, wanted, amount) => {
  const { room, hear, looks } = openOrders();
  const operation = await room.claimed(wanted);
  await room.advance(operation);
  await hear('order.filled', { ...about, ...amount });
  expect(await room.read(operation)).toMatchObject({ result: { order: ORDER, status: 'filled' } });
  expect(looks.expectBalance).toHaveBeenCalledWith(ACCOUNT);
});

test('a failed order is told apart by its kind: one of another with its number is another', async () => {
  const { room, hear } = openOrders();
  const operation = await room.claimed();
  await room.advance(operation);
  await hear('order.failed', { order_id: ORDER });
  await hear('order.failed', { order_id: ORDER, bandwidth_amount: 350 });
  expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
  await hear('order.failed', { order_id: ORDER, energy_amount: 65_000 });
  expect(await room.read(operation)).toMatchObject({ result: { status: 'failed' } });
});

test('an event about the other kind leaves it as it is, and so does one that is about no order', async () => {
  const { room, hear } = openOrders();
  const operation = await room.claimed();
  await room.advance(operation);
  await hear('order.filled', { ...about, bandwidth_amount: 65_000 });
  await hear('order.filled', {});
  await hear('order.filled', { order_id: String(ORDER) });
  expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
});
