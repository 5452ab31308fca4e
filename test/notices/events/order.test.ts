import { expect, test } from 'vitest';
import { createOrderEvents } from '../../../src/notices/events/order.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../../operations/rental-stand-in.ts';
import { BANDWIDTH, openRoom } from '../../operations/room.ts';

const about = { order_id: ORDER, address: ADDRESS };
const eventOf = (type: string, data: Record<string, unknown>) => ({ type, id: `${type}:${ORDER}`, data });

test('it hears what becomes of orders, and nothing else', () => {
  expect(createOrderEvents(openRoom()).types).toEqual(['order.filled', 'order.failed']);
});

test.each([
  ['energy', {}, { energy_amount: 65_000 }],
  ['bandwidth', { request: BANDWIDTH }, { bandwidth_amount: 1_000 }],
])('an order of %s learns what became of it', async (_, wanted, amount) => {
  const room = openRoom();
  const operation = await room.claimed(wanted);
  await room.advance(operation);
  await createOrderEvents(room).handle(ACCOUNT, eventOf('order.filled', { ...about, ...amount }));
  expect(await room.read(operation)).toMatchObject({ result: { order: ORDER, status: 'filled' } });
});

test('an event about the other kind leaves it as it is, and so does one that is about no order', async () => {
  const room = openRoom();
  const operation = await room.claimed();
  await room.advance(operation);
  const { handle } = createOrderEvents(room);
  await handle(ACCOUNT, eventOf('order.filled', { ...about, bandwidth_amount: 65_000 }));
  await handle(ACCOUNT, eventOf('order.filled', {}));
  await handle(ACCOUNT, eventOf('order.filled', { order_id: String(ORDER) }));
  expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
});
