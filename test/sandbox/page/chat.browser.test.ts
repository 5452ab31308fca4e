import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { closedInvoiceSvg } from '../../../src/pictures/invoice-picture.ts';
import { createPictureRenderer } from '../../../src/pictures/render.ts';
import { violationsOf } from '../../support/axe.ts';
import {
  messageBox as box,
  type ChatPage,
  chatAs,
  holdNotices,
  messageLog as log,
  overflowing,
  testPage as test,
} from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLog } from '../../support/log-lines.ts';
import { PIXEL } from '../telegram/telegram-server.ts';

const HOLDER = 502;

const key = (page: Page, name: string) => log(page).getByRole('button', { name });
const tap = (text: string, data: string) => ({ text, callback_data: data });
const keyboard = (...rows: object[][]) => ({ reply_markup: { inline_keyboard: rows } });

test('shows what the bot does in an empty chat, with a Start button', async (chat) => {
  await chat.call('setMyDescription', { description: 'Rents energy.' });
  const page = await chat.open(HOLDER);
  await page.getByText('Rents energy.').waitFor();

  await page.getByRole('button', { name: 'Start', exact: true }).click();

  expect((await chat.nextUpdate()).message?.text).toBe('/start');
  await log(page).getByText('/start').waitFor();
  expect(await page.getByText('Rents energy.').isVisible()).toBe(false);
});

test('sends with Enter or the Send button, and breaks the line with Shift+Enter', async (chat) => {
  const page = await chat.open(HOLDER);
  await box(page).pressSequentially('one');
  await box(page).press('Shift+Enter');
  await box(page).pressSequentially('two');
  await box(page).press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('one\ntwo');
  expect(await box(page).inputValue()).toBe('');

  await box(page).fill('three');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect((await chat.nextUpdate()).message?.text).toBe('three');
});

