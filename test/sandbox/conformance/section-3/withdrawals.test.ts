import { describe, expect } from 'vitest';
import { addressOf } from '../addresses.ts';
import { wallet } from '../chain.ts';
import { AccountProfile } from '../resources.ts';
import { balance, withdraw, withdrawals } from '../samples.ts';
import { createTarget } from '../target.ts';

const { spends, controls } = createTarget();
const TRX = 1_000_000n;

describe('3. Withdrawal', () => {
  spends(
    '"pending: queued for processing", "A creation response can already carry completed"',
    async (service, context) => {
      const { totp_enabled } = await service.get('/account/profile', AccountProfile);
      context.skip(totp_enabled, 'the account has 2FA on');
      expect(await withdraw(service, { amount_trx: '1' })).toMatchObject({
        status: expect.stringMatching(/^(pending|completed)$/),
      });
    },
  );

  controls('pending: the amount and the fee are deducted, and there is no tx_hash yet', async (target) => {
    const { status, tx_hash } = await withdraw(target, { amount_trx: '10' });
    expect(status).toBe('pending');
    expect(tx_hash ?? null).toBeNull();
    expect(await balance(target)).toBe(989n * TRX);
  });

  controls('"completed: TRX was sent and tx_hash is available"', async (target) => {
    const to_address = addressOf('withdrawal');
    const { id } = await withdraw(target, { to_address, amount_trx: '10.5' });
    await target.control('POST', `/withdrawals/${id}/complete`);
    const [done] = await withdrawals(target);
    expect(done).toMatchObject({ id, status: 'completed', tx_hash: expect.stringMatching(/./) });
    expect(await wallet(target, to_address)).toMatchObject({ trx: 10_500_000n });
    expect(await balance(target)).toBe(988_500_000n);
  });

  controls('"failed: the withdrawal failed and the amount is refunded"', async (target) => {
    const to_address = addressOf('withdrawal');
    const { id } = await withdraw(target, { to_address, amount_trx: '10.5' });
    await target.control('POST', `/withdrawals/${id}/fail`);
    const [failed] = await withdrawals(target);
    expect(failed).toMatchObject({ id, status: 'failed' });
    expect(failed?.tx_hash ?? null).toBeNull();
    expect(await wallet(target, to_address)).toMatchObject({ trx: 0n });
    expect(await balance(target)).toBeGreaterThanOrEqual(999n * TRX);
  });

  controls('completed and failed are final', async (target) => {
    for (const [first, second] of [
      ['complete', 'fail'],
      ['fail', 'complete'],
    ]) {
      const { id } = await withdraw(target);
      await target.control('POST', `/withdrawals/${id}/${first}`);
      await expect(target.control('POST', `/withdrawals/${id}/${second}`)).rejects.toThrow('409');
      target.advance(60_000);
    }
  });
});
