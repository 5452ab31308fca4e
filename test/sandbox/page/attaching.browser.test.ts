import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { violationsOf } from '../../support/axe.ts';
import {
  messageBox as box,
  type ChatPage,
  holdNotices,
  messageLog as log,
  testPage as test,
} from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const HOLDER = 502;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PICTURE = { name: 'sun.png', mimeType: 'image/png', buffer: PIXEL };
const VIDEO = { name: 'tour.mp4', mimeType: 'video/mp4', buffer: Buffer.from('no video at all') };
const TABLE = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') };

/** Chooses a file by keyboard only. */
async function choose(page: Page, file: typeof PICTURE): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach a file' }).press('Enter');
  await (await choosing).setFiles(file);
  await page.getByText(file.name).waitFor();
}

async function messageOf({ nextUpdate }: ChatPage) {
  const { message } = await nextUpdate();
  return message;
}

test('sends a chosen file with the text as its caption, by keyboard only', async (chat) => {
  const page = await chat.open(HOLDER);
  await box(page).fill('The sun');
  await choose(page, PICTURE);
  expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Message');
  await page.keyboard.press('Enter');
  expect(await messageOf(chat)).toMatchObject({ photo: [{ width: 1 }], caption: 'The sun' });
  await log(page).getByRole('img', { name: 'Photo' }).waitFor();
  await log(page).getByText('The sun').waitFor();
  expect(await box(page).inputValue()).toBe('');
  expect(await page.getByText(PICTURE.name).count()).toBe(0);

  await box(page).fill('only words');
  await box(page).press('Enter');
  expect(await messageOf(chat)).toMatchObject({ text: 'only words' });
});

test('sends a video and a document without a text and shows them', async (chat) => {
  const page = await chat.open(HOLDER);
  await choose(page, VIDEO);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect(await messageOf(chat)).toMatchObject({ video: { file_name: 'tour.mp4', mime_type: 'video/mp4' } });
  const video = log(page).getByLabel('Video', { exact: true });
  await video.waitFor();
  expect(await video.evaluate((node) => [node.tagName, node.controls])).toEqual(['VIDEO', true]);
  expect(await video.getAttribute('src')).toMatch(/^\/sandbox\/telegram\/videos\//);

  await choose(page, TABLE);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect(await messageOf(chat)).toMatchObject({ document: { file_name: 'prices.csv' } });
  await log(page).getByRole('link', { name: 'prices.csv 8 B · Download' }).waitFor();
});

test('removes a chosen file', async (chat) => {
  const page = await chat.open(HOLDER);
  await choose(page, TABLE);
  await page.getByRole('button', { name: 'Take the file off' }).press('Enter');
  await page.getByText(TABLE.name).waitFor({ state: 'detached' });
  await page.keyboard.type('without it');
  await page.keyboard.press('Enter');
  expect(await messageOf(chat)).toMatchObject({ text: 'without it' });
});

test('keeps a file and its caption and shows the error if sending failed', async (chat) => {
  const page = await chat.open(HOLDER);
  await holdNotices(page);
  await choose(page, { ...PICTURE, name: 'broken.png', buffer: Buffer.from('no picture') });
  await box(page).fill('Look');
  await box(page).press('Enter');
  await page.getByText('IMAGE_PROCESS_FAILED').waitFor();
  await eventually(async () => expect(await box(page).inputValue()).toBe('Look'));
  await page.getByText('broken.png').waitFor();
});

test('shows the author of a forwarded message and names kinds that cannot be displayed', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const write = (message: object) =>
    fetch(`${chat.origin}/sandbox/telegram/chats/${HOLDER}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
  await write({ text: 'As he says', forward_from: 503 });
  await log(page).getByText('Forwarded from Merchant').waitFor();
  for (const [kind, words] of Object.entries({
    ...{ sticker: 'Sticker', voice: 'Voice message', animation: 'GIF', location: 'Location', poll: 'Poll' },
  })) {
    await write({ kind });
    await log(page).getByText(words, { exact: true }).waitFor();
  }
});

test('passes axe with files and forwarded messages, within the screen’s width', async (chat) => {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    const page = await chat.open(HOLDER, { colorScheme, viewport: { width, height: 800 } });
    for (const [part, file] of [
      ['photo', PIXEL],
      ['video', VIDEO.buffer],
      ['document', TABLE.buffer],
    ] as const) {
      const form = new FormData();
      form.set(part, new Blob([file]), part);
      form.set('forward_from', '503');
      form.set('width', '4000');
      form.set('height', '100');
      await fetch(`${chat.origin}/sandbox/telegram/chats/${HOLDER}/messages`, { method: 'POST', body: form });
    }
    await log(page).getByRole('link', { name: 'Download' }).last().waitFor();
    await choose(page, { ...TABLE, name: `${'long '.repeat(40)}.csv` });
    expect(await violationsOf(page)).toEqual([]);
    const wide = await page.evaluate(`[...document.querySelectorAll('.chat, .chat *')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.className || one.tagName)`);
    expect(wide).toEqual([]);
  }
});
