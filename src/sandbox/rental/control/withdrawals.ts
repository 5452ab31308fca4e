import { Hono } from 'hono';
import type { Withdrawals } from '../withdrawals.ts';
import { withdrawalView } from './views.ts';

/** Adds `POST /withdrawals/:id/complete` and `/withdrawals/:id/fail`, which end a pending withdrawal. */
export function controlWithdrawals(withdrawals: Withdrawals): Hono {
  return new Hono()
    .post('/:id/complete', (c) => c.json(withdrawalView(withdrawals.complete(Number(c.req.param('id'))))))
    .post('/:id/fail', (c) => c.json(withdrawalView(withdrawals.fail(Number(c.req.param('id'))))));
}
