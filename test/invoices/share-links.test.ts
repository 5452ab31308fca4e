import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createInvoiceLinks } from '../../src/invoices/invoices.ts';
import { tamperedTexts } from '../support/changed-fields.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { type InvoicesSetup, MINUTE, openInvoices } from './invoices-setup.ts';

const DAY = 24 * 60 * MINUTE;
async function shared(setup: InvoicesSetup) {
  const invoice = await setup.open();
  const token = (await setup.invoices.shares.share(invoice)) ?? '';
  return { invoice, token };
}

test('keeps one token until it is revoked, then creates another one', async () => {
  const setup = openInvoices();
  const { invoice, token } = await shared(setup);
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(await setup.invoices.shares.share(invoice)).toBe(token);
  expect((await setup.invoices.shares.find(token))?.id).toBe(invoice.id);
  await setup.invoices.shares.revoke(invoice);
  expect(await storedKeys(setup.storage, 'share:')).toEqual([]);
  expect(await setup.invoices.shares.find(token)).toBeUndefined();
  expect(setup.invoices.shares.tokenOf(await setup.present(invoice))).toBeUndefined();
  const next = (await setup.invoices.shares.share(invoice)) ?? '';
  expect(next).not.toBe(token);
  expect(await setup.invoices.shares.find(token)).toBeUndefined();
  expect((await setup.invoices.shares.find(next))?.id).toBe(invoice.id);
});

test('creates one working link when several replicas share at once', async () => {
  const setup = openInvoices();
  const { invoice } = await shared(setup);
  await setup.invoices.shares.revoke(invoice);
  const replicas = [setup.replica(), setup.replica(), setup.replica()];
  const tokens = await Promise.all(replicas.map(({ shares }) => shares.share(invoice)));
  expect(new Set(tokens).size).toBe(1);
  expect((await setup.invoices.shares.find(tokens[0] ?? ''))?.id).toBe(invoice.id);
});

test('works only as the current link when it is shared and revoked at once', async () => {
  const setup = openInvoices();
  for (let time = 0; time < 50; time++) {
    const { invoice, token } = await shared(setup);
    const [again] = await Promise.all([
      setup.replica().shares.share(invoice),
      setup.replica().shares.revoke(invoice),
    ]);
    const current = setup.invoices.shares.tokenOf(await setup.present(invoice));
    for (const one of [token, again ?? ''])
      expect((await setup.invoices.shares.find(one)) !== undefined).toBe(one === current);
  }
});

test('treats unknown, expired and revoked tokens alike', async () => {
  const setup = openInvoices();
  const [expired, revoked] = [await shared(setup), await shared(setup)];
  await setup.invoices.shares.revoke(revoked.invoice);
  setup.clock.now = expired.invoice.expiresAt + DAY - 1;
  expect((await setup.invoices.shares.find(expired.token))?.id).toBe(expired.invoice.id);
  // Writes the record again without a TTL, so that it outlives the link.
  const kept = `share:${createHash('sha256').update(expired.token).digest('base64url')}`;
  await setup.storage.set(kept, (await setup.storage.get(kept)) ?? '');
  setup.clock.now += 1;
  const unknown = randomBytes(24).toString('base64url');
  for (const token of [
    unknown,
    expired.token,
    revoked.token,
    '',
    'x',
    `${unknown}x`,
    `${expired.token} `,
    '__proto__',
  ])
    expect(await setup.invoices.shares.find(token)).toBeUndefined();
  expect(await setup.invoices.shares.share(expired.invoice)).toBeUndefined();
});

