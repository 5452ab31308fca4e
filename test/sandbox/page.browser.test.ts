import { expect } from 'vitest';
import { messageBox, messageLog, testPage as test } from '../support/chat-page.ts';
import { eventually } from '../support/eventually.ts';

const GUEST = 501;
const HOLDER = 502;
const MERCHANT = 503;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

test('gives every element a role and a name', async (chat) => {
  const page = await chat.open(HOLDER);
  const { origin } = chat;
  expect(await page.getByRole('log', { name: 'Conversation' }).getAttribute('aria-live')).toBe('polite');
  expect(await page.getByLabel('Message').count()).toBe(1);
  expect(await page.getByLabel('Talk as').inputValue()).toBe(String(HOLDER));
  for (const name of ['Send', 'Menu', 'Start'])
    await page.getByRole('button', { name, exact: true }).waitFor();
  const headings = ['Clock', 'Orders', 'Accounts', 'Faults', 'Webhook log', 'Ledger', 'Start over'];
  for (const name of headings)
    await page.getByRole('region', { name }).getByRole('heading', { name }).waitFor();
  expect(page.url()).toBe(`${origin}/#${HOLDER}`);
  const nameless =
    'button:not([aria-label]):empty, img:not([alt]), select:not([id]):not(label select), [onclick]';
  expect(await page.locator(nameless).count()).toBe(0);
});

test('loads nothing from elsewhere and logs no errors', async (chat) => {
  const page = await chat.open(GUEST);
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on(
    'request',
    (request) => void (request.url().startsWith(chat.origin) || elsewhere.push(request.url())),
  );
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.reload();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await messageLog(page).getByText('/start').waitFor();
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);
});

test('shows each user’s own chat, also after a reload', async (chat) => {
  await chat.write(HOLDER, 'I am the holder');
  const page = await chat.open(HOLDER);
  await messageLog(page).getByText('I am the holder').waitFor();

  await page.getByLabel('Talk as').selectOption({ label: 'Merchant' });
  await messageLog(page).getByText('I am the holder').waitFor({ state: 'detached' });
  await messageBox(page).fill('I am the merchant');
  await messageBox(page).press('Enter');
  await messageLog(page).getByText('I am the merchant').waitFor();

  await page.reload();
  await messageLog(page).getByText('I am the merchant').waitFor();
  expect(await page.getByLabel('Talk as').inputValue()).toBe(String(MERCHANT));
});

test('lists the commands in the user’s language in the menu and after a slash', async (chat) => {
  const english = [
    { command: 'start', description: 'Main menu' },
    { command: 'help', description: 'How it works' },
  ];
  await chat.call('setMyCommands', { commands: english });
  await chat.call('setMyCommands', {
    commands: [{ command: 'help', description: 'Помощь' }],
    language_code: 'ru',
  });
  const page = await chat.open(HOLDER);
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('button', { name: '/help How it works' }).click();
  expect((await chat.nextUpdate()).message?.text).toBe('/help');

  await messageBox(page).pressSequentially('/s');
  await page.getByRole('button', { name: '/help' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: '/start Main menu' }).waitFor();
  await messageBox(page).press('Escape');
  await page.getByRole('button', { name: '/start Main menu' }).waitFor({ state: 'hidden' });

  await page.getByLabel('Talk as').selectOption(String(MERCHANT));
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('button', { name: '/help Помощь' }).waitFor();

  await chat.write(HOLDER, 'hello');
  await chat.call('setMyCommands', {
    commands: [{ command: 'state', description: 'For this person alone' }],
    scope: { type: 'chat', chat_id: HOLDER },
  });
  await page.keyboard.press('Escape');
  await page.getByLabel('Talk as').selectOption(String(HOLDER));
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('button', { name: '/state For this person alone' }).waitFor();
});

test('keeps the log at its end unless the reader scrolled up', async (chat) => {
  await chat.write(HOLDER, '/start');
  for (let line = 1; line <= 40; line += 1) await chat.send(HOLDER, `Line ${line}`);
  const page = await chat.open(HOLDER);
  await messageLog(page).getByText('Line 40', { exact: true }).waitFor();
  const fromEnd = () =>
    messageLog(page).evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));
  await eventually(async () => expect(await fromEnd()).toBe(0));

  await chat.send(HOLDER, 'Line 41');
  await messageLog(page).getByText('Line 41', { exact: true }).waitFor();
  await eventually(async () => expect(await fromEnd()).toBe(0));

  await messageLog(page).evaluate((log) => log.scrollTo(0, 0));
  const newest = page.getByRole('button', { name: 'Scroll to the end' });
  await newest.waitFor();
  await chat.send(HOLDER, 'Line 42');
  await messageLog(page).getByText('Line 42', { exact: true }).waitFor();
  expect(await messageLog(page).evaluate((log) => log.scrollTop)).toBe(0);

  await newest.click();
  await eventually(async () => expect(await fromEnd()).toBe(0));
});

test('shows a lost connection, and afterwards the messages that were missed', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const first = await messageLog(page).getByText('/start').elementHandle();
  await page.context().setOffline(true);
  await page.getByText('Reconnecting…').waitFor();
  await chat.send(HOLDER, 'While you were away');
  await page.context().setOffline(false);
  await messageLog(page).getByText('While you were away').waitFor();
  await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
  expect(await first?.evaluate((drawn) => drawn.isConnected), 'what was there is not drawn again').toBe(true);
});

test('shows the panel as a second view on a phone, within the screen’s width', async (chat) => {
  await chat.write(HOLDER, '/start');
  const wide = 'W'.repeat(300);
  const button = { text: wide, callback_data: 'x' };
  await chat.send(HOLDER, `${wide} <code>${wide}</code><pre>${wide}</pre>`, {
    reply_markup: { inline_keyboard: [[button, button, button], [button]] },
  });
  await chat.rent('demo-key', '/energy/buy', {
    address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    energy_amount: 65_000,
    duration_hours: 1,
  });
  const page = await chat.open(HOLDER, PHONE);
  await messageLog(page).getByText(wide).first().waitFor();
  const overflow = () =>
    page.evaluate(`[...document.querySelectorAll('body, body *')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.className || element.tagName)`);
  expect(await overflow()).toEqual([]);
  expect(await page.getByRole('heading', { name: 'Rental service' }).isVisible()).toBe(false);
  const title = page.getByRole('main').getByRole('heading', { level: 1 });
  expect(await title.allTextContents()).toEqual(['Sandbox']);

  await page.getByRole('button', { name: 'Rental service' }).click();
  await page.getByText('Order 10001').first().waitFor();
  await page.getByRole('main').getByRole('complementary').waitFor();
  expect(await title.allTextContents()).toEqual(['Sandbox']);
  expect(await overflow()).toEqual([]);
  expect(await messageBox(page).isVisible()).toBe(false);

  await page.getByRole('button', { name: 'Chat', exact: true }).click();
  await messageBox(page).waitFor();
});
