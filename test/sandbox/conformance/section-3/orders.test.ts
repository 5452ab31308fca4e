import { describe, expect } from 'vitest';
import { units } from '../amounts.ts';
import { EnergyOrder } from '../resources.ts';
import { balance, buyBandwidth, buyEnergy } from '../samples.ts';
import { createTarget } from '../target.ts';

const { spends, controls } = createTarget();
const TRX = 1_000_000n;

describe('3. Energy order', () => {
  spends('"A newly created order is returned with status pending"', async (service) => {
    expect(await buyEnergy(service)).toMatchObject({ status: 'pending' });
  });

  controls('pending → filled: the address has the energy, the price remains charged', async (target) => {
    const { order_id, price_trx } = await buyEnergy(target);
    const filled = await target.controlled(EnergyOrder, 'POST', `/orders/${order_id}/fill`);
    expect(filled).toMatchObject({ order_id, status: 'filled' });
    expect(await balance(target)).toBe(1_000n * TRX - units(price_trx));
  });

  controls('pending → failed: the price is refunded', async (target) => {
    const { order_id } = await buyEnergy(target);
    const failed = await target.controlled(EnergyOrder, 'POST', `/orders/${order_id}/fail`);
    expect(failed).toMatchObject({ order_id, status: 'failed' });
    expect(await balance(target)).toBe(1_000n * TRX);
  });

  controls('filled and failed are final', async (target) => {
    for (const [first, second] of [
      ['fill', 'fail'],
      ['fail', 'fill'],
    ]) {
      const { order_id } = await buyEnergy(target);
      await target.control('POST', `/orders/${order_id}/${first}`);
      await expect(target.control('POST', `/orders/${order_id}/${second}`)).rejects.toThrow('409');
    }
  });
});

describe('3. Bandwidth order', () => {
  spends('"A newly created order is returned with status pending"', async (service) => {
    expect(await buyBandwidth(service)).toMatchObject({ status: 'pending' });
  });

  controls('pending → filled, pending → failed with a refund', async (target) => {
    const first = await buyBandwidth(target);
    const second = await buyBandwidth(target);
    await target.control('POST', `/orders/${first.order_id}/fill`);
    await target.control('POST', `/orders/${second.order_id}/fail`);
    const { orders } = await target.state();
    expect(orders.map(({ order_id, status }) => [order_id, status])).toEqual([
      [second.order_id, 'failed'],
      [first.order_id, 'filled'],
    ]);
    expect(await balance(target)).toBe(1_000n * TRX - units(first.price_trx));
  });
});
