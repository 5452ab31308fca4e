import { describe, expect } from 'vitest';
import { z } from 'zod';
import {
  AccountProfile,
  BandwidthOrder,
  CompletedWithdrawal,
  DelegatedInvoice,
  DepositInfo,
  DepositRecord,
  EnergyOrder,
  NewInvoice,
  NewSubscription,
  PackageTier,
  PackageTiers,
  Subscription,
  WebhookConfiguration,
  WebhookLogEntry,
} from './resources.ts';
import {
  activateSmartMode,
  buyBandwidth,
  buyEnergy,
  configureWebhook,
  createInvoice,
  delegatedInvoice,
  eventsOf,
  webhookLog,
  withdraw,
} from './samples.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { reads, spends, controls } = createTarget();
const Any = z.record(z.string(), z.unknown());

/** Adds a test per row of a table: the field is present and has its type. All tests share one sample. */
function fields<Target>(
  test: (name: string, check: (target: Target) => Promise<void>) => void,
  table: z.ZodObject,
  sample: (target: Target) => Promise<Record<string, unknown> | undefined>,
) {
  let taken: ReturnType<typeof sample> | undefined;
  for (const [field, kind] of Object.entries(table.shape)) {
    test(`has the documented field ${field}, of the documented type`, async (target) => {
      taken ??= sample(target);
      const record = await taken;
      expect(Object.keys(record ?? {})).toContain(field);
      const { error } = z.safeParse(kind, record?.[field]);
      expect(error, JSON.stringify(record)).toBeUndefined();
    });
  }
}

describe('2. Account profile', () => {
  fields(reads, AccountProfile, (service) => service.get('/account/profile', Any));
});

describe('2. Deposit info', () => {
  fields(reads, DepositInfo, (service) => service.get('/account/deposit', Any));

  reads('"accepted_currencies: values include TRX, USDT"', async (service) => {
    const { accepted_currencies } = await service.get('/account/deposit', DepositInfo);
    expect(accepted_currencies).toEqual(expect.arrayContaining(['TRX', 'USDT']));
  });

  reads(
    '"the account\'s personal deposit address": not the account\'s own chain address',
    async (service) => {
      const { deposit_address } = await service.get('/account/deposit', DepositInfo);
      const again = await service.get('/account/deposit', DepositInfo);
      const { chain_address } = await service.get('/account/profile', AccountProfile);
      expect(again.deposit_address).toBe(deposit_address);
      expect(deposit_address).not.toBe(chain_address);
    },
  );
});

describe('2. Deposit record', () => {
  fields(controls, DepositRecord, async (target: SandboxTarget) => {
    await target.control('POST', '/accounts/1001/deposit', { amount: '5' });
    const [record] = await target.get('/account/deposits', z.array(Any));
    return record;
  });
});

describe('2. Withdrawal', () => {
  fields(controls, CompletedWithdrawal, async (target: SandboxTarget) => {
    const { id } = await withdraw(target);
    await target.control('POST', `/withdrawals/${id}/complete`);
    const [record] = await target.get('/account/withdrawals', z.array(Any));
    return record;
  });
});

describe('2. Energy order', () => {
  fields(spends, EnergyOrder, (service) => buyEnergy(service));

  controls('"order_id: unique order identifier"', async (target) => {
    const orders = [];
    for (let i = 0; i < 3; i++) orders.push(await buyEnergy(target), await buyBandwidth(target));
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(orders.length);
  });
});

describe('2. Bandwidth order', () => {
  fields(spends, BandwidthOrder, (service) => buyBandwidth(service));
});

describe('2. Invoice, as it is created', () => {
  fields(spends, NewInvoice, (service) => createInvoice(service));

  controls('"invoice_id: unique", "payment_address: unique deposit address"', async (target) => {
    const first = await createInvoice(target);
    const second = await createInvoice(target);
    const other = await createInvoice(target, {}, { key: 'merchant-key' });
    const invoices = [first, second, other];
    expect(new Set(invoices.map(({ invoice_id }) => invoice_id)).size).toBe(3);
    expect(new Set(invoices.map(({ payment_address }) => payment_address)).size).toBe(3);
  });
});

describe('2. Invoice, fetched once it is delegated', () => {
  fields(controls, DelegatedInvoice, (target: SandboxTarget) => delegatedInvoice(target));
});

describe('2. Smart Mode subscription, as it is activated', () => {
  fields(spends, NewSubscription, async (service) => {
    const created = await activateSmartMode(service);
    await service.ask('POST', `/smart-mode/${created.id}/deactivate`);
    return created;
  });
});

describe('2. Smart Mode subscription, in the list', () => {
  fields(controls, Subscription, async (target: SandboxTarget) => {
    await activateSmartMode(target);
    const [record] = await target.get('/smart-mode/subscriptions', z.array(Any));
    return record;
  });
});

describe('2. Transfer package tiers', () => {
  fields(reads, PackageTiers, (service) => service.get('/transfer-packages/tiers', Any));
  fields(reads, PackageTier, async (service) => {
    const { tiers } = await service.get('/transfer-packages/tiers', PackageTiers);
    return tiers[0];
  });

  reads('"min_custom_size: 1", "max_custom_size: 10000"', async (service) => {
    const tiers = await service.get('/transfer-packages/tiers', PackageTiers);
    expect(tiers).toMatchObject({ min_custom_size: 1, max_custom_size: 10_000 });
  });

  reads(
    '"bundles of transfers with preset sizes": each size once, larger ones cost more',
    async (service) => {
      const { tiers } = await service.get('/transfer-packages/tiers', PackageTiers);
      const bySize = tiers.toSorted((a, b) => a.size - b.size);
      expect(new Set(tiers.map(({ size }) => size)).size).toBe(tiers.length);
      const totals = bySize.map(({ price_trx }) => Number(price_trx));
      expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    },
  );
});

describe('2. Webhook configuration', () => {
  fields(controls, WebhookConfiguration, (target: SandboxTarget) =>
    configureWebhook(target, 'https://example.com/hook'),
  );
});

describe('2. Webhook log entry', () => {
  fields(controls, WebhookLogEntry, async (target: SandboxTarget) => {
    await eventsOf(target, () => target.control('POST', '/accounts/1001/deposit', { amount: '1' }));
    const [entry] = await webhookLog(target);
    return entry;
  });
});
