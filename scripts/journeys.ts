import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { TextKey } from '../src/i18n/keys.ts';
import { LANGUAGES, type Language } from '../src/i18n/texts.ts';
import { readTotpSecret, totpCode, totpStep } from '../src/sandbox/rental/two-factor.ts';
import { chromiumOptions } from '../test/support/chromium.ts';
import { fixedPart } from '../test/support/locales.ts';
import { createPerson, type ShownMessage } from '../test/support/person.ts';
import { createSandboxRequests } from '../test/support/sandbox-requests.ts';

/*
 * Walks through the journeys of users on the demo's chat page in Chromium, in each language. Prints taps, typed messages,
 * new messages of the bot that are left, and words shown. Fails if a journey takes more than its limits. With `--screens`,
 * also writes pictures of the main cards to docs/screens. With `--payments N`, measures the time until a payment is shown.
 */

const GUEST = 501;
const HOLDER = 502;
const HOLDER_WITH_2FA = 503;
const ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const OTHER_ADDRESS = 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig';
const KEY = 'demo-key';
/** Key of the account with 2FA, and the secret of its authenticator. */
const TOTP_KEY = 'totp-key';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXP';
const SCREENS = 'docs/screens';
/** Journey after which the whole chat page is pictured, with the panel beside the chat. */
const SHOWN_WHOLE = 'buy again';
const PATIENCE_MS = 30_000;
const SETTLED_MS = 500;
const PACE_MS = 6_000;

const { values: options } = parseArgs({
  options: {
    screens: { type: 'boolean', default: false },
    dark: { type: 'boolean', default: false },
    payments: { type: 'string', default: '0' },
    only: { type: 'string', default: LANGUAGES.join() },
  },
});

