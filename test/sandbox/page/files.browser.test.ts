import { expect } from 'vitest';
import { messageLog, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

const HOLDER = 502;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function form(fields: object, part: string, file: string | Uint8Array<ArrayBuffer>, name: string): FormData {
  const made = new FormData();
  for (const [field, value] of Object.entries({ chat_id: String(HOLDER), ...fields })) made.set(field, value);
  made.set(part, new Blob([file]), name);
  return made;
}

test('shows a photo and its replacement with caption and keyboard', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const pixel = Buffer.from(PIXEL, 'base64');
  await chat.upload('sendPhoto', form({ caption: 'Pay here' }, 'photo', pixel, 'code.png'));
  const photo = messageLog(page).getByRole('img', { name: 'Photo' });
  await messageLog(page).getByText('Pay here').waitFor();
  await eventually(async () => expect(await photo.evaluate((image) => image.naturalWidth)).toBe(1));
  const first = await photo.getAttribute('src');
  expect(first).toMatch(/^\/sandbox\/telegram\//);

  const media = JSON.stringify({ type: 'photo', media: 'attach://next', caption: 'Paid' });
  const reply_markup = JSON.stringify({ inline_keyboard: [[{ text: 'Receipt', callback_data: 'r' }]] });
  const edit = form({ message_id: '2', media, reply_markup }, 'next', pixel, 'paid.png');
  await chat.upload('editMessageMedia', edit);
  await messageLog(page).getByText('Paid', { exact: true }).waitFor();
  await messageLog(page).getByRole('button', { name: 'Receipt' }).waitFor();
  expect(await photo.getAttribute('src')).not.toBe(first);
  expect(await messageLog(page).getByText('Pay here').count()).toBe(0);
});

test('shows a document with its name and size, and downloads it', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const csv = `number,amount\n${'1,2.32\n'.repeat(200)}`;
  await chat.upload('sendDocument', form({ caption: 'Paid in November' }, 'document', csv, 'invoices.csv'));
  await messageLog(page).getByText('Paid in November').waitFor();

  const downloading = page.waitForEvent('download');
  await messageLog(page).getByRole('link', { name: 'invoices.csv 1.4 KB · Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('invoices.csv');
  expect(download.url()).toMatch(/\/sandbox\/telegram\/documents\/.*\.csv$/);
  expect(await download.failure()).toBe(null);
});
