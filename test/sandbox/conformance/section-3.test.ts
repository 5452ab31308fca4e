import { describe, expect } from 'vitest';
import { z } from 'zod';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { AccountProfile, Deactivation, DepositRecord, Subscription } from './resources.ts';
import {
  ADDRESS,
  activateSmartMode,
  addressOf,
  balance,
  buyBandwidth,
  buyEnergy,
  cost,
  createInvoice,
  delegatedInvoice,
  fetchInvoice,
  HALF_HOUR_MS,
  pay,
  transfer,
  units,
  wallet,
  withdraw,
  withdrawals,
} from './samples.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { spends, controls } = createTarget();
const TRX = 1_000_000n;

describe('3. Energy order', () => {
  controls('filled and failed are final', async (target) => {
    for (const [first, second] of [
      ['fill', 'fail'],
      ['fail', 'fill'],
    ]) {
      const { order_id } = await buyEnergy(target);
      await target.control('POST', `/orders/${order_id}/${first}`);
      await expect(target.control('POST', `/orders/${order_id}/${second}`)).rejects.toThrow('409');
    }
  });
});

describe('3. Bandwidth order', () => {
  controls('pending → filled, pending → failed with a refund', async (target) => {
    const first = await buyBandwidth(target);
    const second = await buyBandwidth(target);
    await target.control('POST', `/orders/${first.order_id}/fill`);
    await target.control('POST', `/orders/${second.order_id}/fail`);
    const { orders } = await target.state();
    expect(orders.map(({ order_id, status }) => [order_id, status])).toEqual([
      [second.order_id, 'failed'],
      [first.order_id, 'filled'],
    ]);
    expect(await balance(target)).toBe(1_000n * TRX - units(first.price_trx));
  });
});

describe('3. Invoice', () => {
  spends('(creation) → pending: "expires_at is 30 minutes after creation"', async (service) => {
    const created = await createInvoice(service);
    const { created_at, expires_at, status } = await fetchInvoice(service, created);
    expect(status).toBe('pending');
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(HALF_HOUR_MS);
    expect(created.expires_at).toBe(expires_at);
  });

  for (const currency of ['TRX', 'USDT']) {
    controls(
      `pending → paid: "payment in ${currency} at payment_address, payment received"`,
      async (target) => {
        const created = await createInvoice(target);
        await pay(target, created, { currency });
        const paid = await fetchInvoice(target, created);
        expect(paid).toMatchObject({ status: 'paid', paid_at: new Date(target.now()).toISOString() });
        expect(paid.delegated_at ?? null).toBeNull();
        expect(paid.tx_hash ?? null).toBeNull();
      },
    );
  }

  controls('pending → paid: any transfer to payment_address is a payment', async (target) => {
    const created = await createInvoice(target);
    await transfer(target, { to: created.payment_address, amount: created.price_trx });
    expect(await fetchInvoice(target, created)).toMatchObject({ status: 'paid' });
  });

  controls('pending → expired: "no payment within 30 minutes", to the millisecond', async (target) => {
    const created = await createInvoice(target);
    target.advance(HALF_HOUR_MS - 1);
    expect(await fetchInvoice(target, created)).toMatchObject({ status: 'pending' });
    target.advance(1);
    expect(await fetchInvoice(target, created)).toMatchObject({ status: 'expired' });
  });

  controls('a paid invoice does not expire', async (target) => {
    const created = await createInvoice(target);
    target.advance(HALF_HOUR_MS - 1);
    await pay(target, created);
    target.advance(DAY_MS);
    expect(await fetchInvoice(target, created)).toMatchObject({ status: 'paid' });
  });

  controls('"with no account balance involved"', async (target) => {
    expect(await cost(target, () => delegatedInvoice(target))).toBe(0n);
  });

  controls('delegated, failed, expired and pending invoices cannot be delegated', async (target) => {
    const delegated = await delegatedInvoice(target);
    const failed = await createInvoice(target);
    await pay(target, failed);
    await target.control('POST', `/invoices/${failed.invoice_id}/fail`);
    const expired = await createInvoice(target);
    target.advance(HALF_HOUR_MS);
    const pending = await createInvoice(target);
    for (const { invoice_id } of [delegated, failed, expired, pending]) {
      await expect(target.control('POST', `/invoices/${invoice_id}/delegate`)).rejects.toThrow('409');
      await expect(target.control('POST', `/invoices/${invoice_id}/fail`)).rejects.toThrow('409');
    }
  });
});

const SHOP = addressOf('shop');

describe('3. Smart Mode subscription', () => {
  const toggle = (target: SandboxTarget, id: number) => target.post(`/smart-mode/${id}/toggle`, Subscription);
  const list = (target: SandboxTarget) => target.get('/smart-mode/subscriptions', z.array(Subscription));
  /** Makes the watched address send USDT, which uses energy. */
  const watchedTransfer = async (target: SandboxTarget) => {
    await transfer(target, { to: ADDRESS, amount: '1' });
    await transfer(target, { to: SHOP, amount: '1' });
    await transfer(target, { to: ADDRESS, currency: 'USDT', amount: '1' });
    await transfer(target, { from: ADDRESS, to: SHOP, currency: 'USDT', amount: '1' });
  };

  controls(
    'active → paused: "no fee is charged and transfers are not tracked while paused"',
    async (target) => {
      const { id } = await activateSmartMode(target);
      expect(await toggle(target, id)).toMatchObject({ id, status: 'paused' });
      expect(await list(target)).toMatchObject([{ id, status: 'paused' }]);
      expect(await cost(target, () => watchedTransfer(target))).toBe(0n);
      expect(await cost(target, async () => target.advance(10 * DAY_MS))).toBe(0n);
    },
  );

  for (const paused of [false, true]) {
    controls(
      `${paused ? 'paused' : 'active'} → deactivated: "permanent and irreversible", "excluded from the list"`,
      async (target) => {
        const { id } = await activateSmartMode(target);
        if (paused) await toggle(target, id);
        const gone = await target.post(`/smart-mode/${id}/deactivate`, Deactivation);
        expect(gone).toMatchObject({ id, address: ADDRESS, status: 'deactivated' });
        expect(await list(target)).toEqual([]);
        expect(await cost(target, () => watchedTransfer(target))).toBe(0n);
        expect(await cost(target, async () => target.advance(3 * DAY_MS))).toBe(0n);
        for (const deed of ['toggle', 'deactivate']) {
          const { status } = await target.ask('POST', `/smart-mode/${id}/${deed}`);
          expect(status).toBeOneOf([404, 409]);
        }
        expect(await list(target)).toEqual([]);
      },
    );
  }

  controls('"a new subscription must be created to re-enable"', async (target) => {
    const first = await activateSmartMode(target);
    await target.post(`/smart-mode/${first.id}/deactivate`, Deactivation);
    const second = await activateSmartMode(target);
    expect(second.id).not.toBe(first.id);
    expect(await list(target)).toMatchObject([{ id: second.id, status: 'active' }]);
  });
});

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
