import { Hono } from 'hono';
import type { Deposits } from '../deposits.ts';
import { depositView } from './views.ts';

/** `POST /deposits/:id/confirm` and `/deposits/:id/expire`: the end of a pending deposit. */
export function controlDeposits(deposits: Deposits): Hono {
  return new Hono()
    .post('/:id/confirm', (c) => c.json(depositView(deposits.confirm(Number(c.req.param('id'))))))
    .post('/:id/expire', (c) => c.json(depositView(deposits.expire(Number(c.req.param('id'))))));
}