/** Starts the demo in a process of its own, which ends with this one. Returns its origin. */
async function startDemo(): Promise<string> {
  const demo = spawn(process.execPath, ['scripts/start.js', 'sandbox/demo'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => demo.kill());
  return new Promise<string>((resolve, reject) => {
    demo.stdout.on('data', (text) => {
      const [found] = /http:\/\/localhost:\d+/.exec(String(text)) ?? [];
      if (found) resolve(found);
    });
    demo.on('exit', () => reject(new Error('the demo ended')));
  });
}

/** Pause before *Confirm*. The bot ignores a tap on a card that is younger than 0.7 seconds. */
const READING_MS = 750;

/** Functions that act as one user on the chat page, and count what they do. */
function createUser(page: Page, language: Language, chat: number, control: Control) {
  const counts = { taps: 0, typed: 0 };
  const log = page.getByRole('log');
  const messages = async () =>
    (await control<ShownMessage[]>('GET', `/telegram/chats/${chat}/messages`)).filter(
      ({ from }) => from === 'bot',
    );

  async function tap(label: string | RegExp): Promise<void> {
    counts.taps += 1;
    await log.getByRole('button', { name: label }).last().click({ timeout: PATIENCE_MS });
  }

  return {
    counts,
    messages,
    log,
    /** The lowest message of the bot, whichever it is at the time. */
    lowest: log.locator('.theirs').last(),
    /** Waits until the longest fixed part of a text is shown, with `in` in that message. Returns the lowest such message. */
    async reads(key: TextKey, { in: where }: { in?: Locator } = {}): Promise<Locator> {
      const part = fixedPart(key, language);
      const shown = where ?? log.locator('.theirs').filter({ hasText: part }).last();
      await shown
        .getByText(part)
        .first()
        .waitFor({ timeout: PATIENCE_MS })
        .catch(async () => {
          const last = (await messages()).at(-1);
          throw new Error(`“${part}” (${key}) isn't shown. Last: ${last?.html}`);
        });
      return shown;
    },
    taps: tap,
    /** Reads the card, then taps its button. */
    async confirms(label: string | RegExp): Promise<void> {
      await page.waitForTimeout(READING_MS);
      await tap(label);
    },
    /** Chooses the recipient of a link that is being shared. */
    async shareWith(name: string): Promise<void> {
      counts.taps += 1;
      await page.getByRole('dialog').getByRole('button', { name }).click({ timeout: PATIENCE_MS });
      await page.getByText('Shared with').waitFor({ timeout: PATIENCE_MS });
    },
    async types(text: string): Promise<void> {
      counts.typed += 1;
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill(text);
      await box.press('Enter');
    },
  };
}

type User = ReturnType<typeof createUser>;
type Control = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

/** Returns a pattern for a button's label, whatever its variables are. */
function labelOf(language: Language, key: TextKey): RegExp {
  return new RegExp(fixedPart(key, language).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'u');
}

interface Scene {
  language: Language;
  control: Control;
  /** Opens a page of the size of a phone. */
  openPage(url: string): Promise<Page>;
  /** Writes a picture of a message or of a page, with `--screens`. */
  picture(name: string, message: Locator): Promise<void>;
  picturePage(name: string, page: Page): Promise<void>;
}

/** Most taps, texts, both together, and messages of the bot that are left. */
type Limits = Partial<Record<'taps' | 'texts' | 'interactions' | 'messages', number>>;

interface Journey {
  name: string;
  user: number;
  /** A run that exceeds a limit fails. */
  limits?: Limits;
  /** Prepares the chat. Not counted. */
  prepare?(user: User, scene: Scene): Promise<void>;
  run(user: User, scene: Scene): Promise<void>;
}

async function link(user: User, { language }: Scene, key = KEY): Promise<void> {
  await user.types('/start');
  await user.taps(labelOf(language, 'button-link'));
  await user.reads('link-ask');
  await user.types(key);
  await user.reads('link-done');
}

async function buyEnergy(user: User, { language, picture }: Scene): Promise<void> {
  await user.types(ADDRESS);
  await picture('energy-card', await user.reads('operation-check'));
  await user.confirms(labelOf(language, 'button-confirm'));
  await picture('energy-receipt', await user.reads('energy-done'));
}

async function openMenu(user: User): Promise<void> {
  await user.types('/menu');
  await user.reads('menu-title');
}

/** Returns the link of the hosted page that the latest invoice card copies. */
async function linkOfLatestPage(user: User): Promise<string> {
  const buttons = (await user.messages()).flatMap(({ keyboard = [] }) => keyboard.flat());
  return buttons.findLast(({ copy }) => copy?.includes('/i/'))?.copy ?? '';
}

async function shareInvoice(user: User, { language, picture }: Scene): Promise<void> {
  await user.types(`/invoice ${OTHER_ADDRESS} 1 1h`);
  await user.reads('operation-check');
  await user.confirms(labelOf(language, 'button-invoice-create'));
  await picture('invoice-merchant', await user.reads('invoice-customer-until'));
  await user.taps(labelOf(language, 'button-share'));
  await user.shareWith('Guest');
}

/** Pays or completes the latest invoice at the rental service. */
async function payLatest({ control }: Pick<Scene, 'control'>, what: 'pay' | 'delegate'): Promise<void> {
  const { invoices } = await control<{ invoices: { invoice_id: string }[] }>('GET', '/rental/state');
  await control('POST', `/rental/invoices/${invoices[0]?.invoice_id}/${what}`, {});
}

/** Types the current code of the account with 2FA. */
async function typeCode(user: User, control: Control): Promise<void> {
  const { now } = await control<{ now: number }>('GET', '/clock');
  await user.types(totpCode(readTotpSecret(TOTP_SECRET), totpStep(now)));
}

/** Lets the minute pass after which the service accepts another withdrawal. */
async function passMinute(control: Control): Promise<void> {
  await control('POST', '/clock', { advance_seconds: 60 });
}

const JOURNEYS: readonly Journey[] = [
  { name: 'link an account', user: HOLDER, run: (user, scene) => link(user, scene) },
  {
    name: 'first purchase',
    user: HOLDER,
    limits: { taps: 1, texts: 1 },
    prepare: openMenu,
    run: buyEnergy,
  },
  {
    name: 'buy again',
    user: HOLDER,
    async run(user, { language }) {
      await user.taps(labelOf(language, 'energy-again'));
      await user.reads('operation-check');
      await user.confirms(labelOf(language, 'button-confirm'));
      await user.reads('energy-done', { in: user.lowest });
    },
  },
  {
    name: 'guest makes an invoice',
    user: GUEST,
    limits: { taps: 1, texts: 1 },
    async prepare(user, { picture }) {
      await user.types('/start');
      await picture('menu', await user.reads('menu-guest'));
    },
    async run(user, { language, picture }) {
      await user.types(ADDRESS);
      await picture('guest-card', await user.reads('operation-check'));
      await user.confirms(labelOf(language, 'button-invoice-create'));
      await picture('invoice', await user.reads('invoice-until'));
    },
  },
  {
    name: 'guest buys energy',
    user: GUEST,
    limits: { taps: 1, texts: 1, messages: 2 },
    async run(user, scene) {
      await user.types(OTHER_ADDRESS);
      await user.reads('operation-check', { in: user.lowest });
      await user.confirms(labelOf(scene.language, 'button-invoice-create'));
      await user.reads('invoice-until', { in: user.lowest });
      await payLatest(scene, 'pay');
      await user.reads('invoice-paid');
      await payLatest(scene, 'delegate');
      await user.reads('energy-delivered');
      await scene.picture('invoice-delivered', await user.reads('operation-transaction'));
    },
  },
  { name: 'merchant shares an invoice', user: HOLDER, limits: { interactions: 4 }, run: shareInvoice },
  {
    name: 'customer pays on the page',
    user: HOLDER,
    async run(user, scene) {
      const page = await scene.openPage(await linkOfLatestPage(user));
      await scene.picturePage('invoice-page', page);
      await payLatest(scene, 'pay');
      await user.reads('invoice-paid');
      await payLatest(scene, 'delegate');
      await user.reads('operation-transaction');
      await page.getByText(fixedPart('page-state-delivered', scene.language)).first().waitFor();
      await scene.picturePage('invoice-page-delivered', page);
      await page.close();
    },
  },
  {
    name: 'start Smart Mode',
    user: HOLDER,
    limits: { interactions: 6 },
    async run(user, { language, picture }) {
      await user.types('/smart');
      await user.reads('smart-mode-list');
      await user.taps(labelOf(language, 'button-smart-mode-start'));
      await user.reads('smart-mode-address');
      await user.types(OTHER_ADDRESS);
      await user.reads('smart-mode-label');
      await user.taps(labelOf(language, 'button-skip'));
      await user.reads('smart-mode-guarantee');
      await user.taps(labelOf(language, 'button-guarantee-on'));
      await picture('smart-mode-card', await user.reads('operation-check'));
      await user.confirms(labelOf(language, 'button-confirm'));
      await user.reads('smart-mode-is-start');
    },
  },
  {
    name: 'withdraw with 2FA',
    user: HOLDER_WITH_2FA,
    prepare: (user, scene) => link(user, scene, TOTP_KEY),
    async run(user, { language, control, picture }) {
      await user.types('/withdraw');
      await user.reads('withdrawal-amount');
      await user.types('12.5');
      await user.reads('withdrawal-address');
      await user.types(ADDRESS);
      await picture('withdrawal-card', await user.reads('operation-check'));
      await user.confirms(labelOf(language, 'button-confirm'));
      await user.reads('operation-awaiting');
      await typeCode(user, control);
      await picture('withdrawal-receipt', await user.reads('withdrawal-done'));
    },
  },
  {
    name: 'withdraw with a wrong code first',
    user: HOLDER_WITH_2FA,
    prepare: (_user, { control }) => passMinute(control),
    async run(user, { language, control }) {
      await user.types(`/withdraw 12.5 ${ADDRESS}`);
      await user.reads('operation-check');
      await user.confirms(labelOf(language, 'button-confirm'));
      await user.reads('operation-awaiting');
      await user.types('000000');
      await user.reads('operation-code-from');
      await user.confirms(labelOf(language, 'button-confirm'));
      await user.reads('operation-awaiting');
      await passMinute(control);
      await typeCode(user, control);
      await user.reads('withdrawal-done', { in: user.lowest });
    },
  },
  {
    name: 'look around',
    user: HOLDER,
    async run(user, { picture }) {
      for (const [command, key, name] of [
        ['/history', 'history-title', 'history'],
        ['/prices', 'prices-card', 'prices'],
      ] as const) {
        await user.types(command);
        await picture(name, await user.reads(key));
      }
    },
  },
];

/** Runs all journeys in one language, each in a page of its own. Returns a row of the table for each. */
async function runAll(browser: Browser, language: Language): Promise<string[]> {
  const origin = await startDemo();
  const control: Control = async (method, path, body) => {
    const response = await fetch(`${origin}/sandbox${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as never;
  };
  const rows: string[] = [];
  for (const { name, user: chat, limits = {}, prepare, run } of JOURNEYS) {
    const page = await browser.newPage({
      viewport: { width: 430, height: 1400 },
      deviceScaleFactor: 2,
      colorScheme: options.dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(`${origin}/#${chat}`);
    const user = createUser(page, language, chat, control);
    const scene: Scene = {
      language,
      control,
      openPage: async (url) => {
        const opened = await browser.newPage({
          viewport: { width: 390, height: 844 },
          deviceScaleFactor: 2,
          locale: language,
          colorScheme: options.dark ? 'dark' : 'light',
        });
        await opened.goto(url);
        return opened;
      },
      async picture(screen, message) {
        if (!options.screens) return;
        await delay(200);
        await message.screenshot({ path: `${SCREENS}/${language}-${screen}.png` });
      },
      async picturePage(screen, opened) {
        if (!options.screens) return;
        await delay(200);
        await opened.screenshot({ path: `${SCREENS}/${language}-${screen}.png`, fullPage: true });
      },
    };
    await chooseLanguage(user, language);
    await prepare?.(user, scene);
    const before = await settledMessages(user);
    Object.assign(user.counts, { taps: 0, typed: 0 });
    await run(user, scene);
    const changed = (await settledMessages(user)).filter((one) => !before.some((other) => same(one, other)));
    // Messages of an earlier journey can change at any time.
    const latest = Math.max(0, ...before.map(({ message_id }) => message_id));
    const left = changed.filter(({ message_id }) => message_id > latest);
    if (options.screens && language === 'en' && name === SHOWN_WHOLE) {
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.screenshot({ path: `${SCREENS}/demo.png`, scale: 'css' });
    }
    const shown = changed.map(({ html }) => html.replace(/<[^>]+>/g, '')).join(' ');
    const count = shown.split(/\s+/).filter(Boolean).length;
    const { taps, typed } = user.counts;
    rows.push(`| ${language} | ${name} | ${taps} | ${typed} | ${left.length} | ${count} |`);
    const counted = { taps, texts: typed, interactions: taps + typed, messages: left.length };
    exceeded.push(...beyond(counted, limits).map((which) => `${name} (${language}): ${which}`));
    await page.close();
  }
  return rows;
}

/** Returns a text for each count above its limit. */
function beyond(counted: Required<Limits>, limits: Limits): string[] {
  return (Object.entries(limits) as [keyof Limits, number][])
    .filter(([what, limit]) => counted[what] > limit)
    .map(([what, limit]) => `${counted[what]} ${what}, at most ${limit}`);
}

/**
 * Measures the time from a payment at the service until an invoice's card and its hosted page show it. The account has no
 * instant alerts, so the bot polls. Returns rows of a table.
 */
async function measurePayments(browser: Browser, count: number): Promise<string[]> {
  const origin = await startDemo();
  const requests = createSandboxRequests({
    fetch: async (request) => fetch(new Request(request.url.replace('http://localhost', origin), request)),
  });
  const person = createPerson({ requests, chat: HOLDER, patienceMs: 90_000 });
  // The demo delivers after 20 seconds. A card that is checked later skips the paid state.
  const noticed = [fixedPart('invoice-paid'), fixedPart('invoice-delivered')];

  async function create(): Promise<{ card: ShownMessage; id: number }> {
    const { message_id = 0 } = await person.say(`/invoice ${OTHER_ADDRESS} 1 1h`);
    await person.reads(fixedPart('operation-check'), { message_id });
    await delay(READING_MS);
    await person.tap(fixedPart('button-confirm'));
    const card = await person.reads(fixedPart('invoice-customer-until'), { message_id });
    const { invoices } = await requests.ask<{ invoices: { invoice_id: number }[] }>('GET', '/rental/state');
    return { card, id: invoices[0]?.invoice_id ?? 0 };
  }

  async function pay({ card, id }: { card: ShownMessage; id: number }): Promise<number> {
    await requests.ask('POST', `/rental/invoices/${id}/pay`, {});
    const startedAt = performance.now();
    await person.until('the payment on its card', (shown) => {
      const now = shown.find(({ message_id }) => message_id === card.message_id);
      return noticed.some((part) => now?.caption?.includes(part)) || undefined;
    });
    return performance.now() - startedAt;
  }

  /** Returns the time until the hosted page shows the payment. */
  async function payOnPage({ card, id }: { card: ShownMessage; id: number }): Promise<number> {
    const url = card.keyboard?.flat().find(({ copy }) => copy?.startsWith('http'))?.copy ?? '';
    const page = await browser.newPage();
    await page.goto(url);
    await requests.ask('POST', `/rental/invoices/${id}/pay`, {});
    const startedAt = performance.now();
    await page.getByText(fixedPart('page-state-paid')).first().waitFor({ timeout: 90_000 });
    await page.close();
    return performance.now() - startedAt;
  }

  await person.say('/start');
  await person.tap(fixedPart('button-link'));
  await person.ask(KEY, fixedPart('link-done'));
  const inTurn: number[] = [];
  const onPage: number[] = [];
  for (let at = 0; at < count; at++) inTurn.push(await pay(await create()));
  for (let at = 0; at < count; at++) onPage.push(await payOnPage(await create()));
  const open: Awaited<ReturnType<typeof create>>[] = [];
  for (let at = 0; at < count; at++) {
    // The polls of the open invoices leave 12 requests a minute of the account's limit.
    if (at > 0) await delay(PACE_MS);
    open.push(await create());
  }
  const atOnce = await Promise.all(open.map(pay));
  return [
    row(`card, ${count} payments one after another`, inTurn),
    row(`hosted page, ${count} payments one after another`, onPage),
    row(`card, ${count} open invoices paid at once`, atOnce),
  ];
}

function row(name: string, ms: readonly number[]): string {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (part: number) => ((sorted[Math.ceil(part * sorted.length) - 1] ?? 0) / 1_000).toFixed(1);
  return `| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(1)} |`;
}

/** Returns the user's messages once they don't change any more: old questions are deleted after the reply. */
async function settledMessages(user: User): Promise<ShownMessage[]> {
  for (let before = await user.messages(); ; ) {
    await delay(SETTLED_MS);
    const now = await user.messages();
    if (now.length === before.length && now.every((one, at) => same(one, before[at] as ShownMessage)))
      return now;
    before = now;
  }
}

const same = (one: ShownMessage, other: ShownMessage) =>
  one.message_id === other.message_id && one.html === other.html;

/** Sets the user's language in the settings, which offer only the other one. */
async function chooseLanguage(user: User, language: Language): Promise<void> {
  const labels = LANGUAGES.map((one) => labelOf('en', `language-${one}`).source);
  await user.types('/settings');
  await user.log
    .getByRole('button', { name: new RegExp(labels.join('|')) })
    .last()
    .waitFor();
  const wanted = user.log.getByRole('button', { name: labelOf('en', `language-${language}`) });
  if ((await wanted.count()) > 0) await wanted.last().click();
}

if (options.screens) mkdirSync(SCREENS, { recursive: true });
const browser = await chromium.launch(chromiumOptions());
const rows: string[] = [];
/** Counts above their limits. */
const exceeded: string[] = [];
const measured: string[] = [];
const payments = Number(options.payments);
try {
  for (const language of LANGUAGES)
    if (options.only.split(',').includes(language)) rows.push(...(await runAll(browser, language)));
  if (payments > 0) measured.push(...(await measurePayments(browser, payments)));
} finally {
  await browser.close();
}
const heading = [
  '| Language | Journey | Taps | Texts | Messages left | Words |',
  '|---|---|--:|--:|--:|--:|',
];
if (rows.length > 0) process.stdout.write(`${[...heading, ...rows].join('\n')}\n`);
const times = '| Seconds from the payment | Median | 95th percentile | Longest |';
if (measured.length > 0) process.stdout.write(`\n${[times, '|---|--:|--:|--:|', ...measured].join('\n')}\n`);

for (const one of exceeded) process.stderr.write(`Limit exceeded: ${one}\n`);

// The event streams of the demo's chats are open, so the process wouldn't end by itself.
process.exit(exceeded.length > 0 ? 1 : 0);
