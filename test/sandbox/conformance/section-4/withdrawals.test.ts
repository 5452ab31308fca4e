import { describe, expect } from 'vitest';
import { ADDRESS, addressOf } from '../addresses.ts';
import { units } from '../amounts.ts';
import { balance, cost, withdraw, withdrawals } from '../samples.ts';
import { createTarget } from '../target.ts';

const { reads, controls } = createTarget();

describe('4.14 POST /api/v1/account/withdrawal', () => {
  controls('"Response: a Withdrawal", with the requested values', async (target) => {
    const asked = { to_address: addressOf('anybody'), amount_trx: '10.5' };
    const { to_address, amount_trx, fee_trx } = await withdraw(target, asked);
    expect(to_address).toBe(asked.to_address);
    expect(units(amount_trx)).toBe(10_500_000n);
    expect(units(fee_trx)).toBe(1_000_000n);
  });

  controls('"Withdraws TRX to any chain address; fee 1 TRX"', async (target) => {
    expect(await cost(target, () => withdraw(target, { amount_trx: '10.000001' }))).toBe(11_000_001n);
  });

  controls('the balance must cover amount and fee together', async (target) => {
    const asked = { key: 'empty-key', body: { to_address: ADDRESS, amount_trx: '10' } };
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '10.999999' });
    const refused = await target.ask('POST', '/account/withdrawal', asked);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await withdrawals(target, { key: 'empty-key' })).toEqual([]);
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '11' });
    target.advance(60_000);
    await withdraw(target, { amount_trx: '10' }, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
  });
});

describe('4.15 GET /api/v1/account/withdrawals', () => {
  reads('"Returns the withdrawal history as an array of Withdrawals"', async (service) => {
    expect(await withdrawals(service)).toBeInstanceOf(Array);
  });

  controls('lists each withdrawal of this account only, as it was created', async (target) => {
    const first = await withdraw(target, { amount_trx: '1' });
    target.advance(60_000);
    const second = await withdraw(target, { amount_trx: '2' });
    await withdraw(target, { amount_trx: '3' }, { key: 'merchant-key' });
    const list = await withdrawals(target);
    expect(list).toHaveLength(2);
    expect(list).toEqual(expect.arrayContaining([first, second]));
  });
});
