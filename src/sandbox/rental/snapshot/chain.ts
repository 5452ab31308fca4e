import { z } from 'zod';
import { count, currency, money, time, unit } from './fields.ts';

export const purse = money.extend({
  active: z.boolean(),
  ofService: z.boolean(),
  delegations: z.array(
    z.strictObject({
      resource: z.enum(['energy', 'bandwidth']),
      amount: count,
      expiresAt: time,
      txHash: z.string(),
    }),
  ),
});

export const transaction = z.strictObject({
  hash: z.string(),
  at: time,
  kind: z.enum(['transfer', 'activation', 'delegation']),
  from: z.string(),
  to: z.string(),
  currency,
  amount: unit,
  memo: z.string().optional(),
  returnTo: z.string().optional(),
});
