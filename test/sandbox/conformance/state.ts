import { z } from 'zod';

/** What of the control side's `GET /state` is looked at here; lists are newest first. */
export const State = z.looseObject({
  now: z.number(),
  accounts: z.array(z.looseObject({ id: z.number(), key: z.string(), balance_trx: z.string() })),
  orders: z.array(z.looseObject({ order_id: z.number(), account_id: z.number(), status: z.string() })),
  ledger: z.array(z.looseObject({ kind: z.string(), account_id: z.number(), amount_trx: z.string() })),
});
