import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  messageBox as box,
  holdNotices,
  messageLog as log,
  testPage as test,
} from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

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
  await chat.write(HOLDER, '/start');
  await chat.send(HOLDER, '<b>Bold</b> &lt;b&gt; <code>code</code>\n<blockquote>quoted</blockquote>');
  const page = await chat.open(HOLDER);
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

test('ignores further taps on a button until the bot has responded to the first', async (chat) => {
  await chat.write(HOLDER, '/start');
  await chat.send(HOLDER, 'Sure?', keyboard([tap('Confirm', 'yes')]));
  const page = await chat.open(HOLDER);
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
});

test('shows an alert until it is closed', async (chat) => {
  await chat.write(HOLDER, '/start');
  await chat.send(HOLDER, 'Sure?', keyboard([tap('Why', 'why')]));
  const page = await chat.open(HOLDER);
  await key(page, 'Why').click();
  const { callback_query } = await chat.nextUpdate();
  await chat.call('answerCallbackQuery', {
    callback_query_id: callback_query?.id,
    text: 'Read this',
    show_alert: true,
  });
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

test('copies the text of a copy button and confirms it', async (chat) => {
  await chat.write(HOLDER, '/start');
  await chat.send(HOLDER, 'Pay', keyboard([{ text: 'Copy', copy_text: { text: 'TR7N' } }]));
  const page = await chat.open(HOLDER, { permissions: ['clipboard-read', 'clipboard-write'] });
  await holdNotices(page);
  await key(page, 'Copy').click();
  await page.getByRole('status').getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('TR7N');
});

test('opens any other URL in a new tab', async (chat) => {
  await chat.write(HOLDER, '/start');
  await chat.send(HOLDER, 'Pay', keyboard([{ text: 'Open', url: `${chat.origin}/page/icon.svg` }]));
  const page = await chat.open(HOLDER);
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
