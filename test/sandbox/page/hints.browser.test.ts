import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import { violationsOf } from '../../support/axe.ts';
import {
  messageBox as box,
  type ChatPage,
  messageLog as log,
  overflowing,
  testPage as test,
} from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const GUEST = 501;
const HOLDER = 502;
const MERCHANT = 503;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const ADDRESS = 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig';

const hints = (page: Page) => page.getByRole('list', { name: 'Hints' }).getByRole('button');
const hint = (page: Page, name: string) => hints(page).filter({ hasText: name });
const invoice = z.object({ invoice_id: z.number(), payment_address: z.string() });

test('hints send an address or a key once, by keyboard, also after a reload, until the chat is reset', async (chat) => {
  const page = await chat.open(HOLDER);
  expect(await hints(page).allTextContents()).toEqual(['Paste a sample address', 'Link demo-key']);
  const before = await box(page).boundingBox();
  await hint(page, 'Paste').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('/start');
  const reply_markup = { inline_keyboard: [[{ text: 'Link', callback_data: 'link:open' }]] };
  await chat.send(HOLDER, 'Menu', { reply_markup });
  expect((await chat.nextUpdate()).callback_query?.data).toBe('link:open');
  expect((await chat.nextUpdate()).message?.text).toBe('demo-key');
  await hint(page, 'Link demo-key').waitFor({ state: 'hidden' });
  expect(await box(page).evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);

  await hint(page, 'Paste a sample address').click();
  expect((await chat.nextUpdate()).message?.text).toBe(ADDRESS);
  await hint(page, 'Paste').waitFor({ state: 'hidden' });
  expect(await box(page).boundingBox(), 'the text box stays in place').toEqual(before);
  await page.reload();
  await log(page).getByText(ADDRESS).waitFor();
  expect(await hints(page).count()).toBe(0);

  await fetch(`${chat.origin}/sandbox/reset`, { method: 'POST' });
  await hint(page, 'Link demo-key').waitFor();
});

test('offers to pay only while the chat shows the address of an unpaid invoice', async (chat) => {
  const made = await chat.rent('operator-key', '/invoices', {
    address: ADDRESS,
    transfer_count: 1,
    duration_hours: 1,
  });
  const { payment_address } = invoice.parse(await made.json());
  await chat.write(GUEST, '/start');
  const page = await chat.open(GUEST);
  await log(page).getByText('/start').waitFor();
  // The first of these states has been shown before the second one is requested.
  for (let loaded = 0; loaded < 2; loaded += 1) await page.waitForResponse('**/rental/state');
  const pay = hint(page, 'Pay the invoice');
  expect(await pay.count()).toBe(0);
  await chat.send(GUEST, `Pay to <code>${payment_address}</code>`);
  await pay.click();
  await pay.waitFor({ state: 'hidden' });
  await eventually(async () => expect(await statusOfFirst(chat)).toBe('paid'));
  await page.reload();
  await log(page).getByText(payment_address).waitFor();
  await page.getByText('Delegate', { exact: true }).waitFor();
  expect(await pay.count()).toBe(0);
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`hints fit on a phone in Russian and pass axe (${colorScheme})`, async (chat) => {
    const page = await chat.open(MERCHANT, { ...PHONE, colorScheme });
    await hint(page, 'Привязать demo-key').waitFor();
    expect(await hints(page).allTextContents()).toEqual(['Вставить адрес', 'Привязать demo-key']);
    expect(await overflowing(page)).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
  });

test('hints follow the language of the bot, also after a reload', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const message = await chat.send(HOLDER, `Send the address: ${ADDRESS}`);
  await hint(page, 'Paste a sample address').waitFor();
  const text = `Пришлите адрес, например ${ADDRESS}`;
  await chat.call('editMessageText', { chat_id: HOLDER, message_id: message, text });
  await hint(page, 'Вставить адрес').waitFor();
  await page.reload();
  await hint(page, 'Вставить адрес').waitFor();
  await chat.send(HOLDER, 'Which address gets the energy?');
  await hint(page, 'Paste a sample address').waitFor();
});

async function statusOfFirst({ origin }: ChatPage): Promise<string | undefined> {
  const state = await fetch(`${origin}/sandbox/rental/state`);
  const { invoices } = z
    .object({ invoices: z.array(z.object({ status: z.string() })) })
    .parse(await state.json());
  return invoices[0]?.status;
}
