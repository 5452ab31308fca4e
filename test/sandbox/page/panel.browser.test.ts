import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TextKey } from '../../../src/i18n/keys.ts';
import { type ChatPage, holdNotices, overflowing, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { localeTexts } from '../../support/locales.ts';
import { TEXTS } from '../../support/texts.ts';

/** Returns a section of the panel by its heading. */
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const cards = (page: Page, name: string) => section(page, name).getByRole('listitem');
const account = (page: Page, key: string) => cards(page, 'Accounts').filter({ hasText: key });
/** Returns a button by its full name, which is unique on the page. */
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Unfolds a section. */
function openSection(page: Page, name: string): Promise<void> {
  return section(page, name).getByRole('heading', { name }).click();
}

const HOLDER = 502;
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const WATCHED = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const INVOICE = { address: ADDRESS, transfer_count: 1, duration_hours: 1 };
const ENERGY = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };

const buy = (chat: ChatPage) => chat.rent('demo-key', '/energy/buy', ENERGY);

test('shows accounts with keys and balances, credits a deposit and empties a balance', async (chat) => {
  const page = await chat.open(HOLDER);
  await account(page, 'demo-key').getByText('1000.00 TRX').waitFor();
  await button(page, '+100 TRX for demo-key').click();
  await account(page, 'demo-key').getByText('1100.00 TRX').waitFor();
  await button(page, '+100 USDT for demo-key').click();
  await account(page, 'demo-key').getByText('1407.69 TRX').waitFor();
  await button(page, 'Empty merchant-key').click();
  await account(page, 'merchant-key').getByText('0.00 TRX', { exact: true }).waitFor();
});

test('shows orders with prices and in the ledger, fills one and refunds a failed one', async (chat) => {
  const page = await chat.open(HOLDER);
  await section(page, 'Orders').getByText('Nothing was bought yet.').waitFor();
  await buy(chat);
  const order = cards(page, 'Orders').filter({ hasText: 'Order 10001' });
  await order.getByText('2.32 TRX').waitFor();
  expect(await cards(page, 'Orders').count()).toBe(1);
  await order.getByText('65,000 energy, 1 h').waitFor();
  await openSection(page, 'Ledger');
  await section(page, 'Ledger').getByText('order 10001').waitFor();
  await button(page, 'Fill order 10001').click();
  await order.getByText('filled').waitFor();
  expect(await order.getByRole('button').count()).toBe(0);

  const bandwidth = { address: ADDRESS, bandwidth_amount: 1000, duration_hours: 24 };
  await chat.rent('demo-key', '/bandwidth/buy', bandwidth);
  const other = cards(page, 'Orders').filter({ hasText: '1,000 bandwidth, 24 h' });
  await other.getByText('9.80 TRX').waitFor();
  await account(page, 'demo-key').getByText('987.88 TRX').waitFor();
  await button(page, 'Fail order 10002').click();
  await other.getByText('failed').waitFor();
  await account(page, 'demo-key').getByText('997.68 TRX').waitFor();
});

test('changes the energy price for later orders', async (chat) => {
  const page = await chat.open(HOLDER);
  const prices = section(page, 'Energy price');
  await prices.getByText('35.68 sun').waitFor();
  await openSection(page, 'Energy price');
  await prices.getByLabel('1 hour, sun', { exact: true }).fill('30');
  await prices.getByRole('button', { name: 'Apply this price' }).click();
  await prices.getByText('30.00 sun').waitFor();
  expect(await prices.getByLabel('1 hour, sun', { exact: true }).inputValue()).toBe('30.00');
  expect(await prices.getByLabel('24 hours, sun').inputValue()).toBe('65.00');
  await buy(chat);
  await cards(page, 'Orders').getByText('1.95 TRX').waitFor();
});

test('moves the clock by its buttons and shows the new time', async (chat) => {
  const page = await chat.open(HOLDER);
  const shown = async () =>
    Date.parse((await section(page, 'Clock').getByRole('time').getAttribute('datetime')) ?? '');
  for (const [name, minutes] of Object.entries({ '+1 min': 1, '+5 min': 5, '+30 min': 30, '+24 h': 1440 })) {
    const before = chat.sandbox.clock.now();
    await section(page, 'Clock').getByRole('button', { name }).click();
    await eventually(async () =>
      expect(await shown()).toBeGreaterThanOrEqual(before + minutes * 60_000 - 1000),
    );
    expect(chat.sandbox.clock.now()).toBeLessThan(before + minutes * 60_000 + 30_000);
  }
});

