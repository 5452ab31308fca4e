import { describe, expect, it } from 'vitest';
import { ADDRESS, type CodedError, ORDER, serveRental } from '../rental-server.ts';

describe('POST /energy/buy', () => {
  it('creates a pending order and deducts its price', async () => {
    const rental = await serveRental();
    const { status, json } = await rental.ask('POST', '/energy/buy', { body: ORDER });
    expect(status).toBe(200);
    expect(json).toEqual({
      order_id: expect.any(Number),
      address: ADDRESS,
      energy_amount: 65_000,
      duration_hours: 1,
      price_trx: '2.32',
      status: 'pending',
    });
    const profile = await rental.ask<{ balance_trx: string }>('GET', '/account/profile');
    expect(profile.json.balance_trx).toBe('997.68');
  });

  it.each([
    [32_000, 1, '1.14'],
    [65_000, 24, '4.23'],
    [131_000, 1, '4.67'],
    [131_000, 24, '8.52'],
    [5_000_000, 24, '325.00'],
  ])('charges for %i energy over %i h %s TRX', async (energy_amount, duration_hours, price) => {
    const rental = await serveRental();
    const { json } = await rental.ask<{ price_trx: string }>('POST', '/energy/buy', {
      body: { ...ORDER, energy_amount, duration_hours },
    });
    expect(json.price_trx).toBe(price);
  });

  it.each([
    ['energy_amount', 31_999, 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    ['energy_amount', 5_000_001, 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    ['energy_amount', 65_000.5, 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    ['energy_amount', '65000', 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    ['energy_amount', undefined, 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    ['duration_hours', 2, 'duration_hours: expected 1 or 24'],
    ['duration_hours', '1', 'duration_hours: expected 1 or 24'],
    ['duration_hours', undefined, 'duration_hours: expected 1 or 24'],
    ['address', 7, 'address: expected a chain address: T and 33 more characters'],
    ['address', undefined, 'address: expected a chain address: T and 33 more characters'],
  ])('rejects %s %s and says what is expected', async (field, value, detail) => {
    const rental = await serveRental();
    const answer = await rental.ask('POST', '/energy/buy', { body: { ...ORDER, [field]: value } });
    expect(answer).toEqual({ status: 422, json: { detail } });
    expect((await rental.state()).ledger).toEqual([]);
  });

  it('names every invalid field', async () => {
    const rental = await serveRental();
    const { json } = await rental.ask<{ detail: string }>('POST', '/energy/buy', {
      body: { address: ADDRESS },
    });
    expect(json.detail).toMatch(/^energy_amount: .*; duration_hours: .*$/);
  });

  it.each(['', '{"address":', '[]', 'null'])('rejects the body %j', async (body) => {
    const rental = await serveRental();
    const answer = await rental.ask('POST', '/energy/buy', { body });
    expect(answer).toEqual({ status: 422, json: { detail: 'body: expected a JSON object' } });
  });

  it.each([
    ['a wrong checksum', 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999'],
    ['a missing character', ADDRESS.slice(0, -1)],
    ['another case', ADDRESS.toLowerCase()],
    ['a space around it', ` ${ADDRESS}`],
    ['another prefix byte', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['nothing', ''],
  ])('rejects an address with %s', async (_, address) => {
    const rental = await serveRental();
    const { status, json } = await rental.ask<CodedError>('POST', '/energy/buy', {
      body: { ...ORDER, address },
    });
    expect(status).toBe(400);
    expect(json.detail.error).toEqual({ code: 'INVALID_ADDRESS', message: expect.any(String) });
    expect((await rental.state()).orders).toEqual([]);
  });

  it('rejects an insufficient balance and accepts an exact one', async () => {
    const rental = await serveRental();
    await rental.control('POST', '/accounts/1003/balance', { balance_trx: '2.319999' });
    const short = await rental.ask<CodedError>('POST', '/energy/buy', { key: 'empty-key', body: ORDER });
    expect(short.status).toBe(400);
    expect(short.json.detail.error).toEqual({
      code: 'INSUFFICIENT_BALANCE',
      message: '2.32 TRX needed, 2.319999 TRX available',
    });
    await rental.control('POST', '/accounts/1003/balance', { balance_trx: '2.32' });
    const exact = await rental.ask('POST', '/energy/buy', { key: 'empty-key', body: ORDER });
    expect(exact.status).toBe(200);
    const { accounts, orders } = await rental.state();
    expect(accounts.find(({ id }) => id === 1003)?.balance_trx).toBe('0.00');
    expect(orders).toHaveLength(1);
  });

  it('charges at most the balance for twenty concurrent orders', async () => {
    const rental = await serveRental();
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
