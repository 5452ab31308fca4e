import { describe, expect } from 'vitest';
import { z } from 'zod';
import { DepositRecord } from '../resources.ts';
import { balance } from '../samples.ts';
import { createTarget, type SandboxTarget } from '../target.ts';

const { controls } = createTarget();
const TRX = 1_000_000n;

describe('3. Deposit', () => {
  const deposits = (target: SandboxTarget) => target.get('/account/deposits', z.array(Deposit));
  const Deposit = DepositRecord.extend({ id: z.number() });
  const detect = async (target: SandboxTarget) => {
    await target.control('POST', '/accounts/1001/deposit', { amount: '5', confirm: false });
    const [deposit] = await deposits(target);
    return deposit ?? { id: 0, status: 'none' };
  };

  controls('"pending: transaction detected, awaiting confirmation": nothing is credited', async (target) => {
    expect(await detect(target)).toMatchObject({ status: 'pending' });
    expect(await balance(target)).toBe(1_000n * TRX);
  });

  controls('"confirmed: credited to balance"', async (target) => {
    const { id } = await detect(target);
    await target.control('POST', `/deposits/${id}/confirm`);
    expect(await deposits(target)).toMatchObject([{ id, status: 'confirmed' }]);
    expect(await balance(target)).toBe(1_005n * TRX);
  });

  controls('"expired: deposit address expired": nothing is credited', async (target) => {
    const { id } = await detect(target);
    await target.control('POST', `/deposits/${id}/expire`);
    expect(await deposits(target)).toMatchObject([{ id, status: 'expired' }]);
    expect(await balance(target)).toBe(1_000n * TRX);
  });

  controls('confirmed and expired are final', async (target) => {
    for (const [first, second] of [
      ['confirm', 'expire'],
      ['expire', 'confirm'],
      ['confirm', 'confirm'],
    ]) {
      const { id } = await detect(target);
      await target.control('POST', `/deposits/${id}/${first}`);
      await expect(target.control('POST', `/deposits/${id}/${second}`)).rejects.toThrow('409');
    }
  });
});
