import { describe, expect, it } from 'vitest';
import { ADDRESS, ORDER, serveRental } from '../rental-server.ts';

interface Prices {
  energy_sun: { '1h': string; '24h': string };
  energy_trx: { '1h': string; '24h': string };
  savings_percent: number;
}

const INVOICE = { address: ADDRESS, transfer_count: 1, duration_hours: 1 };

async function served() {
  const rental = await serveRental();
  return {
    ...rental,
    setPrices: (energy_sun: unknown) => rental.control<Prices>('POST', '/prices', { energy_sun }),
    prices: async () => (await rental.ask<Prices>('GET', '/prices')).json,
    buy: async (hours: 1 | 24) =>
      (
        await rental.ask<{ price_trx: string }>('POST', '/energy/buy', {
          body: { ...ORDER, duration_hours: hours },
        })
      ).json.price_trx,
    createInvoice: async () =>
      (
        await rental.ask<{ invoice_id: number; price_trx: string; price_usdt: string }>('POST', '/invoices', {
          body: INVOICE,
        })
      ).json,
  };
}

describe('POST /prices', () => {
  it('changes the price list and returns it', async () => {
    const { setPrices, prices } = await served();
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
    const { setPrices, prices } = await served();
    await setPrices({ '24h': '55' });
    await setPrices({ '1h': '20.5' });
    expect((await prices()).energy_sun).toEqual({ '1h': '20.50', '24h': '55.00' });
    await setPrices({ '24h': '60' });
    expect((await prices()).energy_sun).toEqual({ '1h': '20.50', '24h': '60.00' });
  });

  it('applies to later orders', async () => {
    const { setPrices, buy, state } = await served();
    expect(await buy(1)).toBe('2.32');
    await setPrices({ '1h': '30.00', '24h': '55.00' });
    expect([await buy(1), await buy(24)]).toEqual(['1.95', '3.58']);
    const { accounts, orders, audit } = await state();
    expect(orders.map(({ price_trx }) => price_trx)).toEqual(['3.58', '1.95', '2.32']);
    expect(accounts[0]?.balance_trx).toBe('992.15');
    expect(audit.ok).toBe(true);
  });

  it('refunds an existing order at its old price', async () => {
    const { setPrices, buy, control, state } = await served();
    await buy(1);
    await setPrices({ '1h': '30.00' });
    await control('POST', '/orders/10001/fail');
    expect((await state()).accounts[0]?.balance_trx).toBe('1000.00');
  });

  it('applies to later invoices, in TRX and USDT, and not to existing ones', async () => {
    const { setPrices, createInvoice, ask } = await served();
    const old = await createInvoice();
    await setPrices({ '1h': '30.00' });
    expect(await createInvoice()).toMatchObject({ price_trx: '1.95', price_usdt: '0.64' });
    expect((await ask('GET', `/invoices/${old.invoice_id}`)).json).toMatchObject({ price_trx: '2.32' });
  });

  it('never makes energy free', async () => {
    const { setPrices, buy, prices } = await served();
    await setPrices({ '1h': '0.01' });
    expect(await buy(1)).toBe('0.01');
    expect((await prices()).energy_trx['1h']).toBe('0.01');
  });

  it('allows prices above the cost of burning TRX', async () => {
    const { setPrices, prices } = await served();
    await setPrices({ '1h': '150' });
    expect((await prices()).savings_percent).toBe(-50);
  });

  it('shows the prices in the state until a reset', async () => {
    const { setPrices, control, state } = await served();
    await setPrices({ '1h': '30.00' });
    expect((await state()).prices.energy_sun).toEqual({ '1h': '30.00', '24h': '65.00' });
    await control('POST', '/reset');
    expect((await state()).prices.energy_sun).toEqual({ '1h': '35.68', '24h': '65.00' });
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
    const { setPrices, prices } = await served();
    expect(await setPrices(energySun)).toEqual({
      status: 422,
      json: { detail: expect.stringContaining(message) },
    });
    expect((await prices()).energy_sun).toEqual({ '1h': '35.68', '24h': '65.00' });
  });
});