test('keeps the text and shows the error if sending failed', async (chat) => {
  const page = await chat.open(HOLDER);
  await page.route('**/chats/*/messages', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await holdNotices(page);
  await box(page).fill('hello');
  await box(page).press('Enter');
  await page.getByText('can’t be reached').waitFor();
  await eventually(async () => expect(await box(page).inputValue()).toBe('hello'));
});

test('shows formatted text', async (chat) => {
  const page = await openWith(
    chat,
    '<b>Bold</b> &lt;b&gt; <code>code</code>\n<blockquote>quoted</blockquote>',
  );
  const html = await log(page).locator('.theirs .text').innerHTML();
  expect(html).toBe('<b>Bold</b> &lt;b&gt; <code>code</code>\n<blockquote>quoted</blockquote>');
});

test('shows only known tags of a message and runs no script', async (chat) => {
  const html =
    '<img src=x onerror="document.title=1"><script>document.title=2</script><a href="javascript:document.title=3">link</a>' +
    '<b onclick="document.title=4" style="color:red">bold</b><iframe src="/"></iframe><style>*{display:none}</style>';
  const evil = { message_id: 1, date: 1, from: 'bot', from_id: 700, entities: [], edited: false, html };
  await chat.write(HOLDER, '/start');
  const page = await chat.open(501);
  await page.route(`**/chats/${HOLDER}/messages`, (route) => route.fulfill({ json: [evil] }));
  await page.getByLabel('Talk as').selectOption(String(HOLDER));
  await log(page).getByText('bold').click();
  const text = log(page).locator('.text');
  expect(await text.locator('*').count()).toBe(1);
  expect(await text.innerHTML()).toMatch(/link<b>bold<\/b>/);
  expect(await page.title()).toBe('Energy Rental sandbox');
});

test('ignores further taps on a button until the bot has responded, and shows an alert until it is closed', async (chat) => {
  const page = await openWith(chat, 'Sure?', keyboard([tap('Confirm', 'yes')]));
  await holdNotices(page);
  for (let i = 0; i < 5; i++) await key(page, 'Confirm').click();
  expect(await key(page, 'Confirm').getAttribute('aria-busy')).toBe('true');

  const { callback_query } = await chat.nextUpdate();
  expect(callback_query?.data).toBe('yes');
  await chat.call('answerCallbackQuery', { callback_query_id: callback_query?.id, text: 'Done' });
  await page.getByRole('status').getByText('Done').waitFor();
  await eventually(async () => expect(await key(page, 'Confirm').getAttribute('aria-busy')).toBe(null));

  await box(page).fill('next');
  await box(page).press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('next');

  await key(page, 'Confirm').click();
  const callback_query_id = (await chat.nextUpdate()).callback_query?.id;
  await chat.call('answerCallbackQuery', { callback_query_id, text: 'Read this', show_alert: true });
  const alert = page.getByRole('dialog', { name: 'Read this' });
  await alert.getByRole('button', { name: 'OK' }).click();
  await alert.waitFor({ state: 'hidden' });
});

test('shows an edit in place and keeps the focus on the button with the same label', async (chat) => {
  await chat.write(HOLDER, '/start');
  const id = await chat.send(HOLDER, 'Page 1', keyboard([tap('Next', '2')]));
  const page = await chat.open(HOLDER);
  await key(page, 'Next').focus();
  await chat.call('editMessageText', {
    chat_id: HOLDER,
    message_id: id,
    text: 'Page 2',
    ...keyboard([{ ...tap('Back', '1'), style: 'danger' }, tap('Next', '3')]),
  });
  await log(page).getByText('Page 2').waitFor();
  expect(await log(page).getByText('Page 1').count()).toBe(0);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Next');
  expect(await key(page, 'Back').getAttribute('class')).toContain('danger');
});

test('copies the text of a copy button, and opens a URL in a new tab', async (chat) => {
  await chat.write(HOLDER, '/start');
  const open = { text: 'Open', url: `${chat.origin}/page/icon.svg` };
  await chat.send(HOLDER, 'Pay', keyboard([{ text: 'Copy', copy_text: { text: 'TR7N' } }, open]));
  const page = await chat.open(HOLDER, { permissions: ['clipboard-read', 'clipboard-write'] });
  await holdNotices(page);
  await key(page, 'Copy').click();
  await page.getByRole('status').getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('TR7N');
  const popup = page.waitForEvent('popup');
  await key(page, 'Open').click();
  expect((await popup).url()).toContain('/page/icon.svg');
});

test('lets users delete their own messages only, and removes those that the bot deletes', async (chat) => {
  await chat.write(HOLDER, 'my key');
  const id = await chat.send(HOLDER, 'Thanks');
  const page = await chat.open(HOLDER);
  await log(page).getByText('Thanks').waitFor();
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Delete' }).click();
  await log(page).getByText('my key').waitFor({ state: 'detached' });
  await chat.call('deleteMessage', { chat_id: HOLDER, message_id: id });
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
});

test('shows the first line of the original message in a reply, as a link to it', async (chat) => {
  await chat.write(HOLDER, 'hello');
  const receipt = await chat.send(HOLDER, 'Bought\nOrder 7');
  for (let more = 0; more < 30; more += 1) await chat.send(HOLDER, `line ${more}`);
  await chat.send(HOLDER, 'It has arrived', { reply_parameters: { message_id: receipt } });
  const page = await chat.open(HOLDER);
  const quote = log(page).getByRole('button', { name: 'Bought' });
  await quote.waitFor();
  expect(await quote.textContent()).toBe('Bought');
  const original = log(page).getByText('Order 7');
  expect(await original.evaluate((node) => node.getBoundingClientRect().bottom < 0)).toBe(true);
  await quote.click();
  await eventually(async () =>
    expect(await original.evaluate((node) => node.getBoundingClientRect().top > 0)).toBe(true),
  );
});

const MERCHANT = 503;
/** Thursday 17 March 2022, 15:45 UTC. */
const UNIX = 1_647_531_900;

const time = (format: string, unix = UNIX) =>
  `until <tg-time unix="${unix}" format="${format}">22:45 tomorrow</tg-time>`;

test('shows a date in the reader’s time zone and the user’s language', async (chat) => {
  for (const person of [HOLDER, MERCHANT]) {
    await chat.write(person, '/start');
    for (const format of ['wDT', 'dt', '']) await chat.send(person, time(format));
  }
  const page = await chat.open(HOLDER, { timezoneId: 'Asia/Tokyo' });
  const words = log(page).locator('.theirs .text');
  await words.nth(2).waitFor();
  expect(await words.allTextContents()).toEqual([
    'until Friday, 18 March 2022, 00:45:00',
    'until 18/03/2022, 00:45',
    'until 22:45 tomorrow',
  ]);
  expect(await words.nth(2).locator('time').getAttribute('title')).toMatch(/Friday.* 18 March 2022 .*00:45/);

  await page.getByLabel('Talk as').selectOption(String(MERCHANT));
  await eventually(async () =>
    expect(await words.allTextContents()).toEqual([
      'until пятница, 18 марта 2022 г., 00:45:00',
      'until 18.03.2022, 00:45',
      'until 22:45 tomorrow',
    ]),
  );
});

test('updates a relative date with the sandbox’s clock', async (chat) => {
  await chat.write(HOLDER, '/start');
  const due = Math.floor(chat.sandbox.clock.now() / 1000) + 2 * 3600 + 600;
  await chat.send(HOLDER, time('r', due));
  const page = await chat.open(HOLDER);
  await log(page).getByText('until in 2 hours').waitFor();
  chat.sandbox.clock.advance(3600_000);
  await log(page).getByText('until in 1 hour').waitFor();
  chat.sandbox.clock.advance(2 * 3600_000 + 600_000);
  await log(page).getByText('until 1 hour ago').waitFor();
});

function form(fields: object, part: string, file: string | Uint8Array<ArrayBuffer>, name: string): FormData {
  const made = new FormData();
  for (const [field, value] of Object.entries({ chat_id: String(HOLDER), ...fields })) made.set(field, value);
  made.set(part, new Blob([file]), name);
  return made;
}

test('shows a photo and its replacement with caption and keyboard', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  await chat.upload('sendPhoto', form({ caption: 'Pay here' }, 'photo', PIXEL, 'code.png'));
  const photo = log(page).getByRole('img', { name: 'Photo' });
  await log(page).getByText('Pay here').waitFor();
  await eventually(async () => expect(await photo.evaluate((image) => image.naturalWidth)).toBe(1));
  const first = await photo.getAttribute('src');
  expect(first).toMatch(/^\/sandbox\/telegram\//);

  const media = JSON.stringify({ type: 'photo', media: 'attach://next', caption: 'Paid' });
  const reply_markup = JSON.stringify({ inline_keyboard: [[{ text: 'Receipt', callback_data: 'r' }]] });
  const edit = form({ message_id: '2', media, reply_markup }, 'next', PIXEL, 'paid.png');
  await chat.upload('editMessageMedia', edit);
  await log(page).getByText('Paid', { exact: true }).waitFor();
  await log(page).getByRole('button', { name: 'Receipt' }).waitFor();
  expect(await photo.getAttribute('src')).not.toBe(first);
  expect(await log(page).getByText('Pay here').count()).toBe(0);
});

test('shows a wide picture of the renderer undistorted within its message', async (chat) => {
  const renderPicture = createPictureRenderer({ log: silentLog() });
  const picture = new Uint8Array((await renderPicture(closedInvoiceSvg())) ?? []);
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER, { viewport: { width: 360, height: 640 } });
  await chat.upload('sendPhoto', form({ caption: 'Expired' }, 'photo', picture, 'invoice.png'));
  const photo = log(page).getByRole('img', { name: 'Photo' });
  await eventually(async () => expect(await photo.evaluate((image) => image.naturalWidth)).toBe(1_200));
  const { width = 0, height = 0 } = (await photo.boundingBox()) ?? {};
  expect(width).toBeGreaterThan(200);
  expect(width).toBeLessThan(360);
  expect(width / height).toBeCloseTo(1_200 / 320, 1);
});

