import { describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { serveRental } from '../rental-server.ts';
import { receiveWebhooks } from '../webhook-receiver.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

interface Record {
  id: number;
  status: string;
}

const deposits = async (rental: Rental, key?: string) =>
  (await rental.ask<Record[]>('GET', '/account/deposits', { key })).json;
const balance = async (rental: Rental) =>
  (await rental.ask<{ balance_trx: string }>('GET', '/account/profile')).json.balance_trx;
const deposit = (rental: Rental, body: object) => rental.control('POST', '/accounts/1001/deposit', body);
const depositAddress = async (rental: Rental) =>
  (await rental.ask<{ deposit_address: string }>('GET', '/account/deposit')).json.deposit_address;

describe('a deposit', () => {
  it('is credited 1:1 if it is in TRX', async () => {
    const rental = await serveRental();
    const { json } = await deposit(rental, { amount: '12.5' });
    expect(json).toMatchObject({ id: 1001, balance_trx: '1012.50', deposit: { id: 1, status: 'confirmed' } });
    expect(await deposits(rental)).toEqual([
      {
        id: 1,
        status: 'confirmed',
        currency: 'TRX',
        amount: '12.50',
        amount_trx: '12.50',
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: '2025-06-01T12:00:00.000Z',
        confirmed_at: '2025-06-01T12:00:00.000Z',
      },
    ]);
    expect((await rental.state()).ledger).toMatchObject([
      { kind: 'deposit', amount_trx: '12.50', deposit_id: 1 },
    ]);
  });

  it.each([
    ['10', '30.769'],
    ['0.000001', '0.000003'],
    ['0.333333', '1.025632'],
  ])('credits %s USDT at the rate as %s TRX', async (amount, amount_trx) => {
    const rental = await serveRental();
    const { json } = await rental.ask<{ usdt_to_trx_rate: string }>('GET', '/account/deposit');
    expect(json.usdt_to_trx_rate).toBe('3.0769');
    await deposit(rental, { amount, currency: 'USDT' });
    const [record] = await deposits(rental);
    expect(record).toMatchObject({ currency: 'USDT', amount_trx });
    expect(Number(await balance(rental))).toBeCloseTo(1000 + Number(amount_trx), 6);
    expect((await rental.state()).audit).toMatchObject({ ok: true, held: { trx: '0.00', usdt: '0.00' } });
  });

  it('is pending and not credited before it is confirmed', async () => {
    const rental = await serveRental();
    await deposit(rental, { amount: '5', confirm: false });
    const [record] = await deposits(rental);
    expect(record).toMatchObject({ status: 'pending', amount_trx: '5.00' });
    expect(record).not.toHaveProperty('confirmed_at');
    expect(await balance(rental)).toBe('1000.00');
    rental.clock.advance(1_000);
    expect(await rental.control('POST', '/deposits/1/confirm')).toMatchObject({
      status: 200,
      json: { account_id: 1001, status: 'confirmed', confirmed_at: '2025-06-01T12:00:01.000Z' },
    });
    expect(await balance(rental)).toBe('1005.00');
    expect((await rental.control('POST', '/deposits/1/confirm')).status).toBe(409);
    expect((await rental.control('POST', '/deposits/1/expire')).status).toBe(409);
    expect((await rental.control('POST', '/deposits/2/confirm')).status).toBe(404);
  });

  it('is never credited if it expires, and its money stays at the address', async () => {
    const rental = await serveRental({ confirmAfterMs: 1_000 });
    await deposit(rental, { amount: '5', confirm: false });
    expect(await rental.control('POST', '/deposits/1/expire')).toMatchObject({ json: { status: 'expired' } });
    rental.clock.advance(1_000);
    expect(await deposits(rental)).toMatchObject([{ status: 'expired' }]);
    expect(await balance(rental)).toBe('1000.00');
    const { json } = await rental.control('GET', `/chain/addresses/${await depositAddress(rental)}`);
    expect(json).toMatchObject({ trx: '5.00', name: 'deposits of account 1001' });
    expect((await rental.state()).audit.ok).toBe(true);
  });

  it('is created by any transfer to the deposit address and confirmed automatically', async () => {
    const rental = await serveRental({ confirmAfterMs: 60_000 });
    const to = await depositAddress(rental);
    await rental.control('POST', '/transfers', { to, currency: 'USDT', amount: '1' });
    rental.clock.advance(59_999);
    expect(await deposits(rental)).toMatchObject([{ status: 'pending', currency: 'USDT' }]);
    rental.clock.advance(1);
    expect(await deposits(rental)).toMatchObject([{ status: 'confirmed' }]);
    expect(await balance(rental)).toBe('1003.0769');
  });

  it('is sent to the webhook once it is confirmed, with the fields of its record', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(200);
    await rental.ask('POST', '/webhooks/configure', { body: { url } });
    await deposit(rental, { amount: '5', confirm: false });
    await rental.control('POST', '/deposits/1/confirm');
    await eventually(() => expect(received).toHaveLength(1));
    const [record] = await deposits(rental);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ event: 'deposit.confirmed', data: record });
  });

  it('is not shown to another account', async () => {
    const rental = await serveRental();
    await deposit(rental, { amount: '5' });
    expect(await deposits(rental, 'merchant-key')).toEqual([]);
  });
});
