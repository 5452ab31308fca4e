import { Hono } from 'hono';
import type { Orders } from '../orders.ts';
import { orderView } from './views.ts';

/** Adds `POST /orders/:id/fill` and `/orders/:id/fail`, which end a pending order. */
export function controlOrders(orders: Orders): Hono {
  return new Hono()
    .post('/:id/fill', (c) => c.json(orderView(orders.fill(Number(c.req.param('id'))))))
    .post('/:id/fail', (c) => c.json(orderView(orders.fail(Number(c.req.param('id'))))));
}