test('lists an ordered fault until it occurs, with its form above the lists', async (chat) => {
  for (let bought = 0; bought < 5; bought += 1) await buy(chat);
  const page = await chat.open(HOLDER);
  await cards(page, 'Orders').getByText('Order 10005').waitFor();
  const faults = section(page, 'Faults');
  await openSection(page, 'Faults');
  const submit = await faults.getByRole('button', { name: 'Order this fault' }).boundingBox();
  expect(submit?.y).toBeLessThan(700);
  await faults.getByLabel('Endpoint').selectOption('POST /energy/buy');
  await faults.getByLabel('What happens').selectOption({ label: 'Fails before doing it' });
  await faults.getByLabel('Status').fill('502');
  expect(await faults.getByLabel('Delay, ms').isVisible()).toBe(false);
  await faults.getByRole('button', { name: 'Order this fault' }).click();
  await cards(page, 'Faults').getByText('1 left').waitFor();
  expect((await buy(chat)).status).toBe(502);
  await faults.getByText('No faults are ordered.').waitFor();

  await faults.getByLabel('Times').fill('3');
  await faults.getByRole('button', { name: 'Order this fault' }).click();
  await cards(page, 'Faults').getByText('3 left').waitFor();
  await faults.getByRole('button', { name: 'Clear all faults' }).click();
  await faults.getByText('No faults are ordered.').waitFor();
  expect((await buy(chat)).status).toBe(200);
});

test('shows a webhook delivery with its response and its body', async (chat) => {
  const receiver = await startHttpServer(() => new Response(null, { status: 204 }));
  await chat.rent('demo-key', '/webhooks/configure', { url: `${receiver.origin}/hook` });
  const page = await chat.open(HOLDER);
  await buy(chat);
  await button(page, 'Fill order 10001').click();
  await openSection(page, 'Webhook log');
  const entry = cards(page, 'Webhook log');
  await entry.getByText('204').waitFor();
  await entry.getByText('order.filled').first().waitFor();
  await entry.getByText('What was sent').click();
  await entry.getByText('"energy_amount": 65000').waitFor();
  await receiver.close();
});

test('keeps open sections open and the focus in place while the rest is updated', async (chat) => {
  const page = await chat.open(HOLDER);
  await buy(chat);
  await buy(chat);
  await account(page, 'demo-key').getByText('Addresses').click();
  await openSection(page, 'Ledger');
  const focused = () =>
    page.evaluate(`document.activeElement.closest('li')?.querySelector('strong').textContent`);
  await button(page, '+100 TRX for demo-key').press('Enter');
  await account(page, 'demo-key').getByText('1095.36 TRX').waitFor();
  expect(await account(page, 'demo-key').getByText('Money comes in at').isVisible()).toBe(true);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('+100 TRX');

  await button(page, 'Fill order 10001').press('Enter');
  await cards(page, 'Orders').getByText('filled').waitFor();
  expect(await focused()).toBe('Order 10001');
  await section(page, 'Ledger').getByText('1 zero row').click();
  await section(page, 'Ledger').getByText('fill · order 10001').waitFor();
});

test('folds zero rows away, but not an account that becomes empty while it is shown', async (chat) => {
  await chat.rent('demo-key', '/smart-mode/activate', { address: WATCHED });
  await chat.rent('demo-key', '/invoices', INVOICE);
  const page = await chat.open(HOLDER);
  await button(page, 'Empty merchant-key').click();
  await account(page, 'merchant-key').getByText('0.00 TRX', { exact: true }).waitFor();
  for (const name of ['Smart Mode', 'Chain', 'Ledger']) await openSection(page, name);
  const folded = {
    Accounts: account(page, 'empty-key'),
    'Smart Mode': cards(page, 'Smart Mode').getByText('0 transfers'),
    Chain: cards(page, 'Chain').getByText('Deposits of account 1001'),
    Ledger: cards(page, 'Ledger').getByText('invoice 1'),
  };
  for (const [name, row] of Object.entries(folded)) {
    const fold = section(page, name).getByText(/^Show \d+ zero rows?$/);
    await fold.waitFor();
    expect(await row.isVisible(), name).toBe(false);
    await fold.click();
    await row.waitFor();
  }
  await page.reload();
  await section(page, 'Accounts').getByText('Show 2 zero rows').waitFor();
  expect(await account(page, 'merchant-key').isVisible()).toBe(false);
});

