import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { symbolFonts } from '../../../src/sandbox/page/assets.ts';
import { testPage as test } from '../../support/chat-page.ts';
import { chromiumOptions } from '../../support/chromium.ts';

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
