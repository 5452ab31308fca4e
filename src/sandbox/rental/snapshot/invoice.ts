import { z } from 'zod';
import { count, currency, energyHours, money, time, unit } from './fields.ts';

const payment = z.strictObject({
  at: time,
  payer: z.string(),
  currency,
  amount: unit,
  txHash: z.string(),
  kept: unit,
});

export const invoice = z.strictObject({
  id: count,
  accountId: count,
  paymentAddress: z.string(),
  address: z.string(),
  energyAmount: count,
  durationHours: energyHours,
  price: money,
  createdAt: time,
  expiresAt: time,
  payments: z.array(payment),
  status: z.enum(['pending', 'paid', 'delegated', 'expired', 'failed']),
  paidAt: time.optional(),
  delegatedAt: time.optional(),
  txHash: z.string().optional(),
});
