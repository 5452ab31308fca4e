import { describe, expect } from 'vitest';
import { z } from 'zod';
import { AccountProfile, Deactivation, DepositRecord, EnergyOrder, Subscription } from './resources.ts';
import {
  ADDRESS,
  activateSmartMode,
  addressOf,
  balance,
  buyBandwidth,
  buyEnergy,
  cost,
  createInvoice,
  DAY_MS,
  decimal,
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
  controls('pending → filled: the address has the energy, the price remains charged', async (target) => {
    const { order_id, price_trx } = await buyEnergy(target);
    const filled = await target.controlled(EnergyOrder, 'POST', `/orders/${order_id}/fill`);
    expect(filled).toMatchObject({ order_id, status: 'filled' });
    expect(await balance(target)).toBe(1_000n * TRX - units(price_trx));
  });

  controls('pending → failed: the price is refunded', async (target) => {
    const { order_id } = await buyEnergy(target);
    const failed = await target.controlled(EnergyOrder, 'POST', `/orders/${order_id}/fail`);
    expect(failed).toMatchObject({ order_id, status: 'failed' });
    expect(await balance(target)).toBe(1_000n * TRX);
  });

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

  controls('paid → delegated: "energy delegated to address; tx_hash set"', async (target) => {
    const address = addressOf('recipient');
    const invoice = await delegatedInvoice(target, { address, energy_amount: 65_000 });
    expect(invoice).toMatchObject({
      status: 'delegated',
      tx_hash: expect.stringMatching(/./),
      delegated_at: new Date(target.now()).toISOString(),
    });
    expect(await wallet(target, address)).toMatchObject({ energy: 65_000 });
  });

  controls('paid → failed: "payment refunded" to its sender', async (target) => {
    const from = addressOf('payer');
    await transfer(target, { to: from, amount: '100' });
    const created = await createInvoice(target);
    await transfer(target, { from, to: created.payment_address, amount: created.price_trx });
    expect(await wallet(target, from)).toMatchObject({ trx: 100n * TRX - units(created.price_trx) });
    await target.control('POST', `/invoices/${created.invoice_id}/fail`);
    const failed = await fetchInvoice(target, created);
    expect(failed.status).toBe('failed');
    expect(failed.tx_hash ?? null).toBeNull();
    expect(await wallet(target, from)).toMatchObject({ trx: 100n * TRX });
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

  controls('a late payment changes nothing: expired is final', async (target) => {
    const address = addressOf('recipient');
    const created = await createInvoice(target, { address });
    target.advance(HALF_HOUR_MS);
    await transfer(target, { to: created.payment_address, amount: created.price_trx });
    target.advance(HALF_HOUR_MS);
    expect(await fetchInvoice(target, created)).toMatchObject({ status: 'expired' });
    expect(await wallet(target, address)).toMatchObject({ energy: 0 });
  });

  controls('a partial payment leaves it pending until the rest is paid', async (target) => {
    const created = await createInvoice(target);
    await pay(target, created, { amount: decimal(units(created.price_trx) - 1n) });
    expect(await fetchInvoice(target, created)).toMatchObject({ status: 'pending' });
    await pay(target, created, { amount: '0.000001' });
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

  controls('(none) → active only if the "address has no active transfer package"', async (target) => {
    const { packages } = await target.controlled(Packages, 'GET', '/state');
    const address = packages[0]?.address;
    expect(address).toBeDefined();
    const asked = { key: 'package-key', body: { address } };
    const refused = await target.ask('POST', '/smart-mode/activate', asked);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('PACKAGE_CONFLICT')]);
    await target.post('/smart-mode/activate', Subscription, { address: addressOf('other') }, asked);
  });

  controls('"A daily fee is charged": one each 24 hours while active', async (target) => {
    const { subscription_fee_trx } = await activateSmartMode(target);
    const fee = units(subscription_fee_trx);
    const { advance } = target;
    expect(await cost(target, async () => advance(DAY_MS - 1))).toBe(0n);
    expect(await cost(target, async () => advance(1))).toBe(fee);
    expect(await cost(target, async () => advance(3 * DAY_MS))).toBe(3n * fee);
  });

  controls('"a per-transfer fee applies", with a delivery of energy', async (target) => {
    const { transfer_fee_trx } = await activateSmartMode(target, { bw_guarantee: false });
    expect(await cost(target, () => watchedTransfer(target))).toBe(units(transfer_fee_trx));
  });

  controls('"An optional BW Guarantee adds 0.3 TRX per transfer"', async (target) => {
    const without = await activateSmartMode(target, { bw_guarantee: false });
    const plain = await cost(target, () => watchedTransfer(target));
    await target.ask('POST', `/smart-mode/${without.id}/deactivate`);
    await activateSmartMode(target, { bw_guarantee: true });
    expect((await cost(target, () => watchedTransfer(target))) - plain).toBe(300_000n);
  });

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

  controls('paused → active: "fees and tracking resume"', async (target) => {
    const { id, subscription_fee_trx } = await activateSmartMode(target);
    await toggle(target, id);
    target.advance(DAY_MS / 2);
    expect(await toggle(target, id)).toMatchObject({ id, status: 'active' });
    expect(await cost(target, () => watchedTransfer(target))).toBeGreaterThan(0n);
    expect(await cost(target, async () => target.advance(2 * DAY_MS))).toBe(2n * units(subscription_fee_trx));
  });

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

  const Packages = z.looseObject({ packages: z.array(z.looseObject({ address: z.string() })) });
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
