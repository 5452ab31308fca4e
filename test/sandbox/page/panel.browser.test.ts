import { createServer } from 'node:http';
import { expect } from 'vitest';
import { type ChatPage, holdNotices, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';
import { account, button, cards, openSection, section } from './sections.ts';

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
  const receiver = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await chat.rent('demo-key', '/webhooks/configure', { url: `http://127.0.0.1:${port}/hook` });
  const page = await chat.open(HOLDER);
  await buy(chat);
  await button(page, 'Fill order 10001').click();
  await openSection(page, 'Webhook log');
  const entry = cards(page, 'Webhook log');
  await entry.getByText('204').waitFor();
  await entry.getByText('order.filled').first().waitFor();
  await entry.getByText('What was sent').click();
  await entry.getByText('"energy_amount": 65000').waitFor();
  await new Promise((resolve) => receiver.close(resolve));
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
