import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { violationsOf } from '../../support/axe.ts';
import { sharedBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { DELIVER_TO, HASH, INVOICE, MADE_AT, MINUTE, PAY_TO, servePage } from './served-page.ts';

const POLL_MS = 3_000;
const SLOW_POLL_MS = 30_000;

type Served = Awaited<ReturnType<typeof servePage>>;

/** Messages and requests of a page that must not occur. */
const complaints = new WeakMap<Page, string[]>();

/** Opens the page. With `isPaused`, its time passes only when the test lets it. */
async function open(
  served: Served,
  { isPaused = false, ...options }: BrowserContextOptions & { isPaused?: boolean } = {},
): Promise<Page> {
  const context = await (await sharedBrowser()).newContext({
    locale: 'en-GB',
    timezoneId: 'Asia/Tokyo',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const said: string[] = [];
  complaints.set(page, said);
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', ({ message }) => said.push(message));
  page.on('request', (request) => {
    if (!/^(data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) said.push(request.url());
  });
  // Time passes from here, and pausing can only go forward.
  if (options.javaScriptEnabled !== false) await page.clock.install({ time: MADE_AT - 60 * MINUTE });
  if (isPaused) await page.clock.pauseAt(MADE_AT);
  await page.goto(served.url);
  return page;
}

/** Lets the page's time pass until its next poll. */
const poll = (page: Page) => page.clock.runFor(POLL_MS);
/** Lets the page poll until it has handled its latest response. */
const pollUntilHandled = async (page: Page, served: Served) => {
  const { length } = served.polls;
  await eventually(async () => {
    await poll(page);
    expect(served.polls.length).toBeGreaterThan(length + 1);
  });
};
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

const heading = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor();
const isWithinWidth = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

test.each([
  [390, 'dark'],
  [1280, 'light'],
] as const)(
  'updates from payment to delivery without interaction (%i wide, %s)',
  async (width, colorScheme) => {
    const served = await servePage();
    const page = await open(served, { viewport: { width, height: 844 }, colorScheme });
    await heading(page, 'Waiting for your payment');
    expect(await isWithinWidth(page)).toBe(true);
    for (const shown of [
      page.getByText('131,000 energy for 1 h'),
      page.getByRole('timer'),
      page.getByRole('img', { name: 'QR code of the payment address' }),
      page.getByRole('button', { name: 'Copy address' }),
    ]) {
      const { y = Infinity, height = 0 } = (await shown.boundingBox()) ?? {};
      expect(y + height, 'visible without scrolling').toBeLessThan(844);
    }
    // In the reader's time zone, not in UTC.
    await page.getByText('00:30', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    served.change({ status: 'paid', paidAt: MADE_AT + MINUTE });
    await poll(page);
    await heading(page, 'Payment received');
    expect(await page.content()).not.toContain(PAY_TO);
    expect(await page.title()).toBe('Payment received · Energy invoice');
    served.change({ status: 'delegated', txHash: HASH });
    await poll(page);
    await heading(page, 'Energy delivered');
    await page.getByText(HASH, { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await isWithinWidth(page)).toBe(true);
    expect(served.calls.opened).toHaveLength(1);
    expect(complaints.get(page)).toEqual([]);
  },
);

test('shows everything without scripts', async () => {
  const served = await servePage();
  const page = await open(served, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
  await heading(page, 'Waiting for your payment');
  for (const text of ['12.345678', '4.21', PAY_TO, '15:30 UTC']) {
    await page.getByText(text, { exact: true }).first().waitFor();
  }
  expect(await page.getByText('Time left').isVisible()).toBe(false);
  expect(await page.getByRole('button').allTextContents()).toEqual(['Check payment']);
  expect(await page.getByRole('radio').count()).toBe(0);
  served.change({ status: 'delegated', txHash: HASH });
  await page.reload();
  await heading(page, 'Energy delivered');
  expect(served.calls.opened).toEqual([]);
});

test('copies the bare amount and address, and confirms it on the button', async () => {
  const served = await servePage();
  const page = await open(served);
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  const amount = page.getByRole('button', { name: 'Copy amount' });
  await amount.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
  expect(await copied()).toBe('12.345678');
  await page.getByText('USDT', { exact: true }).first().click();
  await page.getByText('4.21', { exact: true }).waitFor();
  expect(await page.getByText('12.345678').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Copy amount' }).click();
  await eventually(async () => expect(await copied()).toBe('4.21'));
  await page.getByRole('button', { name: 'Copy address' }).click();
  await eventually(async () => expect(await copied()).toBe(PAY_TO));
  // Both buttons return to their labels.
  await page.getByRole('button', { name: 'Copy address' }).waitFor();
  const selected = await page.evaluate(
    "getSelection().selectAllChildren(document.querySelector('.delivery .fours')); getSelection().toString()",
  );
  expect(selected, 'without the gaps between groups of four').toBe(DELIVER_TO);
});

test('switches between TRX and USDT by keyboard and keeps the choice when the page changes', async () => {
  const served = await servePage();
  const page = await open(served);
  await page.getByRole('radio', { name: 'TRX' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('4.21', { exact: true }).waitFor();
  served.advance(23 * MINUTE);
  await poll(page);
  await heading(page, 'Little time left');
  await page.getByText('4.21', { exact: true }).waitFor();
  expect(await page.getByRole('radio', { name: 'USDT' }).isChecked()).toBe(true);
});

test('counts down by the server’s clock and hides the payment details at the end', async () => {
  const served = await servePage();
  served.setState('open');
  const page = await open(served, { reducedMotion: 'no-preference' });
  // The device's clock is a day ahead.
  await page.clock.pauseAt(MADE_AT + 24 * 60 * MINUTE);
  await page.reload();
  await page.getByText('Time left').waitFor();
  const left = page.getByRole('timer');
  await expect.poll(() => left.textContent()).toMatch(/^(29:00|28:5\d)$/);
  await page.route('**/status', (route) => route.abort());
  await page.clock.runFor(60_000);
  await expect.poll(() => left.textContent()).toMatch(/^(28:00|27:5\d)$/);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.clock.runFor(10 * MINUTE);
  expect(await left.textContent(), 'whole minutes with reduced motion').toMatch(/^1[78] min$/);
  await page.clock.runFor(18 * MINUTE);
  await page.getByText("Time is up. Don't pay.").waitFor();
  expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(false);
  await page.unrouteAll();
  served.setState('over');
  await eventually(async () => {
    await page.clock.runFor(SLOW_POLL_MS);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe("Expired. Don't pay");
  });
  expect(await page.locator('#address, [data-copy]').count(), 'nothing to pay to').toBe(0);
});

test('counts down correctly after the device slept', async () => {
  const served = await servePage();
  served.setState('ending');
  const page = await open(served, { isPaused: true, reducedMotion: 'no-preference' });
  const left = page.getByRole('timer');
  expect(await left.textContent()).toMatch(/^(6:00|5:5\d)$/);
  served.advance(2 * MINUTE);
  await eventually(async () => {
    await poll(page);
    expect(await left.textContent()).toMatch(/^3:[345]\d$/);
  });
  // A response that was delayed.
  served.advance(-MINUTE);
  await pollUntilHandled(page, served);
  expect(await left.textContent()).toMatch(/^3:[1-5]\d$/);
});

test('shows the payment details once a stale invoice was checked, and retries until then', async () => {
  let isStale = true;
  const served = await servePage({
    check: async (invoice) => ({ ...invoice, ...(isStale && { isStale }) }),
  });
  const page = await open(served);
  await heading(page, "Don't pay yet");
  expect(await page.locator('[data-copy], .qr').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  served.setStorageDown(true);
  await poll(page);
  await page.getByText('No connection.').waitFor();
  served.setStorageDown(false);
  isStale = false;
  await page.clock.runFor(2 * POLL_MS);
  await heading(page, 'Waiting for your payment');
  await page.getByText(PAY_TO, { exact: true }).first().waitFor();
});

for (const javaScriptEnabled of [true, false]) {
  test(`checks the payment by a button (script: ${javaScriptEnabled})`, async () => {
    let checks = 0;
    const served = await servePage({
      async checkPayment() {
        checks += 1;
        // Only the second check finds the payment, so the page can't show it before the button is tapped.
        if (checks === 2) served.change({ status: 'paid', paidAt: MADE_AT });
        return INVOICE;
      },
    });
    const page = await open(served, { javaScriptEnabled });
    const button = page.getByRole('button', { name: 'Check payment' });
    await button.click();
    await page.locator('#checked').getByText('No full payment yet').waitFor();
    expect(checks).toBe(1);
    await button.click();
    await heading(page, 'Payment received');
    expect(await button.count()).toBe(0);
    expect(complaints.get(page)).toEqual([]);
  });
}

test('drops the result of a check when the invoice changes', async () => {
  const served = await servePage();
  const page = await open(served);
  const announced = page.locator('#said');
  await page.getByRole('button', { name: 'Check payment' }).click();
  await announced.getByText('No full payment yet').waitFor({ state: 'attached' });
  served.change({ status: 'paid', paidAt: MADE_AT });
  await poll(page);
  await heading(page, 'Payment received');
  expect(await announced.textContent()).toBe('');
});

test('shows the result of a check that takes longer than the next poll', async () => {
  let respond = () => {};
  const answered = new Promise<undefined>((resolve) => {
    respond = () => resolve(undefined);
  });
  const served = await servePage({
    check: async (invoice) => ({ ...invoice, isStale: true }),
    checkPayment: () => answered,
  });
  const page = await open(served, { isPaused: true });
  await page.getByRole('button', { name: 'Check payment' }).click();
  await poll(page);
  respond();
  await page.locator('#checked').getByText("The service isn't responding").waitFor();
});

/** Replaces the responses to the page's polls. Returns the milliseconds between the polls since the last call. */
async function interceptPolls(page: Page) {
  await page.evaluate(`
    const { fetch } = window;
    window.waits = [];
    let last = performance.now();
    window.fetch = async (url, options) => {
      if (!url.endsWith('/status')) return fetch(url, options);
      waits.push(performance.now() - last);
      last = performance.now();
      const { status = 200, fingerprint = 'open', headers } = window.response ?? {};
      return { ok: status === 200, status, headers: new Headers(headers), json: async () => ({ fingerprint }) };
    };
  `);
  return {
    respond: (response: { status?: number; fingerprint?: string; headers?: Record<string, string> }) =>
      page.evaluate(`window.response = ${JSON.stringify(response)}`),
    takeWaits: () => page.evaluate<number[]>('waits.splice(0)'),
  };
}

test('polls every three seconds, every 30 seconds while hidden, and at once when visible again', async () => {
  const page = await open(await servePage(), { isPaused: true });
  const { takeWaits } = await interceptPolls(page);
  await page.clock.runFor(3 * POLL_MS);
  expect(await takeWaits()).toEqual([POLL_MS, POLL_MS, POLL_MS]);
  await setHidden(page, true);
  await page.clock.runFor(POLL_MS + 2 * SLOW_POLL_MS + 10_000);
  expect(await takeWaits()).toEqual([POLL_MS, SLOW_POLL_MS, SLOW_POLL_MS]);
  await setHidden(page, false);
  expect(await takeWaits()).toEqual([10_000]);
  await page.clock.runFor(10 * POLL_MS);
  expect(await takeWaits()).toEqual(Array.from({ length: 10 }, () => POLL_MS));
});

test('polls at the deadline', async () => {
  const served = await servePage();
  served.setState('ending');
  served.advance(1_000);
  const page = await open(served, { isPaused: true });
  const { respond, takeWaits } = await interceptPolls(page);
  await respond({ fingerprint: 'ending' });
  await page.clock.runFor(6 * MINUTE);
  const waits = await takeWaits();
  expect(waits.filter((wait) => wait !== POLL_MS)).toEqual([2_000]);
});

test('polls less often after failures, at most as often as the server says', async () => {
  const page = await open(await servePage(), { isPaused: true });
  const { respond, takeWaits } = await interceptPolls(page);
  const warning = page.getByText('No connection');
  expect(await warning.isVisible()).toBe(false);
  await respond({ status: 503 });
  await page.clock.runFor(110_000);
  expect(await takeWaits()).toEqual([3_000, 6_000, 12_000, 24_000, 30_000, 30_000]);
  expect(await warning.isVisible()).toBe(true);
  await respond({ status: 429, headers: { 'Retry-After': '45' } });
  await page.clock.runFor(100_000);
  expect(await takeWaits()).toEqual([30_000, 45_000]);
  await respond({});
  await page.clock.runFor(30_000);
  expect((await takeWaits()).slice(0, 3)).toEqual([45_000, POLL_MS, POLL_MS]);
  expect(await warning.isVisible()).toBe(false);
  await respond({ status: 503 });
  await page.clock.runFor(10_000);
  expect((await takeWaits()).slice(-2)).toEqual([POLL_MS, 6_000]);
});

test('stops polling in a final state', async () => {
  const served = await servePage();
  const page = await open(served, { isPaused: true });
  const { respond, takeWaits } = await interceptPolls(page);
  served.setState('delivered');
  await respond({ fingerprint: 'delivered' });
  await poll(page);
  await heading(page, 'Energy delivered');
  await takeWaits();
  await page.clock.runFor(10 * MINUTE);
  await setHidden(page, false);
  expect(await takeWaits()).toEqual([]);
  await page.reload();
  const reloaded = await interceptPolls(page);
  await page.clock.runFor(10 * MINUTE);
  expect(await reloaded.takeWaits()).toEqual([]);
});

test('stops polling 15 minutes after the deadline, and polls once when it is shown again', async () => {
  const served = await servePage();
  served.setState('over');
  const page = await open(served, { isPaused: true });
  const { respond, takeWaits } = await interceptPolls(page);
  await respond({ fingerprint: 'over' });
  await page.clock.runFor(15 * MINUTE);
  expect((await takeWaits()).length).toBeGreaterThan(200);
  await page.clock.runFor(60 * MINUTE);
  expect(await takeWaits()).toEqual([]);
  await setHidden(page, false);
  await page.clock.runFor(10 * MINUTE);
  expect(await takeWaits()).toHaveLength(1);
});

test('shows no older state after a newer one', async () => {
  const served = await servePage();
  const page = await open(served, { isPaused: true });
  served.setState('paid');
  const held: Route[] = [];
  await page.evaluate(`
    window.received = 0;
    const { text } = Response.prototype;
    Response.prototype.text = async function () {
      const received = await text.call(this);
      window.received += 1;
      return received;
    };
  `);
  await page.route(served.url, (route) => void held.push(route), { times: 1 });
  await poll(page);
  await eventually(() => expect(held).toHaveLength(1));
  const response = await held[0]?.fetch();
  served.setState('delivered');
  await setHidden(page, false);
  await heading(page, 'Energy delivered');
  await held[0]?.fulfill({ response });
  await eventually(async () => expect(await page.evaluate('received')).toBe(2));
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Energy delivered');
});

test('gives up requests without a response', async () => {
  const page = await open(await servePage(), { isPaused: true });
  await page.route('**/status', () => {});
  await poll(page);
  await page.clock.runFor(10_000);
  await page.getByText('No connection').waitFor();
});

test('loads a stale invoice again only while the page is visible', async () => {
  let checks = 0;
  const served = await servePage({
    async check(invoice) {
      checks += 1;
      return { ...invoice, isStale: true };
    },
  });
  const page = await open(served, { isPaused: true });
  await setHidden(page, true);
  await poll(page);
  await eventually(() => expect(served.polls).toHaveLength(1));
  expect(checks).toBe(1);
  await setHidden(page, false);
  await eventually(() => expect(checks).toBe(2));
});

test('hides everything when its link is revoked', async () => {
  const served = await servePage();
  const page = await open(served);
  served.change(undefined);
  await poll(page);
  await heading(page, 'Invoice not found');
});

test('switches the language by a link and keeps it when the page changes', async () => {
  const served = await servePage();
  const page = await open(served);
  await page.getByRole('link', { name: 'Русский' }).click();
  await heading(page, 'Ждём вашу оплату');
  served.change({ status: 'paid', paidAt: MADE_AT });
  await poll(page);
  await heading(page, 'Оплата получена');
});
