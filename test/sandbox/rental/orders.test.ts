import { describe, expect, it } from 'vitest';
import { ADDRESS, ORDER, useRental } from './rental-server.ts';

const rental = useRental();

describe('POST /energy/buy', () => {
  it.each([
    [32_000, 1, '1.14'],
    [65_000, 1, '2.32'],
    [65_000, 24, '4.23'],
    [131_000, 1, '4.67'],
    [131_000, 24, '8.52'],
    [5_000_000, 24, '325.00'],
  ])('charges for %i energy over %i h %s TRX', async (energy_amount, duration_hours, price) => {
    const { json } = await rental.ask<{ price_trx: string }>('POST', '/energy/buy', {
      body: { ...ORDER, energy_amount, duration_hours },
    });
    expect(json.price_trx).toBe(price);
  });

  it('charges at most the balance for twenty concurrent orders', async () => {
    await rental.control('POST', '/accounts/1003/balance', { balance_trx: '7.00' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        rental.request('POST', '/energy/buy', { key: 'empty-key', body: ORDER }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const { accounts, orders } = await rental.state();
    expect(accounts.find(({ id }) => id === 1003)?.balance_trx).toBe('0.04');
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(3);
  });
});

const BANDWIDTH = { address: ADDRESS, bandwidth_amount: 1000, duration_hours: 24 };

describe('POST /bandwidth/buy', () => {
  it.each([
    [350, 1, '0.34'],
    [350, 24, '3.56'],
    [1000, 1, '0.60'],
    [1000, 24, '9.80'],
    [1000, 48, '19.40'],
    [100_000, 1, '40.20'],
    [100_000, 24, '960.20'],
    // Exactly 0.6048 and 0.6052.
    [1_012, 1, '0.60'],
    [1_013, 1, '0.61'],
  ])('charges for %i bandwidth over %i h %s TRX', async (bandwidth_amount, duration_hours, price) => {
    const { json } = await rental.ask<{ price_trx: string }>('POST', '/bandwidth/buy', {
      body: { ...BANDWIDTH, bandwidth_amount, duration_hours },
    });
    expect(json.price_trx).toBe(price);
  });
});
