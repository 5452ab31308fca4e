import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { messageBox as box, chatAs, messageLog as log, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const GUEST = 501;
const MERCHANT = 503;
const PHONE = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name });
const hash = (page: Page) => new URL(page.url()).hash;

test('shows two users side by side, each with their own chat', async (chat) => {
  const page = await chat.open(MERCHANT);
  await page.getByRole('button', { name: 'Show another person beside' }).click();
  const [merchant, guest] = [chatAs(page, 'Merchant'), chatAs(page, 'Guest')];
  await guest.waitFor();
  expect(hash(page)).toBe('#503,501');
  expect(await page.getByRole('button', { name: 'Show another person beside' }).count()).toBe(0);

  await box(guest).fill('I pay');
  await box(guest).press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('I pay');
  await box(merchant).fill('I wait');
  await box(merchant).press('Enter');
  await log(merchant).getByText('I wait').waitFor();
  await log(guest).getByText('I pay').waitFor();
  expect(await log(guest).getByText('I wait').count()).toBe(0);

  await page.reload();
  await log(merchant).getByText('I wait').waitFor();
  await log(guest).getByText('I pay').waitFor();
});

test('swaps the sides if a user is chosen who is shown on the other side', async (chat) => {
  await chat.write(GUEST, 'I am the guest');
  const page = await chat.open([MERCHANT, GUEST]);
  await chatAs(page, 'Merchant').getByLabel('Talk as').selectOption(String(GUEST));
  await eventually(async () => expect(hash(page)).toBe('#501,503'));
  const sides = page.getByRole('region', { name: 'Chat as' });
  await log(sides.first()).getByText('I am the guest').waitFor();
  expect(await sides.last().getAttribute('aria-label')).toBe('Chat as Merchant');
  expect(await sides.last().getByLabel('Talk as').inputValue()).toBe(String(MERCHANT));
});

test('closes one of two chats and keeps the other', async (chat) => {
  const page = await chat.open([MERCHANT, GUEST]);
  await box(chatAs(page, 'Guest')).fill('half a mess');
  await chatAs(page, 'Merchant').getByRole('button', { name: 'Close this chat' }).click();
  await chatAs(page, 'Merchant').waitFor({ state: 'detached' });
  expect(await box(page).inputValue()).toBe('half a mess');
  expect(hash(page)).toBe('#501');
  expect(await page.getByRole('button', { name: 'Close this chat' }).count()).toBe(0);
});

test('fits both chats and the panel at 1280 and at 1000 pixels', async (chat) => {
  for (const width of [1280, 1000]) {
    const page = await chat.open([MERCHANT, GUEST], { viewport: { width, height: 800 } });
    for (const name of ['Merchant', 'Guest']) {
      await chatAs(page, name).getByRole('button', { name: 'Send' }).click({ trial: true });
      const { width: own = 0 } = (await chatAs(page, name).boundingBox()) ?? {};
      expect(own).toBeGreaterThan(400);
    }
    expect(await page.getByRole('complementary').isVisible()).toBe(true);
  }
});

test('shows each of two users in a tab on a phone and marks tabs with new messages', async (chat) => {
  await chat.write(GUEST, '/start');
  const page = await chat.open([MERCHANT, GUEST], PHONE);
  await chatAs(page, 'Merchant').waitFor();
  expect(await chatAs(page, 'Guest').isVisible()).toBe(false);
  expect(await page.getByRole('complementary').isVisible()).toBe(false);

  await page.getByText('/start', { exact: true }).waitFor({ state: 'attached' });
  await chat.send(GUEST, 'It was paid');
  await eventually(async () => expect(await tab(page, 'Guest').getAttribute('data-news')).toBe(''));
  await tab(page, 'Guest').click();
  await log(page).getByText('It was paid').waitFor();
  expect(await tab(page, 'Guest').getAttribute('data-news')).toBe(null);
  expect(await chatAs(page, 'Merchant').isVisible()).toBe(false);

  await page.getByRole('button', { name: 'Close this chat' }).click();
  await tab(page, 'Chat').waitFor();
  await chatAs(page, 'Merchant').waitFor();
});