test('folds old completed orders away, but not while they are shown', async (chat) => {
  for (let bought = 0; bought < 5; bought += 1) await buy(chat);
  const page = await chat.open(HOLDER);
  const oldest = cards(page, 'Orders').filter({ hasText: 'Order 10001' });
  await button(page, 'Fill order 10001').click();
  await oldest.getByText('filled').waitFor();

  await page.reload();
  const earlier = section(page, 'Orders').getByText('1 earlier');
  await earlier.waitFor();
  expect(await oldest.isVisible()).toBe(false);
  expect(await cards(page, 'Orders').getByText('pending').count()).toBe(4);
  await earlier.click();
  await oldest.getByText('filled').waitFor();
});

test('shows the audit’s result in one line, and hides only sections that the state lacks', async (chat) => {
  const page = await chat.open(HOLDER);
  const audit = page.getByRole('status', { name: 'Audit' });
  await audit.getByText('Everything adds up, to the sun.').waitFor();
  await section(page, 'Invoices').waitFor();

  const faults = ['TRX in all wallets: 0.000001, not 0.00'];
  await page.route('**/sandbox/rental/state', async (route) => {
    const { now, accounts, orders } = await (await route.fetch()).json();
    await route.fulfill({ json: { now, accounts, orders, audit: { ok: false, faults } } });
  });
  await audit.getByText('Doesn’t add up. TRX in all wallets: 0.000001, not 0.00').waitFor();
  for (const name of ['Invoices', 'Deposits', 'Withdrawals', 'Smart Mode', 'Chain', 'Ledger']) {
    await section(page, name).waitFor({ state: 'hidden' });
  }
  await button(page, '+100 TRX for demo-key').click();
  await account(page, 'demo-key').getByText('1100.00 TRX').waitFor();
});

test('resets after two presses', async (chat) => {
  const page = await chat.open(HOLDER);
  await buy(chat);
  await cards(page, 'Orders').getByText('Order 10001').waitFor();
  await holdNotices(page);
  const reset = section(page, 'Start over').getByRole('button');
  await reset.click();
  expect(await reset.textContent()).toBe('Press again to reset');
  await page.clock.runFor(5000);
  expect(await reset.textContent()).toBe('Reset');
  await reset.click();
  expect(await reset.textContent()).toBe('Press again to reset');
  await cards(page, 'Orders').getByText('Order 10001').waitFor();
  await reset.click();
  await section(page, 'Orders').getByText('Nothing was bought yet.').waitFor();
});

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

test('pays an invoice in parts and delegates it, lets another fail, and pays a third too late', async (chat) => {
  const page = await chat.open(HOLDER);
  await section(page, 'Invoices').getByText('No invoices were made yet.').waitFor();
  for (let made = 0; made < 3; made += 1) await chat.rent('demo-key', '/invoices', INVOICE);
  const invoice = (id: number) => cards(page, 'Invoices').filter({ hasText: `Invoice ${id}` });
  const status = (id: number, words: string) => invoice(id).getByText(words, { exact: true }).waitFor();

  await status(1, 'pending');
  await invoice(1).getByText('2.32 TRX or 0.76 USDT').waitFor();
  await invoice(1).getByText('29 min left').waitFor();
  await button(page, 'Underpay invoice 1').click();
  await invoice(1).getByText('1.16 TRX came').waitFor();
  await status(1, 'pending');
  await button(page, 'Pay in USDT: invoice 1').click();
  await status(1, 'paid');
  await invoice(1).getByText('0.38 of it was sent back').waitFor();
  await button(page, 'Delegate invoice 1').click();
  await status(1, 'delegated');
  await openSection(page, 'Chain');
  const receiver = cards(page, 'Chain').filter({ hasText: ADDRESS }).first();
  await receiver.getByText('65,000 energy').waitFor();
  await receiver.getByText('59 min left').waitFor();

  await button(page, 'Pay in TRX: invoice 2').click();
  await status(2, 'paid');
  await button(page, 'Fail invoice 2').click();
  await status(2, 'failed');
  await invoice(2).getByText('all of it was sent back').waitFor();

  await button(page, 'Move the clock +30 min').click();
  await status(3, 'expired');
  await receiver.getByText('29 min left').waitFor();
  await button(page, 'Pay late: invoice 3').click();
  await invoice(3).getByText('all of it was sent back').waitFor();
  await page.getByRole('status', { name: 'Audit' }).getByText('Everything adds up').waitFor();
});

