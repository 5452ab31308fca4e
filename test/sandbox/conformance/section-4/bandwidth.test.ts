import { describe, expect } from 'vitest';
import { ADDRESS } from '../addresses.ts';
import { units } from '../amounts.ts';
import { wallet } from '../chain.ts';
import { BANDWIDTH, balance, buyBandwidth } from '../samples.ts';
import { createTarget } from '../target.ts';

const { spends, controls } = createTarget();

describe('4.2 POST /api/v1/bandwidth/buy', () => {
  spends('"Response: a Bandwidth order", with the requested values', async (service) => {
    expect(await buyBandwidth(service)).toMatchObject({ ...BANDWIDTH, status: 'pending' });
  });

  spends('"The documented sample for volume 1000 and 24 hours yields a price of 9.80"', async (service) => {
    const before = await balance(service);
    const { price_trx } = await buyBandwidth(service);
    expect(price_trx).toBe('9.80');
    expect(before - (await balance(service))).toBe(9_800_000n);
  });

  for (const [amount, hours, price] of [
    [350, 24, '3.56'],
    [100_000, 24, '960.20'],
    [1_000, 1, '0.60'],
    [1_000, 48, '19.40'],
    [100_000, 1, '40.20'],
  ] as const) {
    controls(
      `"the fixed fee of 0.2 TRX applies to every order": ${amount} for ${hours} h is ${price}`,
      async (target) => {
        const order = await buyBandwidth(target, { bandwidth_amount: amount, duration_hours: hours });
        expect(units(order.price_trx)).toBe(units(price));
      },
    );
  }

  controls(
    '"delegated to any chain address for a chosen number of hours": 24, and no longer',
    async (target) => {
      const { order_id } = await buyBandwidth(target);
      await target.control('POST', `/orders/${order_id}/fill`);
      target.advance(24 * 3_600_000 - 1);
      expect(await wallet(target, ADDRESS)).toMatchObject({ bandwidth: 1_000 });
      target.advance(1);
      expect(await wallet(target, ADDRESS)).toMatchObject({ bandwidth: 0 });
    },
  );

  controls('an insufficient balance is rejected without a charge', async (target) => {
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '9.799999' });
    const refused = await target.ask('POST', '/bandwidth/buy', { key: 'empty-key', body: BANDWIDTH });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await balance(target, { key: 'empty-key' })).toBe(9_799_999n);
  });
});
