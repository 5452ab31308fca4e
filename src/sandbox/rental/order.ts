import { type Sun, trxFromSun } from './sun.ts';

interface OrderOf<Kind extends 'energy' | 'bandwidth', Hours extends number> {
  readonly id: number;
  readonly kind: Kind;
  readonly accountId: number;
  readonly address: string;
  /** Amount of energy or bandwidth. */
  readonly amount: number;
  readonly durationHours: Hours;
  readonly price: Sun;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  status: 'pending' | 'filled' | 'failed';
}

export type EnergyOrder = OrderOf<'energy', 1 | 24>;
export type BandwidthOrder = OrderOf<'bandwidth', number>;
export type Order = EnergyOrder | BandwidthOrder;

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
