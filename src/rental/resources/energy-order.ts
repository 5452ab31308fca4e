import { z } from 'zod';
import { chainAddress, numeric, price, recordId, status } from './fields.ts';

/** Section 2, energy order: `pending`, `filled` or `failed`; `price_trx` is the whole price. */
export const EnergyOrder = z.looseObject({
  order_id: recordId,
  address: chainAddress,
  energy_amount: numeric,
  duration_hours: numeric,
  price_trx: price,
  status,
});

export type EnergyOrder = z.infer<typeof EnergyOrder>;
