import { z } from 'zod';
import { requireAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text, whole } from '../fields.ts';
import { orderRecord } from '../order.ts';

/** The specification doesn't list the allowed hours. The sandbox allows whole hours up to 30 days. */
const MAX_HOURS = 720;

const body = z.object({
  address: text('a chain address: T and 33 more characters'),
  bandwidth_amount: whole(350, 100_000),
  duration_hours: whole(1, MAX_HOURS),
});

export const bandwidthBuy = post('/bandwidth/buy', { body, perMinute: 30 }, ({ account, parts, body }) =>
  orderRecord(
    parts.orders.buyBandwidth(account, {
      address: requireAddress(body.address),
      amount: body.bandwidth_amount,
      durationHours: body.duration_hours,
    }),
  ),
);
