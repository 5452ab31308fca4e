import { z } from 'zod';
import { chainAddress, decimal, recordId, status } from './fields.ts';

/** Section 2, energy order: `pending`, `filled` or `failed`; `price_trx` is the whole price. */
export const EnergyOrder = z.looseObject({
  order_id: recordId,
  address: chainAddress,
  energy_amount: z.number(),
  duration_hours: z.number(),
  price_trx: decimal,
  status,
});

export type EnergyOrder = z.infer<typeof EnergyOrder>;
