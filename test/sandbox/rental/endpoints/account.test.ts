import { describe, expect, it } from 'vitest';
import { isChainAddress } from '../../../../src/sandbox/rental/chain-address.ts';
import { serveRental } from '../rental-server.ts';

interface Profile {
  chain_address: string;
  balance_trx: string;
}

interface DepositInfo {
  deposit_address: string;
}

describe('GET /account/profile', () => {
  it('shows the account of the key', async () => {
    const rental = await serveRental();
    const { status, json } = await rental.ask<Profile>('GET', '/account/profile');
    expect(status).toBe(200);
    expect(json).toEqual({
      id: 1001,
      email: 'demo@example.com',
      chain_address: expect.any(String),
      balance_trx: '1000.00',
      totp_enabled: false,
      created_at: '2025-01-01T00:00:00.000Z',
    });
    expect(isChainAddress(json.chain_address)).toBe(true);
  });

  it.each([
    ['merchant-key', 1002, '250.00'],
    ['operator-key', 1000, '500.00'],
    ['empty-key', 1003, '0.00'],
  ])('recognizes %s', async (key, id, balance_trx) => {
    const rental = await serveRental();
    expect((await rental.ask('GET', '/account/profile', { key })).json).toMatchObject({ id, balance_trx });
  });
});

describe('GET /account/deposit', () => {
  it('shows the account’s own deposit address, the currencies and the rates', async () => {
    const rental = await serveRental();
    const mine = await rental.ask<DepositInfo>('GET', '/account/deposit');
    const other = await rental.ask<DepositInfo>('GET', '/account/deposit', { key: 'merchant-key' });
    expect(mine.json).toEqual({
      deposit_address: expect.any(String),
      accepted_currencies: ['TRX', 'USDT'],
      usdt_to_trx_rate: expect.stringMatching(/^\d+\.\d+$/),
      trx_usd_rate: expect.stringMatching(/^\d+\.\d+$/),
    });
    expect(isChainAddress(mine.json.deposit_address)).toBe(true);
    expect(other.json.deposit_address).not.toBe(mine.json.deposit_address);
  });
});

describe('GET /account/deposits', () => {
  it('lists the account’s deposits, newest first', async () => {
    const rental = await serveRental();
    expect((await rental.ask('GET', '/account/deposits')).json).toEqual([]);
    await rental.control('POST', '/accounts/1001/deposit', { amount_trx: '10' });
    rental.clock.advance(1_000);
    await rental.control('POST', '/accounts/1001/deposit', { amount_trx: '0.000001' });
    await rental.control('POST', '/accounts/1002/deposit', { amount_trx: '5' });
    const { json } = await rental.ask('GET', '/account/deposits');
    expect(json).toMatchObject([
      {
        amount_trx: '0.000001',
        currency: 'TRX',
        status: 'confirmed',
        created_at: '2025-06-01T12:00:01.000Z',
      },
      { amount_trx: '10.00', currency: 'TRX', status: 'confirmed', created_at: '2025-06-01T12:00:00.000Z' },
    ]);
    expect((await rental.ask<Profile>('GET', '/account/profile')).json.balance_trx).toBe('1010.000001');
  });
});
