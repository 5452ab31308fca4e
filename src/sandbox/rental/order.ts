import { z } from 'zod';
import { count, defineRecord, time, units } from './record.ts';
import { trxFromSun } from './sun.ts';

const order = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  /** Amount of energy or bandwidth. */
  amount: count,
  price: units,
  createdAt: time,
  status: z.enum(['pending', 'filled', 'failed']),
});
const energyOrder = order.extend({ kind: z.literal('energy'), durationHours: z.literal([1, 24]) });
const bandwidthOrder = order.extend({ kind: z.literal('bandwidth'), durationHours: count });

export type EnergyOrder = z.output<typeof energyOrder>;
export type BandwidthOrder = z.output<typeof bandwidthOrder>;
export type Order = EnergyOrder | BandwidthOrder;

/** `energy`, `bandwidth`: a new order. `fill`, `refund`: its end. */
export const orders = defineRecord({
  schema: z.discriminatedUnion('kind', [energyOrder, bandwidthOrder]),
  view: (one) => ({
    ...orderRecord(one),
    kind: one.kind,
    account_id: one.accountId,
    created_at: new Date(one.createdAt).toISOString(),
  }),
  ledgerKinds: ['energy', 'bandwidth', 'fill', 'refund'],
  lastId: 10_000,
});

/** Returns the amount under its API field name. */
export function amountField({ kind, amount }: Order) {
  return kind === 'energy' ? { energy_amount: amount } : { bandwidth_amount: amount };
}

/** Returns an order as the API shows it (section 2). */
export function orderRecord(order: Order) {
  return {
    order_id: order.id,
    address: order.address,
    ...amountField(order),
    duration_hours: order.durationHours,
    price_trx: trxFromSun(order.price),
    status: order.status,
  };
}
