import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { symbolFonts } from '../../../src/sandbox/page/assets.ts';
import {
  messageBox as box,
  chatAs,
  complaintsOf,
  messageLog as log,
  overflowing,
  testPage as test,
} from '../../support/chat-page.ts';
import { chromiumOptions } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';

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
  const complaints = complaintsOf(page, chat.origin);
  await page.reload();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await log(page).getByText('/start').waitFor();
  expect(complaints).toEqual([]);
});

test('shows each user’s own chat, also after a reload', async (chat) => {
  await chat.write(HOLDER, 'I am the holder');
  const page = await chat.open(HOLDER);
  await log(page).getByText('I am the holder').waitFor();

  await page.getByLabel('Talk as').selectOption({ label: 'Merchant' });
  await log(page).getByText('I am the holder').waitFor({ state: 'detached' });
  await box(page).fill('I am the merchant');
  await box(page).press('Enter');
  await log(page).getByText('I am the merchant').waitFor();

  await page.reload();
  await log(page).getByText('I am the merchant').waitFor();
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

  await box(page).pressSequentially('/s');
  await page.getByRole('button', { name: '/help' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: '/start Main menu' }).waitFor();
  await box(page).press('Escape');
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
  await log(page).getByText('Line 40', { exact: true }).waitFor();
  const fromEnd = () =>
    log(page).evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));
  await eventually(async () => expect(await fromEnd()).toBe(0));

  await chat.send(HOLDER, 'Line 41');
  await log(page).getByText('Line 41', { exact: true }).waitFor();
  await eventually(async () => expect(await fromEnd()).toBe(0));

  await log(page).evaluate((log) => log.scrollTo(0, 0));
  const newest = page.getByRole('button', { name: 'Scroll to the end' });
  await newest.waitFor();
  await chat.send(HOLDER, 'Line 42');
  await log(page).getByText('Line 42', { exact: true }).waitFor();
  expect(await log(page).evaluate((log) => log.scrollTop)).toBe(0);

  await newest.click();
  await eventually(async () => expect(await fromEnd()).toBe(0));
});

test('shows a lost connection, and afterwards the messages that were missed', async (chat) => {
  await chat.write(HOLDER, '/start');
  const page = await chat.open(HOLDER);
  const first = await log(page).getByText('/start').elementHandle();
  await page.context().setOffline(true);
  await page.getByText('Reconnecting…').waitFor();
  await chat.send(HOLDER, 'While you were away');
  await page.context().setOffline(false);
  await log(page).getByText('While you were away').waitFor();
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
  await log(page).getByText(wide).first().waitFor();
  expect(await overflowing(page)).toEqual([]);
  expect(await page.getByRole('heading', { name: 'Rental service' }).isVisible()).toBe(false);
  const title = page.getByRole('main').getByRole('heading', { level: 1 });
  expect(await title.allTextContents()).toEqual(['Sandbox']);

  await page.getByRole('button', { name: 'Rental service' }).click();
  await page.getByText('Order 10001').first().waitFor();
  await page.getByRole('main').getByRole('complementary').waitFor();
  expect(await title.allTextContents()).toEqual(['Sandbox']);
  expect(await overflowing(page)).toEqual([]);
  expect(await box(page).isVisible()).toBe(false);

  await page.getByRole('button', { name: 'Chat', exact: true }).click();
  await box(page).waitFor();
});

describe('two chats side by side', () => {
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
});

const UNASSIGNED = '\u0378';
const SERVED = '"Page Symbols"';
const BARE_MACHINE = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <selectfont><rejectfont>
    <pattern><patelt name="color"><bool>true</bool></patelt></pattern>
    <glob>*Emoji*</glob><glob>*Symbol*</glob>
  </rejectfont></selectfont>
