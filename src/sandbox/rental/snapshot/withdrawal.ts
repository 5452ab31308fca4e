import { z } from 'zod';
import { count, time, unit } from './fields.ts';

export const withdrawal = z.strictObject({
  id: count,
  accountId: count,
  toAddress: z.string(),
  amount: unit,
  fee: unit,
  createdAt: time,
  status: z.enum(['pending', 'completed', 'failed']),
  txHash: z.string().optional(),
});
