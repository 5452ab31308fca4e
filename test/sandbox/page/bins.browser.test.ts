import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type ChatPage, messageBox, messageLog, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const HOLDER = 502;

const bin = (page: Page) => page.getByRole('button', { name: 'Delete' });
const seen = (page: Page) =>
  bin(page).evaluate((button) => button.ownerDocument.defaultView.getComputedStyle(button).opacity);

async function openWithMessage(chat: ChatPage, options = {}): Promise<Page> {
  await chat.write(HOLDER, 'my message');
  const page = await chat.open(HOLDER, options);
  await messageLog(page).getByText('my message').waitFor();
  return page;
}

test('shows a message’s delete button only while the message is hovered or focused', async (chat) => {
  const page = await openWithMessage(chat);
  expect(await seen(page)).toBe('0');
  await messageLog(page).getByText('my message').hover();
  await eventually(async () => expect(await seen(page)).toBe('1'));
  await messageBox(page).hover();
  await eventually(async () => expect(await seen(page)).toBe('0'));

  await messageLog(page).focus();
  await page.keyboard.press('Tab');
  expect(await bin(page).evaluate((button) => button.matches(':focus'))).toBe(true);
  expect(await seen(page)).toBe('1');
  await messageBox(page).focus();
  expect(await seen(page)).toBe('0');
});

test('requires a touch on the message before its delete button works on a touch screen', async (chat) => {
  const page = await openWithMessage(chat, { isMobile: true, hasTouch: true });
  expect(await seen(page)).toBe('0');
  const box = await bin(page).boundingBox();
  if (!box) throw new Error('the delete button has no position');
  const touchBin = () => page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await touchBin();
  expect(await seen(page)).toBe('0');

  await messageLog(page).getByText('my message').tap();
  expect(await seen(page)).toBe('1');
  await touchBin();
  await messageLog(page).getByText('my message').waitFor({ state: 'detached' });
});
