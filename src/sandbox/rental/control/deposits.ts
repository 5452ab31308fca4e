import { Hono } from 'hono';
import type { Deposits } from '../deposits.ts';
import { depositView } from './views.ts';

/** Adds `POST /deposits/:id/confirm` and `/deposits/:id/expire`, which end a pending deposit. */
export function controlDeposits(deposits: Deposits): Hono {
  return new Hono()
    .post('/:id/confirm', (c) => c.json(depositView(deposits.confirm(Number(c.req.param('id'))))))
    .post('/:id/expire', (c) => c.json(depositView(deposits.expire(Number(c.req.param('id'))))));
}
