import { describe, expect } from 'vitest';
import { ADDRESS } from '../addresses.ts';
import { units } from '../amounts.ts';
import {
  cost,
  createInvoice,
  delegatedInvoice,
  ENERGY,
  fetchInvoice,
  HALF_HOUR_MS,
  pay,
} from '../samples.ts';
import { createTarget } from '../target.ts';

const { spends, controls } = createTarget();

describe('4.4 POST /api/v1/invoices', () => {
  spends('"Response: an Invoice", with the requested values', async (service) => {
    const asked = { ...ENERGY, energy_amount: 65_000, duration_hours: 24 };
    expect(await createInvoice(service, asked)).toMatchObject({ ...asked, status: 'pending' });
  });

  spends('"No account balance is involved"', async (service) => {
    expect(await cost(service, () => createInvoice(service))).toBe(0n);
  });

  controls('"Both TRX and USDT payments are accepted": both have a price', async (target) => {
    const { price_trx, price_usdt } = await createInvoice(target);
    expect(units(price_trx)).toBeGreaterThan(0n);
    expect(units(price_usdt)).toBeGreaterThan(0n);
    expect(price_trx).not.toBe(price_usdt);
  });

  for (const transfer_count of [1, 2, 100]) {
    controls(`"each transfer equals 65,000 energy": ${transfer_count} of them`, async (target) => {
      const asked = { energy_amount: undefined, transfer_count };
      const { energy_amount, price_trx } = await createInvoice(target, asked);
      expect(energy_amount).toBe(65_000 * transfer_count);
      if (energy_amount > 5_000_000) return;
      expect(price_trx).toBe((await createInvoice(target, { energy_amount })).price_trx);
    });
  }

  for (const [what, fields] of [
    ['both', { energy_amount: 65_000, transfer_count: 1 }],
    ['neither', { energy_amount: undefined }],
  ] as const) {
    controls(`"use this OR transfer_count": rejects ${what}`, async (target) => {
      const answer = await target.ask('POST', '/invoices', { body: { ...ENERGY, ...fields } });
      expect(answer.status).toBe(422);
    });
  }

  for (const wrong of ['1', 0, -1, 101, 1.5, null]) {
    controls(`"1 to 100 USDT transfers": rejects ${JSON.stringify(wrong)}`, async (target) => {
      const body = { address: ADDRESS, duration_hours: 1, transfer_count: wrong };
      expect(await target.ask('POST', '/invoices', { body })).toMatchObject({ status: 422 });
    });
  }
});

describe('4.5 GET /api/v1/invoices/{invoice_id}', () => {
  spends('"Returns the full Invoice": the created one, with its creation time', async (service) => {
    const created = await createInvoice(service);
    const { created_at: _, tx_hash, paid_at, delegated_at, ...rest } = await fetchInvoice(service, created);
    expect(rest).toEqual(created);
    expect([tx_hash ?? null, paid_at ?? null, delegated_at ?? null]).toEqual([null, null, null]);
  });

  controls(
    '"the timestamps paid_at, delegated_at, expires_at, created_at" match the events',
    async (target) => {
      const start = target.now();
      const at = (ms: number) => new Date(start + ms).toISOString();
      const created = await createInvoice(target);
      target.advance(60_000);
      await pay(target, created);
      target.advance(5_000);
      await target.control('POST', `/invoices/${created.invoice_id}/delegate`);
      expect(await fetchInvoice(target, created)).toMatchObject({
        created_at: at(0),
        paid_at: at(60_000),
        delegated_at: at(65_000),
        expires_at: at(HALF_HOUR_MS),
      });
    },
  );

  controls('each delegation has its own tx_hash', async (target) => {
    const [first, second] = [await delegatedInvoice(target), await delegatedInvoice(target)];
    expect(first.tx_hash).not.toBe(second.tx_hash);
  });
});
