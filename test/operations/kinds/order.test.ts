import { expect, test } from 'vitest';
import { orderResult } from '../../../src/operations/kinds/order.ts';

const answer = (price_trx?: string) =>
  orderResult({ kind: 'accepted', value: { order_id: 7, status: 'pending', price_trx } });

test.each([
  ['2.3192', '2.3192'],
  [undefined, undefined],
])('an order whose response has the price %s results in the price %s', (told, price) => {
  expect(answer(told)).toEqual({ kind: 'accepted', value: { order: 7, status: 'pending', price } });
});