test('credits or expires deposits, and completes or fails withdrawals', async (chat) => {
  const page = await chat.open(HOLDER);
  const deposits = section(page, 'Deposits');
  await openSection(page, 'Deposits');
  await deposits.getByText('Nothing came in yet.').waitFor();
  await deposits.getByLabel('Into').selectOption('demo-key');
  await deposits.getByLabel('Currency').selectOption('USDT');
  await deposits.getByLabel('Leave it pending').check();
  await button(page, 'Send it in').click();
  await cards(page, 'Deposits').getByText('307.69 TRX').waitFor();
  await deposits.getByText('1 pending').waitFor();
  await account(page, 'demo-key').getByText('1000.00 TRX').waitFor();
  await button(page, 'Credit #1').click();
  await cards(page, 'Deposits').getByText('confirmed').waitFor();
  await account(page, 'demo-key').getByText('1307.69 TRX').waitFor();
  await button(page, 'Send it in').click();
  await button(page, 'Expire #2').click();
  await cards(page, 'Deposits').getByText('expired').waitFor();

  await openSection(page, 'Withdrawals');
  const withdrawal = { to_address: ADDRESS, amount_trx: '20' };
  await chat.rent('demo-key', '/account/withdrawal', withdrawal);
  await chat.rent('merchant-key', '/account/withdrawal', withdrawal);
  await account(page, 'merchant-key').getByText('229.00 TRX').waitFor();
  await button(page, 'Complete withdrawal 1').click();
  await cards(page, 'Withdrawals').getByText('completed').waitFor();
  await button(page, 'Fail withdrawal 2').click();
  await account(page, 'merchant-key').getByText('250.00 TRX').waitFor();
  await account(page, 'demo-key').getByText('1286.69 TRX').waitFor();
});

test('makes and rejects transfers on a phone, within its width and with unique button names', async (chat) => {
  await chat.rent('demo-key', '/smart-mode/activate', { address: WATCHED, label: 'W'.repeat(64) });
  for (const path of ['/invoices', '/energy/buy']) {
    await chat.rent('demo-key', path, { address: ADDRESS, energy_amount: 5_000_000, duration_hours: 24 });
  }
  const page = await chat.open(HOLDER, PHONE);
  await button(page, 'Rental service').tap();

  await openSection(page, 'Smart Mode');
  await section(page, 'Smart Mode').getByText('1 active').waitFor();
  await button(page, 'Send 10 USDT from the address of subscription 1').tap();
  await cards(page, 'Smart Mode').getByText('1 transfer', { exact: true }).waitFor();
  await cards(page, 'Smart Mode').getByText('-2.80 TRX').waitFor();

  await holdNotices(page);
  const form = section(page, 'Transfer');
  await openSection(page, 'Transfer');
  await form.getByLabel('To', { exact: true }).fill(WATCHED);
  await form.getByLabel('Amount').fill('5.5');
  await button(page, 'Transfer').tap();
  await page.getByText('5.5 TRX sent').waitFor();
  await openSection(page, 'Chain');
  await cards(page, 'Chain')
    .filter({ hasText: WATCHED })
    .getByText('5.50 TRX', { exact: true })
    .first()
    .waitFor();
  await form.getByLabel('From').fill(ADDRESS);
  await button(page, 'Transfer').tap();
  await page.getByText(`${ADDRESS} holds 0.00 TRX, 5.50 needed`).waitFor();

  await page.evaluate(`for (const fold of document.querySelectorAll('.panel details')) fold.open = true`);
  expect(await overflowing(page)).toEqual([]);

  const names = await page
    .getByRole('complementary')
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.ariaLabel ?? one.textContent ?? ''));
  expect(names.length).toBeGreaterThan(30);
  expect(
    names.filter((name, index) => names.indexOf(name) !== index),
    'twice',
  ).toEqual([]);
  const words = names.filter((name) =>
    botLabels().some((label) => new RegExp(`\\b${label}\\b`, 'i').test(name)),
  );
  expect(words, 'as on a button of the bot').toEqual([]);
});

/** Labels of the bot. No button of the panel may have the same name. */
function botLabels(): string[] {
  const words = TEXTS.in('en');
  const buttons = localeTexts('en').filter(
    ({ key, variables }) => key.startsWith('button-') && variables.length === 0,
  );
  expect(buttons.length).toBeGreaterThan(10);
  return buttons
    .map(({ key }) => words.plain(key as TextKey).replace(/^[^\p{L}\p{N}]+/u, ''))
    .filter((label) => /^[\p{L}\p{N} ]+$/u.test(label));
}
