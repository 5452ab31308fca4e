import { z } from 'zod';
import { count, currency, time, unit } from './fields.ts';

export const deposit = z.strictObject({
  id: count,
  accountId: count,
  from: z.string(),
  currency,
  amount: unit,
  amountTrx: unit,
  txHash: z.string(),
  createdAt: time,
  status: z.enum(['pending', 'confirmed', 'expired']),
  confirmedAt: time.optional(),
});
