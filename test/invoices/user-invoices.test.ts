import { expect, test } from 'vitest';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { createInvoiceStore, createUserInvoices } from '../../src/invoices/invoice-store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';

const DAY = 24 * 3600_000;

function openList() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const store = createInvoiceStore({ records: signedRecords(storage) });
  const list = createUserInvoices({ storage, store, now });
  let number = 0;

  async function add(more: Partial<Invoice> = {}): Promise<string> {
    number += 1;
    const id = `N${number}`;
    const about = { id, user: USER, account: 1001, number, paymentAddress: ADDRESS, address: ADDRESS };
    const terms = { energy: 65_000, hours: 1, priceTrx: '1.00', priceUsdt: '0.30' };
    const times = { createdAt: clock.now, expiresAt: clock.now + 1_800_000 };
    const stands = { status: 'delegated', shared: true, language: 'en' as const, pollCount: 0, cards: [] };
    await list.add(await store.create({ ...about, ...terms, ...times, ...stands, ...more }));
    return id;
  }
  return { clock, storage, list, add };
}

test('returns all invoices, latest first, or as many as needed', async () => {
  const { clock, list, add } = openList();
  for (let made = 0; made < 120; made++) {
    clock.now += 1;
    await add();
  }
  const all = await list.list(USER);
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at));
  expect((await list.list(USER, (read) => read.length > 10)).length).toBeLessThan(120);
  expect(await list.list(USER + 1)).toEqual([]);
});

test('totals the latest 2,000 and reports that the totals are partial', async () => {
  const { clock, list, add } = openList();
  for (let made = 0; made < 2_050; made++) {
    clock.now += 1;
    await add();
  }
  const { today, partial } = await list.totals(USER);
  expect(partial).toBe(true);
  expect(today).toEqual({ count: 2_000, trx: '2000.00' });
  clock.now += 40 * DAY;
  expect(await list.totals(USER)).toMatchObject({ partial: false, month: { count: 0, trx: '0.00' } });
});

test('removes members without a record when others are added', async () => {
  const { clock, storage, list, add } = openList();
  for (let made = 0; made < 3; made++) await add();
  for (let day = 0; day < 100; day += 50) {
    clock.now += 50 * DAY;
    await add();
  }
  expect(await list.list(USER)).toHaveLength(2);
  expect(await storage.index.last(`invoices-of-user:{${USER}}`, 10)).toHaveLength(3);
  await add();
  expect(await storage.index.last(`invoices-of-user:{${USER}}`, 10)).toHaveLength(3);
});

test('counts an invoice of last month that was paid this month', async () => {
  const { clock, list, add } = openList();
  clock.now = Date.parse('2025-07-31T00:00:00Z');
  const paidAt = Date.parse('2025-08-01T00:10:00Z');
  await add({ paidAt });
  clock.now = Date.parse('2025-08-31T23:59:59Z');
  expect((await list.totals(USER)).month.count).toBe(1);
});
