import { describe, expect, it } from 'vitest';
import { serveRental } from '../rental-server.ts';

describe('GET /prices', () => {
  it('lists prices by duration', async () => {
    const rental = await serveRental();
    const { status, json } = await rental.ask('GET', '/prices');
    expect(status).toBe(200);
    expect(json).toEqual({
      energy_sun: { '1h': '35.68', '24h': '65.00' },
      energy_trx: { '1h': '2.32', '24h': '4.23' },
      energy_usd: { '1h': '0.75', '24h': '1.37' },
      energy_volume: 65_000,
      bandwidth_trx: { '1h': '0.34', '24h': '3.56' },
      bandwidth_usd: { '1h': '0.11', '24h': '1.16' },
      bandwidth_volume: 350,
      trx_usd_rate: '0.3250',
      burn_cost_trx: '6.50',
      savings_percent: 64,
    });
  });
});