test('stores tokens only as a hash and encrypted for the maker', async () => {
  const setup = openInvoices();
  const { invoice, token } = await shared(setup);
  const keys = await storedKeys(setup.storage);
  expect(keys).toContain(`share:${createHash('sha256').update(token).digest('base64url')}`);
  for (const key of keys) expect(`${key} ${await setup.storage.get(key)}`).not.toContain(token);
  const other = await setup.open({ user: 777 });
  const { share = '' } = await setup.present(invoice);
  // A token encrypted for another user or another invoice can't be decrypted.
  expect(setup.invoices.shares.tokenOf({ ...other, share })).toBeUndefined();
  expect(setup.invoices.shares.tokenOf({ ...(await setup.open()), share })).toBeUndefined();
});

test('finds no invoice with a tampered link record', async () => {
  const setup = openInvoices();
  const { invoice, token } = await shared(setup);
  const other = await shared(setup);
  const keyOf = (one: string) => `share:${createHash('sha256').update(one).digest('base64url')}`;
  const text = (await setup.storage.get(keyOf(token))) ?? '';
  for (const [path, tampered] of tamperedTexts(text)) {
    await setup.storage.set(keyOf(token), tampered);
    expect(await setup.invoices.shares.find(token), path).toBeUndefined();
  }
  await setup.storage.set(keyOf(token), (await setup.storage.get(keyOf(other.token))) ?? '');
  expect(await setup.invoices.shares.find(token)).toBeUndefined();
  // A restored record of a revoked link finds nothing either.
  await setup.storage.set(keyOf(token), text);
  await setup.invoices.shares.revoke(invoice);
  await setup.storage.set(keyOf(token), text);
  expect(await setup.invoices.shares.find(token)).toBeUndefined();
});

test('treats a tampered invoice record as missing', async () => {
  const setup = openInvoices();
  const { invoice, token } = await shared(setup);
  const key = `invoice:{${invoice.user}}:${invoice.id}`;
  const text = (await setup.storage.get(key)) ?? '';
  const fields = tamperedTexts(text);
  expect(fields.map(([path]) => path)).toEqual(
    expect.arrayContaining(['paymentAddress', 'priceTrx', 'priceUsdt', 'account', 'expiresAt', 'share']),
  );
  for (const [path, changed] of fields) {
    await setup.storage.set(key, changed);
    expect(await setup.invoices.read(invoice), path).toBeUndefined();
    expect(await setup.invoices.shares.find(token), path).toBeUndefined();
  }
  const other = await setup.open();
  await setup.storage.set(key, (await setup.storage.get(`invoice:{${other.user}}:${other.id}`)) ?? '');
  expect(await setup.invoices.read(invoice)).toBeUndefined();
});

test("returns a link to the bot's chat and a page link if there is a public URL", async () => {
  const setup = openInvoices();
  const { invoice, token } = await shared(setup);
  const about = { seal: setup.seal, botName: () => 'rental_bot' };
  const present = await setup.present(invoice);
  const chat = `https://t.me/rental_bot?start=invoice-${token}`;
  expect(createInvoiceLinks({ ...about, publicUrl: undefined })(present)).toEqual({ token, chat });
  const page = `https://bot.example/i/${token}`;
  expect(createInvoiceLinks({ ...about, publicUrl: 'https://bot.example' })(present)).toEqual({
    token,
    chat,
    page,
  });
  expect(new URL(chat).searchParams.get('start')).toMatch(/^[\w-]{1,64}$/);
  await setup.invoices.shares.revoke(invoice);
  expect(
    createInvoiceLinks({ ...about, publicUrl: undefined })(await setup.present(invoice)),
  ).toBeUndefined();
});

test('expires all data of an invoice', async () => {
  const setup = openInvoices();
  const { invoice } = await shared(setup);
  setup.report(invoice, { status: 'failed' });
  await setup.pass(MINUTE);
  setup.clock.now = invoice.expiresAt + DAY;
  expect(await storedKeys(setup.storage, 'share:')).toEqual([]);
  setup.clock.now += 91 * DAY;
  // The list of the user's keys loses expired ones when it is read, as by the daily check.
  await setup.storage.listed(String(invoice.user), []);
  expect(await storedKeys(setup.storage)).toEqual([]);
});
