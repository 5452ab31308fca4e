import { describe, expect, it } from 'vitest';
import { ADDRESS, type CodedError, serveRental } from '../rental-server.ts';

const ORDER = { address: ADDRESS, bandwidth_amount: 1000, duration_hours: 24 };

describe('POST /bandwidth/buy', () => {
  it('creates a pending order and deducts the documented price', async () => {
    const rental = await serveRental();
    const { status, json } = await rental.ask('POST', '/bandwidth/buy', { body: ORDER });
    expect(status).toBe(200);
    expect(json).toEqual({
      order_id: expect.any(Number),
      address: ADDRESS,
      bandwidth_amount: 1000,
      duration_hours: 24,
      price_trx: '9.80',
      status: 'pending',
    });
    const { accounts, orders, ledger, audit } = await rental.state();
    expect(accounts[0]?.balance_trx).toBe('990.20');
    expect(orders).toMatchObject([{ kind: 'bandwidth', bandwidth_amount: 1000, account_id: 1001 }]);
    expect(ledger).toMatchObject([{ kind: 'bandwidth', amount_trx: '-9.80' }]);
    expect(audit).toMatchObject({ ok: true, held: { trx: '9.80' }, income: { trx: '0.00' } });
  });

  it.each([
    [350, 1, '0.34'],
    [350, 24, '3.56'],
    [1000, 1, '0.60'],
    [100_000, 24, '960.20'],
    // Exactly 0.6048 and 0.6052.
    [1_012, 1, '0.60'],
    [1_013, 1, '0.61'],
  ])('charges for %i bandwidth over %i h %s TRX', async (bandwidth_amount, duration_hours, price) => {
    const rental = await serveRental();
    const { json } = await rental.ask<{ price_trx: string }>('POST', '/bandwidth/buy', {
      body: { ...ORDER, bandwidth_amount, duration_hours },
    });
    expect(json.price_trx).toBe(price);
  });

  it.each([
    ['bandwidth_amount', 349, 'bandwidth_amount: expected a whole number from 350 to 100,000'],
    ['bandwidth_amount', 100_001, 'bandwidth_amount: expected a whole number from 350 to 100,000'],
    ['bandwidth_amount', '1000', 'bandwidth_amount: expected a whole number from 350 to 100,000'],
    ['duration_hours', 0, 'duration_hours: expected a whole number from 1 to 720'],
    ['duration_hours', 721, 'duration_hours: expected a whole number from 1 to 720'],
    ['duration_hours', 1.5, 'duration_hours: expected a whole number from 1 to 720'],
    ['address', 5, 'address: expected a chain address: T and 33 more characters'],
  ])('rejects a %s of %j', async (field, value, detail) => {
    const rental = await serveRental();
    const answer = await rental.ask('POST', '/bandwidth/buy', { body: { ...ORDER, [field]: value } });
    expect(answer).toEqual({ status: 422, json: { detail } });
    expect((await rental.state()).ledger).toEqual([]);
  });

  it('rejects an address with a wrong checksum, and an insufficient balance', async () => {
    const rental = await serveRental();
    const code = async (key: string, address: string) => {
      const body = { ...ORDER, address };
      const { status, json } = await rental.ask<CodedError>('POST', '/bandwidth/buy', { key, body });
      return [status, json.detail.error.code];
    };
    expect(await code('demo-key', 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999')).toEqual([400, 'INVALID_ADDRESS']);
    expect(await code('empty-key', ADDRESS)).toEqual([400, 'INSUFFICIENT_BALANCE']);
    expect((await rental.state()).orders).toEqual([]);
  });

  it('is filled by the control API, which delegates the bandwidth and earns the price', async () => {
    const rental = await serveRental();
    const { json } = await rental.ask<{ order_id: number }>('POST', '/bandwidth/buy', { body: ORDER });
    const filled = await rental.control('POST', `/orders/${json.order_id}/fill`);
    expect(filled).toMatchObject({ status: 200, json: { kind: 'bandwidth', status: 'filled' } });
    const bandwidth = async () =>
      (await rental.control<{ bandwidth: number }>('GET', `/chain/addresses/${ADDRESS}`)).json.bandwidth;
    expect(await bandwidth()).toBe(1000);
    expect((await rental.state()).audit).toMatchObject({ ok: true, income: { trx: '9.80' } });
    rental.clock.advance(24 * 3_600_000);
    expect(await bandwidth()).toBe(0);
  });

  it('fails and is refunded by the control API', async () => {
    const rental = await serveRental();
    const { json } = await rental.ask<{ order_id: number }>('POST', '/bandwidth/buy', { body: ORDER });
    await rental.control('POST', `/orders/${json.order_id}/fail`);
    const { accounts, orders, audit } = await rental.state();
    expect(accounts[0]?.balance_trx).toBe('1000.00');
    expect(orders).toMatchObject([{ status: 'failed' }]);
    expect(audit).toMatchObject({ ok: true, held: { trx: '0.00' }, income: { trx: '0.00' } });
  });
});
