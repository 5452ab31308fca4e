import { expect } from 'vitest';
import type { TextKey } from '../../../src/i18n/keys.ts';
import { holdNotices, testPage as test } from '../../support/chat-page.ts';
import { localeTexts } from '../../support/locales.ts';
import { TEXTS } from '../../support/texts.ts';
import { account, button, cards, openSection, section } from './sections.ts';

const HOLDER = 502;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const WATCHED = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const INVOICE = { address: ADDRESS, transfer_count: 1, duration_hours: 1 };

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
  const wide = await page.evaluate(`[...document.querySelectorAll('body, body *')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.className || element.tagName)`);
  expect(wide).toEqual([]);

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
