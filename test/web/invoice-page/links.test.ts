import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createInvoiceStore } from '../../../src/invoices/invoice-store.ts';
import { createShares } from '../../../src/invoices/shares.ts';
import { createMemoryStorage } from '../../../src/storage/memory.ts';
import { createSeal } from '../../../src/storage/seal.ts';
import { createSignedRecords } from '../../../src/storage/signed-records.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { seen } from '../web-server.ts';
import { INVOICE, MADE_AT, MINUTE, servePage } from './served-page.ts';

/** The page over the real record of an invoice, and the links to it. */
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

test('a link leads to its invoice until a day after its end, and then nowhere', async () => {
  const { shares, look, pass } = await serveLinks();
  const token = (await shares.share(INVOICE)) ?? '';
  const nothing = await look('nothing');
  expect(await look(token)).toMatchObject({ status: 200 });
  pass(30 * MINUTE + 24 * 60 * MINUTE - 1);
  expect(await look(token)).toMatchObject({ status: 200 });
  pass(1);
  expect(await look(token)).toEqual(nothing);
});

test('a revoked link leads nowhere, and the one that comes after it to the invoice', async () => {
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
