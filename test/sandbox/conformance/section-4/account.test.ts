import { describe, expect } from 'vitest';
import { z } from 'zod';
import { AccountProfile, DepositInfo, DepositRecord } from '../resources.ts';
import { createTarget } from '../target.ts';

const { reads, controls } = createTarget();

describe('4.11 GET /api/v1/account/profile', () => {
  reads('"Returns the Account profile"', async (service) => {
    const { id } = await service.get('/account/profile', AccountProfile);
    expect(await service.get('/account/profile', AccountProfile)).toMatchObject({ id });
  });

  controls('returns the account of each key', async (target) => {
    const { accounts } = await target.state();
    for (const { id, key, balance_trx } of accounts)
      expect(await target.get('/account/profile', AccountProfile, { key })).toMatchObject({
        id,
        balance_trx,
      });
  });
});

describe('4.12 GET /api/v1/account/deposit', () => {
  reads('"Returns Deposit info": with usable rates', async (service) => {
    const { usdt_to_trx_rate, trx_usd_rate } = await service.get('/account/deposit', DepositInfo);
    expect(Number(usdt_to_trx_rate)).toBeGreaterThan(0);
    expect(Number(trx_usd_rate)).toBeGreaterThan(0);
  });
});

describe('4.13 GET /api/v1/account/deposits', () => {
  reads('"Returns the deposit history as Deposit records"', async (service) => {
    const list = await service.get('/account/deposits', z.array(DepositRecord));
    expect(list).toBeInstanceOf(Array);
  });

  controls('lists the deposits of this account only', async (target) => {
    await target.control('POST', '/accounts/1001/deposit', { amount: '1' });
    await target.control('POST', '/accounts/1001/deposit', { amount: '2', currency: 'USDT' });
    await target.control('POST', '/accounts/1002/deposit', { amount: '3' });
    expect(await target.get('/account/deposits', z.array(DepositRecord))).toHaveLength(2);
  });
});
