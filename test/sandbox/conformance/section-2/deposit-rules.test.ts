import { describe, expect } from 'vitest';
import { z } from 'zod';
import { transfer } from '../chain.ts';
import { AccountProfile, DepositInfo, DepositRecord } from '../resources.ts';
import { createTarget } from '../target.ts';

const { controls } = createTarget();

describe('2. Rules of deposits', () => {
  controls('"TRX deposits are credited 1:1", automatically, to the last sun', async (target) => {
    await target.control('POST', '/accounts/1003/deposit', { amount: '12.345678' });
    const { balance_trx } = await target.get('/account/profile', AccountProfile, { key: 'empty-key' });
    expect(balance_trx).toBe('12.345678');
  });

  controls('"USDT deposits are converted to TRX at the current market rate"', async (target) => {
    const { usdt_to_trx_rate } = await target.get('/account/deposit', DepositInfo);
    await target.control('POST', '/accounts/1003/deposit', { amount: '100', currency: 'USDT' });
    const { balance_trx } = await target.get('/account/profile', AccountProfile, { key: 'empty-key' });
    expect(Number(balance_trx)).toBeCloseTo(100 * Number(usdt_to_trx_rate), 5);
  });

  controls('"deposits are credited automatically": every transfer to the deposit address', async (target) => {
    const { deposit_address } = await target.get('/account/deposit', DepositInfo, { key: 'empty-key' });
    await transfer(target, { to: deposit_address, amount: '7' });
    const deposits = await target.get('/account/deposits', z.array(DepositRecord), { key: 'empty-key' });
    expect(deposits).toHaveLength(1);
  });
});