</fontconfig>`;

test('draws every symbol of the bot and of the page on a machine without emoji fonts', async (chat) => {
  const folder = mkdtempSync(join(tmpdir(), 'bare-machine-'));
  const config = join(folder, 'fonts.conf');
  writeFileSync(config, BARE_MACHINE);
  const browser = await chromium.launch({
    ...chromiumOptions(),
    env: { ...process.env, FONTCONFIG_FILE: config },
  });
  try {
    const page = await browser.newPage();
    await page.goto(chat.origin);
    const symbols = usedSymbols();
    expect(symbols).toEqual(expect.arrayContaining(['⚡', '☰', '⚙️', '🔑', '‹']));
    const family = await page.evaluate<string>('getComputedStyle(document.body).fontFamily');
    expect(await boxes(page, family, [...symbols, UNASSIGNED])).toEqual([UNASSIGNED]);

    const served = symbols.filter((symbol) => /\p{S}/u.test(symbol));
    expect(await boxes(page, SERVED, [...served, UNASSIGNED])).toEqual([UNASSIGNED]);
    expect(await drawnByTheMachine(page, SERVED, [...served, '–'])).toEqual(['–']);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
});

test('draws digits and spaces with the text font, not with one for emoji', async (chat) => {
  const page = await chat.open(502);
  await page.evaluate(`document.body.append(
    Object.assign(document.createElement('output'), { textContent: 'Order 10001: 2.32 TRX' }))`);
  const [fonts] = await fontsOf(page, 'body > output');
  expect(fonts?.map(({ familyName }) => familyName)).toHaveLength(1);
});

/** Returns the symbols in use that aren't letters and aren't in every font. */
function usedSymbols(): string[] {
  const root = new URL('../../../', import.meta.url);
  const files = ['locales/', 'src/sandbox/page/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ftl|html|js)$/.test(path))
      .map((path) => new URL(folder + path, root)),
  );
  const texts = files.map((file) => readFileSync(file, 'utf8')).join('');
  return [...new Set(texts.match(/[^\p{ASCII}\p{L}\p{M}\p{Cf}]\ufe0f?/gu))];
}

/** Returns the symbols that look like a missing character in one of the page's or the machine's fonts. */
function boxes(page: Page, family: string, symbols: string[]): Promise<unknown> {
  return page.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const draw = async (family, text) => {
      context.font = '32px ' + family;
      await document.fonts.load(context.font, text);
      context.clearRect(0, 0, 64, 64);
      context.fillText(text, 8, 44);
      return context.getImageData(0, 0, 64, 64).data.join();
    };
    const blank = await draw('sans-serif', ' ');
    const nothing = new Set([blank]);
    for (const machines of ['sans-serif', '"no such font"']) nothing.add(await draw(machines, '${UNASSIGNED}'));
    for (const name of ${JSON.stringify(symbolFonts().names)}) {
      document.fonts.add(await new FontFace(name, 'url(/page/fonts/' + name + ')').load());
      nothing.add(await draw(JSON.stringify(name), '${UNASSIGNED}'));
    }
    const found = [];
    for (const symbol of ${JSON.stringify(symbols)})
      if (nothing.has(await draw(${JSON.stringify(family)}, symbol))) found.push(symbol);
    return found;
  })()`);
}

/** Returns the symbols for which the browser used a font that the page doesn't serve. */
async function drawnByTheMachine(page: Page, family: string, symbols: string[]): Promise<string[]> {
  await page.evaluate(`document.body.style.fontFamily = ${JSON.stringify(family)};
    document.body.append(...${JSON.stringify(symbols)}.map((symbol) =>
      Object.assign(document.createElement('output'), { textContent: symbol })))`);
  const fonts = await fontsOf(page, 'body > output');
  return symbols.filter((_, index) => !fonts[index]?.every(({ isCustomFont }) => isCustomFont));
}

/** Returns the fonts that the browser used for each element. */
async function fontsOf(page: Page, selector: string) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeIds } = await devtools.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
  return Promise.all(
    nodeIds.map(async (nodeId) => (await devtools.send('CSS.getPlatformFontsForNode', { nodeId })).fonts),
  );
}
