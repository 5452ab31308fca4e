import { z } from 'zod';
import { chainAddress, decimal, recordId, status } from './fields.ts';

/** Section 2, bandwidth order. */
export const BandwidthOrder = z.looseObject({
  order_id: recordId,
  address: chainAddress,
  bandwidth_amount: z.number(),
  duration_hours: z.number(),
  price_trx: decimal,
  status,
});

export type BandwidthOrder = z.infer<typeof BandwidthOrder>;
