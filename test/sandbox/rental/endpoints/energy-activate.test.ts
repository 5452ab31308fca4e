import { describe, expect, it } from 'vitest';
import { ADDRESS, type CodedError, serveRental } from '../rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

const activate = (rental: Rental, { address = ADDRESS, key = 'demo-key' } = {}) =>
  rental.ask<CodedError>('POST', '/energy/activate', { key, body: { address } });
const isActive = async (rental: Rental) =>
  (await rental.control<{ active: boolean }>('GET', `/chain/addresses/${ADDRESS}`)).json.active;

describe('POST /energy/activate', () => {
  it('activates an unused address for 1.1 TRX', async () => {
    const rental = await serveRental();
    expect(await isActive(rental)).toBe(false);
    expect(await activate(rental)).toEqual({
      status: 200,
      json: { success: true, tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await isActive(rental)).toBe(true);
    const { accounts, ledger, audit } = await rental.state();
    expect(accounts[0]?.balance_trx).toBe('998.90');
    expect(ledger).toMatchObject([{ kind: 'activation', amount_trx: '-1.10' }]);
    expect(audit).toMatchObject({ ok: true, income: { trx: '1.10' } });
  });

  it('rejects an active address without a charge', async () => {
    const rental = await serveRental();
    await rental.control('POST', '/transfers', { to: ADDRESS, currency: 'TRX', amount: '0.000001' });
    const { status, json } = await activate(rental);
    expect(status).toBe(409);
    expect(json.detail.error.code).toBe('ADDRESS_ALREADY_ACTIVE');
    expect((await rental.state()).accounts[0]?.balance_trx).toBe('1000.00');
  });

  it('rejects a second activation', async () => {
    const rental = await serveRental();
    await activate(rental);
    expect((await activate(rental, { key: 'merchant-key' })).status).toBe(409);
    expect((await rental.state()).ledger).toHaveLength(1);
  });

  it('activates nothing if the balance is insufficient', async () => {
    const rental = await serveRental();
    await rental.control('POST', '/accounts/1003/balance', { balance_trx: '1.099999' });
    const { status, json } = await activate(rental, { key: 'empty-key' });
    expect(status).toBe(400);
    expect(json.detail.error.code).toBe('INSUFFICIENT_BALANCE');
    expect(await isActive(rental)).toBe(false);
  });

  it('rejects an invalid address', async () => {
    const rental = await serveRental();
    const { status, json } = await activate(rental, { address: 'T' });
    expect(status).toBe(400);
    expect(json.detail.error.code).toBe('INVALID_ADDRESS');
  });
});