test('shows a document with its name and size, and downloads it', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const csv = `number,amount\n${'1,2.32\n'.repeat(200)}`;
  await chat.upload('sendDocument', form({ caption: 'Paid in November' }, 'document', csv, 'invoices.csv'));
  await log(page).getByText('Paid in November').waitFor();

  const downloading = page.waitForEvent('download');
  await log(page).getByRole('link', { name: 'invoices.csv 1.4 KB · Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('invoices.csv');
  expect(download.url()).toMatch(/\/sandbox\/telegram\/documents\/.*\.csv$/);
  expect(await download.failure()).toBe(null);
});

const bin = (page: Page) => page.getByRole('button', { name: 'Delete' });
const seen = (page: Page) =>
  bin(page).evaluate((button) => button.ownerDocument.defaultView.getComputedStyle(button).opacity);

async function openWithMessage(chat: ChatPage, options = {}): Promise<Page> {
  await chat.write(HOLDER, 'my message');
  const page = await chat.open(HOLDER, options);
  await log(page).getByText('my message').waitFor();
  return page;
}

test('shows a message’s delete button only while the message is hovered or focused', async (chat) => {
  const page = await openWithMessage(chat);
  expect(await seen(page)).toBe('0');
  await log(page).getByText('my message').hover();
  await eventually(async () => expect(await seen(page)).toBe('1'));
  await box(page).hover();
  await eventually(async () => expect(await seen(page)).toBe('0'));

  await log(page).focus();
  await page.keyboard.press('Tab');
  expect(await bin(page).evaluate((button) => button.matches(':focus'))).toBe(true);
  expect(await seen(page)).toBe('1');
  await box(page).focus();
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

  await log(page).getByText('my message').tap();
  expect(await seen(page)).toBe('1');
  await touchBin();
  await log(page).getByText('my message').waitFor({ state: 'detached' });
});

describe('attached files', () => {
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

  test('keeps a file and its caption and shows the error if sending failed, until it is taken off', async (chat) => {
    const page = await chat.open(HOLDER);
    await holdNotices(page);
    await choose(page, { ...PICTURE, name: 'broken.png', buffer: Buffer.from('no picture') });
    await box(page).fill('Look');
    await box(page).press('Enter');
    await page.getByText('IMAGE_PROCESS_FAILED').waitFor();
    await eventually(async () => expect(await box(page).inputValue()).toBe('Look'));
    await page.getByText('broken.png').waitFor();
    await page.getByRole('button', { name: 'Take the file off' }).press('Enter');
    await page.getByText('broken.png').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    expect(await messageOf(chat)).toMatchObject({ text: 'Look' });
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
        await fetch(`${chat.origin}/sandbox/telegram/chats/${HOLDER}/messages`, {
          method: 'POST',
          body: form,
        });
      }
      await log(page).getByRole('link', { name: 'Download' }).last().waitFor();
      await choose(page, { ...TABLE, name: `${'long '.repeat(40)}.csv` });
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
    }
  });
});

