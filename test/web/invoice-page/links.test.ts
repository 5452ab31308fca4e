import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createInvoiceStore } from '../../../src/invoices/invoice-store.ts';
import { createShares } from '../../../src/invoices/share-links.ts';
import { createSeal } from '../../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { createSignedRecords } from '../../../src/platform/records.ts';
import { openInvoices } from '../../invoices/invoices-setup.ts';
import { OFFLINE } from '../../operations/rental-stand-in.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { seen } from '../web-server.ts';
import { INVOICE, MADE_AT, MINUTE, servePage } from './served-page.ts';

/** Serves the page from a real record of an invoice, with links to it. */
async function serveLinks() {
  let at = MADE_AT;
  const now = () => at;
  const { log } = recordingLog();
  const key = randomBytes(32);
  const storage = createMemoryStorage({ now });
  const records = createSignedRecords({ storage, keys: [key], log });
  const store = createInvoiceStore({ records });
  const shares = createShares({ store, records, seal: createSeal([key]), now });
  const { share: _, ...invoice } = INVOICE;
  await store.create(invoice);
  const page = await servePage({ find: shares.find, now });
  return {
    shares,
    look: async (token: string) => seen(await page.at(`/i/${token}`)),
    pass: (ms: number) => {
      at += ms;
    },
  };
}

/** Serves the page of an invoice that wasn't opened for a minute, with the service behind it. */
async function serveInvoice() {
  const setup = openInvoices();
  const invoice = await setup.open();
  const token = (await setup.invoices.shares.share(invoice)) ?? '';
  const { find } = setup.invoices.shares;
  const { checkBeforePayment: check, recordOpened: opened, pollSoon: expectNews } = setup.invoices;
  const page = await servePage({
    ...{ find, check, recordOpened: opened, pollSoon: expectNews, now: () => setup.clock.now },
  });
  setup.clock.now += MINUTE;
  return { setup, invoice, get: async (init = {}) => (await page.at(`/i/${token}`, init)).text() };
}

test('sends the service one request for many page requests, and changes nothing else', async () => {
  const { setup, invoice, get } = await serveInvoice();
  const before = await setup.present(invoice);
  await get({ method: 'HEAD' });
  const pages = await Promise.all(Array.from({ length: 50 }, () => get()));
  for (const html of pages) expect(html).toContain(invoice.paymentAddress);
  expect(setup.reads).toHaveLength(1);
  const { askedAt, checkedAt, pollCount: looks, ...after } = await setup.present(invoice);
  expect({ ...after, pollCount: before.pollCount }).toEqual(before);
  expect([askedAt, checkedAt]).toEqual([setup.clock.now, setup.clock.now]);
});

test('never shows an invoice as payable that was paid since its last check', async () => {
  const { setup, invoice, get } = await serveInvoice();
  setup.report(invoice, { status: 'paid' });
  const html = await get();
  expect(html).toContain('Payment received');
  expect(html).not.toContain(invoice.paymentAddress);
});

test('hides the payment details while the service does not respond', async () => {
  const { setup, invoice, get } = await serveInvoice();
  setup.read.mockResolvedValue(OFFLINE);
  for (let time = 0; time < 20; time++) expect(await get()).not.toContain(invoice.paymentAddress);
  expect(setup.reads).toHaveLength(1);
});

test('serves a link until a day after the invoice’s deadline', async () => {
  const { shares, look, pass } = await serveLinks();
  const token = (await shares.share(INVOICE)) ?? '';
  const nothing = await look('nothing');
  expect(await look(token)).toMatchObject({ status: 200 });
  pass(30 * MINUTE + 24 * 60 * MINUTE - 1);
  expect(await look(token)).toMatchObject({ status: 200 });
  pass(1);
  expect(await look(token)).toEqual(nothing);
});

test('serves no revoked link, but the link created after it', async () => {
  const { shares, look } = await serveLinks();
  const token = (await shares.share(INVOICE)) ?? '';
  const nothing = await look('nothing');
  await shares.revoke(INVOICE);
  expect(await look(token)).toEqual(nothing);
  const next = (await shares.share(INVOICE)) ?? '';
  expect(next).not.toBe(token);
  expect(await look(next)).toMatchObject({ status: 200 });
  expect(await look(token)).toEqual(nothing);
});
