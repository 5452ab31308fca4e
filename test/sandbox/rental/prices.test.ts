import { describe, expect, it } from 'vitest';
import { ORDER, useRental } from './rental-server.ts';

const rental = useRental();

interface Tiers {
  tiers: { size: number; price_trx: string }[];
  single_transfer_price: string;
}

describe('GET /transfer-packages/tiers', () => {
  it('shows sizes with total prices, the single price and the limits', async () => {
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

interface Prices {
  energy_sun: { '1h': string; '24h': string };
  energy_trx: { '1h': string; '24h': string };
  savings_percent: number;
}
const setPrices = (energy_sun: unknown) => rental.control<Prices>('POST', '/prices', { energy_sun });
const prices = async () => (await rental.ask<Prices>('GET', '/prices')).json;
const buy = async (duration_hours: 1 | 24) => {
  const body = { ...ORDER, duration_hours };
  return (await rental.ask<{ price_trx: string }>('POST', '/energy/buy', { body })).json.price_trx;
};
const createInvoice = async () =>
  (await rental.ask<{ invoice_id: number }>('POST', '/invoices', { body: ORDER })).json;

describe('POST /prices', () => {
  it('changes the price list and returns it', async () => {
    const { status, json } = await setPrices({ '1h': '30.00', '24h': '55.00' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      energy_sun: { '1h': '30.00', '24h': '55.00' },
      energy_trx: { '1h': '1.95', '24h': '3.58' },
      energy_usd: { '1h': '0.63', '24h': '1.16' },
      savings_percent: 70,
    });
    expect(await prices()).toEqual(json);
  });

  it('changes the price of one duration only', async () => {
    await setPrices({ '24h': '55' });
    await setPrices({ '1h': '20.5' });
    expect((await prices()).energy_sun).toEqual({ '1h': '20.50', '24h': '55.00' });
    await setPrices({ '24h': '60' });
    expect((await prices()).energy_sun).toEqual({ '1h': '20.50', '24h': '60.00' });
  });

  it('applies to later orders', async () => {
    expect(await buy(1)).toBe('2.32');
    await setPrices({ '1h': '30.00', '24h': '55.00' });
    expect([await buy(1), await buy(24)]).toEqual(['1.95', '3.58']);
    const { accounts, orders, audit } = await rental.state();
    expect(orders.map(({ price_trx }) => price_trx)).toEqual(['3.58', '1.95', '2.32']);
    expect(accounts[0]?.balance_trx).toBe('992.15');
    expect(audit.ok).toBe(true);
  });

  it('refunds an existing order at its old price', async () => {
    await buy(1);
    await setPrices({ '1h': '30.00' });
    await rental.control('POST', '/orders/10001/fail');
    expect((await rental.state()).accounts[0]?.balance_trx).toBe('1000.00');
  });

  it('applies to later invoices, in TRX and USDT, and not to existing ones', async () => {
    const old = await createInvoice();
    await setPrices({ '1h': '30.00' });
    expect(await createInvoice()).toMatchObject({ price_trx: '1.95', price_usdt: '0.64' });
    expect((await rental.ask('GET', `/invoices/${old.invoice_id}`)).json).toMatchObject({
      price_trx: '2.32',
    });
  });

  it('shows the prices in the state until a reset', async () => {
    await setPrices({ '1h': '30.00' });
    expect((await rental.state()).prices.energy_sun).toEqual({ '1h': '30.00', '24h': '65.00' });
    await rental.control('POST', '/reset');
    expect((await rental.state()).prices.energy_sun).toEqual({ '1h': '35.68', '24h': '65.00' });
  });

  it.each([
    [{ '1h': '0' }, 'energy_sun.1h: expected a decimal string of sun above 0'],
    [{ '24h': '-1' }, 'energy_sun.24h: expected a decimal string of sun above 0'],
    [{ '1h': '0.001' }, 'energy_sun.1h: expected a decimal string of sun above 0'],
    [{ '1h': '1000000' }, 'energy_sun.1h: expected a decimal string of sun above 0'],
    [{ '1h': 30 }, 'energy_sun.1h: expected a decimal string of sun above 0'],
    [{ '1h': '30.00', '24h': 'cheap' }, 'energy_sun.24h: expected a decimal string of sun above 0'],
    [{ '2h': '30.00' }, 'energy_sun: '],
    [{}, 'energy_sun: expected "1h", "24h" or both'],
    [undefined, 'energy_sun: expected an object like {"1h": "35.68", "24h": "65.00"}'],
  ])('rejects %j and changes nothing', async (energySun, message) => {
    expect(await setPrices(energySun)).toEqual({
      status: 422,
      json: { detail: expect.stringContaining(message) },
    });
    expect((await prices()).energy_sun).toEqual({ '1h': '35.68', '24h': '65.00' });
  });
});
