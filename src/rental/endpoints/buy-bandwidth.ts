import { z } from 'zod';
import { BANDWIDTH_MAX, BANDWIDTH_MIN, PER_MINUTE } from '../limits.ts';
import { BandwidthOrder } from '../resources/bandwidth-order.ts';
import type { Endpoint } from './endpoint.ts';
import { targetAddress } from './request-fields.ts';

/** The specification doesn't list the allowed durations (section 4, endpoint 2). The service validates them. */
const BandwidthPurchase = z.object({
  address: targetAddress,
  bandwidth_amount: z.int().min(BANDWIDTH_MIN).max(BANDWIDTH_MAX),
  duration_hours: z.int().positive(),
});

export type BandwidthPurchase = z.infer<typeof BandwidthPurchase>;

export const buyBandwidth: Endpoint<BandwidthPurchase, BandwidthOrder> = {
  name: 'buyBandwidth',
  kind: 'money',
  method: 'POST',
  path: '/bandwidth/buy',
  perMinute: PER_MINUTE.buyBandwidth,
  request: BandwidthPurchase,
  response: BandwidthOrder,
  echoes: (asked, order) =>
    order.address === asked.address &&
    order.bandwidth_amount === asked.bandwidth_amount &&
    order.duration_hours === asked.duration_hours,
};
