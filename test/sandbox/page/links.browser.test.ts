import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  messageBox as box,
  type ChatPage,
  chatAs,
  messageLog as log,
  testPage as test,
} from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const GUEST = 501;
const HOLDER = 502;
const MERCHANT = 503;
const LINK = 'https://t.me/rental_demo_bot?start=inv_7';
const SHARE = `https://t.me/share/url?${new URLSearchParams({ url: LINK, text: '2.32 TRX,\nplease' })}`;

const start = (page: Page) => page.getByRole('button', { name: 'Start', exact: true });
const key = (page: Page, name: string) => log(page).getByRole('button', { name });
const button = (text: string, url: string) => ({ reply_markup: { inline_keyboard: [[{ text, url }]] } });

async function openWith(chat: ChatPage, text: string, more: object = {}): Promise<Page> {
  await chat.write(HOLDER, '/start');
  await chat.send(HOLDER, text, more);
  return chat.open(HOLDER);
}

test('offers Start for a link to the bot with a payload, in a text and on a button', async (chat) => {
  const page = await openWith(chat, `<a href="${LINK}">here</a>`, button('Begin', LINK));
  await log(page).getByRole('link', { name: 'here' }).click();
  expect(await box(page).isVisible()).toBe(false);
  await start(page).click();
  expect((await chat.nextUpdate()).message?.text).toBe('/start inv_7');
  await box(page).waitFor();

  await key(page, 'Begin').click();
  await start(page).press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('/start inv_7');
});

test('sends nothing if an offered start is dismissed', async (chat) => {
  const page = await openWith(chat, 'Pay', button('Begin', LINK));
  await key(page, 'Begin').click();
  await page.getByRole('button', { name: 'Not now' }).click();
  await box(page).fill('no');
  await box(page).press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('no');
});

test('does not offer one user’s link to the next user', async (chat) => {
  const page = await openWith(chat, 'Pay', button('Begin', LINK));
  await key(page, 'Begin').click();
  await start(page).waitFor();
  await page.getByLabel('Talk as').selectOption(String(GUEST));
  await box(page).waitFor();
});

for (const link of [
  'https://t.me/rental_demo_bot',
  'https://t.me/rental_demo_bot?start=not%20allowed',
  'tg://resolve?domain=Rental_Demo_Bot',
]) {
  test(`opens only the chat for a link without a valid payload: ${link}`, async (chat) => {
    const page = await openWith(chat, 'Hello', button('Bot', link));
    await key(page, 'Bot').click();
    await page.keyboard.type('hello');
    await page.keyboard.press('Enter');
    expect((await chat.nextUpdate()).message?.text).toBe('hello');
  });
}

test('asks for the recipient of a share link and shows the share above their chat', async (chat) => {
  await chat.write(MERCHANT, '/start');
  await chat.send(MERCHANT, 'Invoice 7', button('Share', SHARE));
  const page = await chat.open([MERCHANT, GUEST]);
  const [merchant, guest] = [chatAs(page, 'Merchant'), chatAs(page, 'Guest')];
  await merchant.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share with' });
  expect(await dialog.getByRole('button').allTextContents()).toEqual([
    'Guest',
    'Account holder',
    'Admin',
    'Cancel',
  ]);
  await dialog.getByRole('button', { name: 'Guest' }).click();
  await merchant.getByText('Shared with Guest').waitFor();

  const share = guest.getByRole('list', { name: 'Shared with you' }).getByRole('listitem');
  await share.getByText('Merchant shared with you').waitFor();
  expect(await share.getByText('2.32 TRX').textContent()).toBe('2.32 TRX,\nplease');
  await share.getByRole('link', { name: LINK }).click();
  await guest.getByRole('button', { name: 'Start', exact: true }).click();
  expect((await chat.nextUpdate()).message).toMatchObject({ text: '/start inv_7', chat: { id: GUEST } });

  await page.reload();
  await share.getByRole('button', { name: 'Put away' }).click();
  await share.waitFor({ state: 'detached' });
});

test('marks the other user’s tab on a phone when something was shared with them', async (chat) => {
  await chat.write(MERCHANT, '/start');
  await chat.send(MERCHANT, 'Invoice 7', button('Share', SHARE));
  const page = await chat.open([MERCHANT, GUEST], { viewport: { width: 390, height: 780 } });
  await key(page, 'Share').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Guest' }).click();
  const guest = page.getByRole('navigation').getByRole('button', { name: 'Guest' });
  await eventually(async () => expect(await guest.getAttribute('data-news')).toBe(''));
  await guest.click();
  await page.getByText('Merchant shared with you').waitFor();
});

test('shares nothing if a share link is dismissed', async (chat) => {
  const page = await openWith(chat, 'Pay', button('Share', SHARE));
  for (const leave of ['Cancel', 'Escape']) {
    await key(page, 'Share').click();
    const dialog = page.getByRole('dialog', { name: 'Share with' });
    if (leave === 'Cancel') await dialog.getByRole('button', { name: leave }).click();
    else await page.keyboard.press(leave);
    await dialog.waitFor({ state: 'hidden' });
  }
  await page.getByLabel('Talk as').selectOption(String(GUEST));
  await start(page).waitFor();
  expect(await page.getByRole('list', { name: 'Shared with you' }).count()).toBe(0);
});
