import { z } from 'zod';

/** Fields of the control API's `GET /state` that the tests use. Lists are newest first. */
export const State = z.looseObject({
  now: z.number(),
  accounts: z.array(z.looseObject({ id: z.number(), key: z.string(), balance_trx: z.string() })),
  orders: z.array(z.looseObject({ order_id: z.number(), account_id: z.number(), status: z.string() })),
  ledger: z.array(z.looseObject({ kind: z.string(), account_id: z.number(), amount_trx: z.string() })),
});
