import { describe, expect } from 'vitest';
import { addressOf } from '../addresses.ts';
import { decimal, units } from '../amounts.ts';
import { transfer, wallet } from '../chain.ts';
import {
  cost,
  createInvoice,
  DAY_MS,
  delegatedInvoice,
  fetchInvoice,
  HALF_HOUR_MS,
  pay,
} from '../samples.ts';
import { createTarget } from '../target.ts';

const { spends, controls } = createTarget();
const TRX = 1_000_000n;

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
