import { z } from 'zod';
import { isChainAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text, whole } from '../fields.ts';
import { coded, Refusal } from '../refusal.ts';
import { trxFromSun } from '../sun.ts';

const body = z.object({
  address: text('a chain address: T and 33 more characters'),
  energy_amount: whole(32_000, 5_000_000),
  duration_hours: z.literal([1, 24], { error: 'expected 1 or 24' }),
});

export const energyBuy = post('/energy/buy', { body, perMinute: 30 }, ({ account, parts, body }) => {
  if (!isChainAddress(body.address)) {
    throw new Refusal(400, coded('INVALID_ADDRESS', `${body.address} is not a chain address`));
  }
  const order = parts.orders.buyEnergy(account, {
    address: body.address,
    energyAmount: body.energy_amount,
    durationHours: body.duration_hours,
  });
  return {
    order_id: order.id,
    address: order.address,
    energy_amount: order.energyAmount,
    duration_hours: order.durationHours,
    price_trx: trxFromSun(order.price),
    status: order.status,
  };
});
