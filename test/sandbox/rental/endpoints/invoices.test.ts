import { describe, expect, it } from 'vitest';
import { ADDRESS, type CodedError, serveRental } from '../rental-server.ts';

interface Invoice {
  invoice_id: number;
  payment_address: string;
  energy_amount: number;
  price_trx: string;
  price_usdt: string;
}

const INVOICE = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };
const TRANSFERS = { address: ADDRESS, transfer_count: 1, duration_hours: 1 };
const ONE_OF_TWO = 'body: expected energy_amount or transfer_count, and only one of them';

describe('POST /invoices', () => {
  it('creates a pending invoice for thirty minutes with a unique payment address, without a charge', async () => {
    const rental = await serveRental();
    const { status, json } = await rental.ask('POST', '/invoices', { body: INVOICE });
    expect(status).toBe(200);
    expect(json).toEqual({
      invoice_id: expect.any(Number),
      payment_address: expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
      address: ADDRESS,
      energy_amount: 65_000,
      duration_hours: 1,
      price_trx: '2.32',
      price_usdt: '0.76',
      status: 'pending',
      expires_at: '2025-06-01T12:30:00.000Z',
    });
    const { accounts, ledger } = await rental.state();
    expect(accounts.find(({ id }) => id === 1001)?.balance_trx).toBe('1000.00');
    expect(ledger).toMatchObject([{ kind: 'invoice', account_id: 1001, amount_trx: '0.00' }]);
  });

  it('gives each invoice its own payment address', async () => {
    const rental = await serveRental();
    const addresses = new Set<string>();
    for (const key of ['demo-key', 'merchant-key', 'demo-key']) {
      const { json } = await rental.ask<Invoice>('POST', '/invoices', { key, body: INVOICE });
      addresses.add(json.payment_address);
    }
    expect(addresses.size).toBe(3);
  });

  it('requires no balance', async () => {
    const rental = await serveRental();
    expect((await rental.request('POST', '/invoices', { key: 'empty-key', body: INVOICE })).status).toBe(200);
  });

  it.each([
    [{ energy_amount: 32_000, duration_hours: 1 }, 32_000, '1.14', '0.38'],
    [{ energy_amount: 5_000_000, duration_hours: 24 }, 5_000_000, '325.00', '105.63'],
    [{ transfer_count: 1, duration_hours: 1 }, 65_000, '2.32', '0.76'],
    [{ transfer_count: 2, duration_hours: 24 }, 130_000, '8.45', '2.75'],
    [{ transfer_count: 100, duration_hours: 24 }, 6_500_000, '422.50', '137.32'],
  ])('converts %o to %i energy, %s TRX or %s USDT', async (amounts, energy, trx, usdt) => {
    const rental = await serveRental();
    const body = { address: ADDRESS, ...amounts };
    const { json } = await rental.ask<Invoice>('POST', '/invoices', { body });
    expect(json).toMatchObject({ energy_amount: energy, price_trx: trx, price_usdt: usdt });
  });

  it.each([
    [INVOICE, 'energy_amount', 31_999, 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    [INVOICE, 'energy_amount', 5_000_001, 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    [INVOICE, 'energy_amount', '65000', 'energy_amount: expected a whole number from 32,000 to 5,000,000'],
    [INVOICE, 'energy_amount', undefined, ONE_OF_TWO],
    [INVOICE, 'transfer_count', 1, ONE_OF_TWO],
    [TRANSFERS, 'transfer_count', 0, 'transfer_count: expected a whole number from 1 to 100'],
    [TRANSFERS, 'transfer_count', 101, 'transfer_count: expected a whole number from 1 to 100'],
    [TRANSFERS, 'transfer_count', 1.5, 'transfer_count: expected a whole number from 1 to 100'],
    [INVOICE, 'duration_hours', 2, 'duration_hours: expected 1 or 24'],
    [INVOICE, 'duration_hours', undefined, 'duration_hours: expected 1 or 24'],
    [INVOICE, 'address', undefined, 'address: expected a chain address: T and 33 more characters'],
  ])('rejects %o with %s %s', async (request, field, value, detail) => {
    const rental = await serveRental();
    const answer = await rental.ask('POST', '/invoices', { body: { ...request, [field]: value } });
    expect(answer).toEqual({ status: 422, json: { detail } });
    expect((await rental.state()).invoices).toEqual([]);
  });

  it('rejects an address with a wrong checksum', async () => {
    const rental = await serveRental();
    const body = { ...INVOICE, address: 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999' };
    const { status, json } = await rental.ask<CodedError>('POST', '/invoices', { body });
    expect([status, json.detail.error.code]).toEqual([400, 'INVALID_ADDRESS']);
  });

  it('allows twenty requests a minute', async () => {
    const rental = await serveRental();
    const { headers } = await rental.request('POST', '/invoices', { body: INVOICE });
    expect(headers.get('X-RateLimit-Limit')).toBe('20');
  });
});

describe('GET /invoices/{invoice_id}', () => {
  it('returns the invoice and its creation time, without times of later events', async () => {
    const rental = await serveRental();
    const { json: made } = await rental.ask<Invoice>('POST', '/invoices', { body: INVOICE });
    rental.clock.advance(60_000);
    const { status, json } = await rental.ask('GET', `/invoices/${made.invoice_id}`);
    expect(status).toBe(200);
    expect(json).toEqual({ ...made, created_at: '2025-06-01T12:00:00.000Z' });
  });

  it.each([
    ['nobody', 'demo-key', 999],
    ['another account', 'merchant-key', 1],
  ])('returns 404 for the invoice of %s', async (_, key, id) => {
    const rental = await serveRental();
    await rental.ask('POST', '/invoices', { body: INVOICE });
    const { status, json } = await rental.ask<CodedError>('GET', `/invoices/${id}`, { key });
    expect(status).toBe(404);
    expect(json.detail.error).toEqual({ code: 'INVOICE_NOT_FOUND', message: `Invoice ${id} not found` });
  });

  it('accepts only a number', async () => {
    const rental = await serveRental();
    const answer = await rental.ask('GET', '/invoices/one');
    expect(answer).toEqual({ status: 422, json: { detail: 'invoice_id: expected a number' } });
  });
});
