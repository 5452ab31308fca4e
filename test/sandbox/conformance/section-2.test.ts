import { describe, expect } from 'vitest';
import { z } from 'zod';
import {
  AccountProfile,
  CompletedWithdrawal,
  DelegatedInvoice,
  DepositInfo,
  DepositRecord,
  PackageTiers,
  Subscription,
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
  withdrawals,
} from './samples.ts';
import { createTarget, type Service } from './target.ts';

const { reads, spends, controls } = createTarget();
const ListedSubscription = Subscription.extend({ status: z.enum(['active', 'paused']) });
/** Returns a list that must not be empty. */
const filled = <Entry>(service: Service, path: string, entry: z.ZodType<Entry>) =>
  service.get(path, z.array(entry).min(1));

describe('2. has the documented fields, of the documented types:', () => {
  reads('Account profile', (service) => service.get('/account/profile', AccountProfile));
  reads('Deposit info', (service) => service.get('/account/deposit', DepositInfo));
  reads('Transfer package tiers', (service) => service.get('/transfer-packages/tiers', PackageTiers));
  reads('Deposit records', (service) => service.get('/account/deposits', z.array(DepositRecord)));
  reads('Withdrawals', (service) => withdrawals(service));
  reads('Subscriptions: active or paused', (service) =>
    service.get('/smart-mode/subscriptions', z.array(ListedSubscription)),
  );
  reads('Webhook log entries', (service) => webhookLog(service));
  spends('Energy order', (service) => buyEnergy(service));
  spends('Bandwidth order', (service) => buyBandwidth(service));
  spends('Invoice, as it is created', (service) => createInvoice(service));
  spends('Smart Mode subscription, as it is activated', async (service) => {
    const { id } = await activateSmartMode(service);
    await service.ask('POST', `/smart-mode/${id}/deactivate`);
  });
  controls('Deposit record', async (target) => {
    await target.control('POST', '/accounts/1001/deposit', { amount: '5' });
    await filled(target, '/account/deposits', DepositRecord);
  });
  controls('Withdrawal', async (target) => {
    const { id } = await withdraw(target);
    await target.control('POST', `/withdrawals/${id}/complete`);
    await filled(target, '/account/withdrawals', CompletedWithdrawal);
  });
  controls('Invoice, fetched once it is delegated', async (target) => {
    DelegatedInvoice.parse(await delegatedInvoice(target));
  });
  controls('Smart Mode subscription, in the list', async (target) => {
    await activateSmartMode(target);
    await filled(target, '/smart-mode/subscriptions', Subscription);
  });
  controls('Webhook configuration', (target) => configureWebhook(target, 'https://example.com/hook'));
  controls('Webhook log entry', async (target) => {
    await eventsOf(target, () => target.control('POST', '/accounts/1001/deposit', { amount: '1' }));
    expect(await webhookLog(target)).toHaveLength(1);
  });
});

describe('2. Deposit info', () => {
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

describe('2. Orders and invoices', () => {
  controls('"order_id: unique order identifier"', async (target) => {
    const orders = [];
    for (let i = 0; i < 3; i++) orders.push(await buyEnergy(target), await buyBandwidth(target));
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(orders.length);
  });

  controls('"invoice_id: unique", "payment_address: unique deposit address"', async (target) => {
    const first = await createInvoice(target);
    const second = await createInvoice(target);
    const other = await createInvoice(target, {}, { key: 'merchant-key' });
    const invoices = [first, second, other];
    expect(new Set(invoices.map(({ invoice_id }) => invoice_id)).size).toBe(3);
    expect(new Set(invoices.map(({ payment_address }) => payment_address)).size).toBe(3);
  });
});

describe('2. Transfer package tiers', () => {
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
