import { z } from 'zod';
import { requireAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text, whole } from '../fields.ts';
import { orderRecord } from '../order.ts';

const body = z.object({
  address: text('a chain address: T and 33 more characters'),
  energy_amount: whole(32_000, 5_000_000),
  duration_hours: z.literal([1, 24], { error: 'expected 1 or 24' }),
});

export const energyBuy = post('/energy/buy', { body, perMinute: 30 }, ({ account, parts, body }) =>
  orderRecord(
    parts.orders.buyEnergy(account, {
      address: requireAddress(body.address),
      amount: body.energy_amount,
      durationHours: body.duration_hours,
    }),
  ),
);
