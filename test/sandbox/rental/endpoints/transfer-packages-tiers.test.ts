import { describe, expect, it } from 'vitest';
import { serveRental } from '../rental-server.ts';

interface Tiers {
  tiers: { size: number; price_trx: string }[];
  single_transfer_price: string;
}

describe('GET /transfer-packages/tiers', () => {
  it('shows sizes with total prices, the single price and the limits', async () => {
    const rental = await serveRental();
    const { status, json } = await rental.ask<Tiers>('GET', '/transfer-packages/tiers');
    expect(status).toBe(200);
    expect(json).toEqual({
      tiers: [
        { size: 10, price_trx: '23.50' },
        { size: 50, price_trx: '115.00' },
        { size: 100, price_trx: '225.00' },
        { size: 500, price_trx: '1075.00' },
        { size: 1000, price_trx: '2050.00' },
      ],
      single_transfer_price: '2.40',
      bw_fee_per_transfer: '0.30',
      min_custom_size: 1,
      max_custom_size: 10_000,
    });
  });
});
