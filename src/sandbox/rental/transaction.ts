import { z } from 'zod';
import { time, units } from './record.ts';
import { currencySchema } from './wallets.ts';

/** Transaction on the chain. Delegations and activations move no money. */
export const transactionSchema = z.strictObject({
  hash: z.string(),
  at: time,
  kind: z.enum(['transfer', 'activation', 'delegation']),
  from: z.string(),
  to: z.string(),
  currency: currencySchema,
  amount: units,
  memo: z.string().optional(),
  /** Address for refunds, if it isn't `from`. */
  returnTo: z.string().optional(),
});

export type Transaction = z.output<typeof transactionSchema>;