const GUEST = 501;
const LINK = 'https://t.me/rental_demo_bot?start=inv_7';
const SHARE = `https://t.me/share/url?${new URLSearchParams({ url: LINK, text: '2.32 TRX,\nplease' })}`;

const start = (page: Page) => page.getByRole('button', { name: 'Start', exact: true });
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

test('sends nothing if an offered start is dismissed, and offers it to no other user', async (chat) => {
  const page = await openWith(chat, 'Pay', button('Begin', LINK));
  await key(page, 'Begin').click();
  await page.getByRole('button', { name: 'Not now' }).click();
  await box(page).fill('no');
  await box(page).press('Enter');
  expect((await chat.nextUpdate()).message?.text).toBe('no');
  await key(page, 'Begin').click();
  await start(page).waitFor();
  await page.getByLabel('Talk as').selectOption(String(GUEST));
  await box(page).waitFor();
});

test('opens only the chat for a link without a valid payload', async (chat) => {
  const links = {
    None: 'https://t.me/rental_demo_bot',
    Invalid: 'https://t.me/rental_demo_bot?start=not%20allowed',
    Domain: 'tg://resolve?domain=Rental_Demo_Bot',
  };
  const inline_keyboard = [Object.entries(links).map(([text, url]) => ({ text, url }))];
  const page = await openWith(chat, 'Hello', { reply_markup: { inline_keyboard } });
  for (const name of Object.keys(links)) {
    await key(page, name).click();
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    expect((await chat.nextUpdate()).message?.text).toBe(name);
  }
});

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
