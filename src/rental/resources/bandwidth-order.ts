import { z } from 'zod';
import { chainAddress, numeric, price, recordId, status } from './fields.ts';

/** Section 2, bandwidth order. */
export const BandwidthOrder = z.looseObject({
  order_id: recordId,
  address: chainAddress,
  bandwidth_amount: numeric,
  duration_hours: numeric,
  price_trx: price,
  status,
});

export type BandwidthOrder = z.infer<typeof BandwidthOrder>;
