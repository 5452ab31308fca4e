import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { violationsOf } from '../../support/axe.ts';
import { sharedBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { DELIVER_TO, HASH, MADE_AT, MINUTE, PAY_TO, servePage } from './served-page.ts';

type Served = Awaited<ReturnType<typeof servePage>>;

/** Messages and requests of a page that must not occur. */
const complaints = new WeakMap<Page, string[]>();

async function open(served: Served, options: BrowserContextOptions = {}): Promise<Page> {
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
  await page.goto(served.url);
  return page;
}

const heading = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor();
const isWithinWidth = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

for (const width of [390, 1280]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`updates from payment to delivery without interaction (${width} wide, ${colorScheme})`, async () => {
      const served = await servePage();
      const page = await open(served, { viewport: { width, height: 844 }, colorScheme });
      await heading(page, 'Waiting for your payment');
      expect(await isWithinWidth(page)).toBe(true);
      await page.getByRole('img', { name: 'QR code of the payment address' }).waitFor();
      // In the reader's time zone, not in UTC.
      await page.getByText('00:30', { exact: true }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await eventually(() => expect(served.timerCount()).toBe(2));
      served.change({ status: 'paid', paidAt: MADE_AT + MINUTE });
      await served.advance(2_000);
      await heading(page, 'Payment received');
      expect(await page.content()).not.toContain(PAY_TO);
      expect(await page.title()).toBe('Payment received · Energy invoice');
      served.change({ status: 'delegated', txHash: HASH });
      await served.advance(2_000);
      await heading(page, 'Energy delivered');
      await page.getByText(HASH, { exact: true }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await isWithinWidth(page)).toBe(true);
      await eventually(() => expect(served.timerCount()).toBe(0));
      expect(served.calls.opened).toHaveLength(1);
      expect(complaints.get(page)).toEqual([]);
    });

    test(`shows everything without scripts (${width} wide, ${colorScheme})`, async () => {
      const served = await servePage();
      const options = { viewport: { width, height: 844 }, colorScheme, javaScriptEnabled: false };
      const page = await open(served, options);
      await heading(page, 'Waiting for your payment');
      for (const text of ['12.345678', '4.21', PAY_TO, '15:30 UTC']) {
        await page.getByText(text, { exact: true }).first().waitFor();
      }
      expect(await page.getByRole('button').allTextContents()).toEqual(['Check payment']);
      expect(await page.getByRole('radio').count()).toBe(0);
      served.change({ status: 'delegated', txHash: HASH });
      await page.reload();
      await heading(page, 'Energy delivered');
      expect(served.calls.opened).toEqual([]);
    });
  }
}

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
});

test('switches between TRX and USDT by keyboard and keeps the choice when the page changes', async () => {
  const served = await servePage();
  const page = await open(served);
  await page.getByRole('radio', { name: 'TRX' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('4.21', { exact: true }).waitFor();
  await eventually(() => expect(served.timerCount()).toBe(2));
  await served.advance(23 * MINUTE);
  await heading(page, 'Little time left');
  await page.getByText('4.21', { exact: true }).waitFor();
  expect(await page.getByRole('radio', { name: 'USDT' }).isChecked()).toBe(true);
});

test('copies an address without the gaps between its groups of four', async () => {
  const page = await open(await servePage());
  const selected = await page.evaluate(
    "getSelection().selectAllChildren(document.querySelector('.delivery .fours')); getSelection().toString()",
  );
  expect(selected).toBe(DELIVER_TO);
});

test('counts down by the server’s clock and hides the payment details at the end', async () => {
  const served = await servePage();
  served.setState('ending');
  const page = await open(served);
  // The device's clock is a day ahead.
  await page.clock.install({ time: MADE_AT + 24 * 60 * MINUTE });
  await page.reload();
  await page.getByText('Time left', { exact: true }).waitFor();
  const left = page.getByRole('timer');
  await expect.poll(() => left.textContent()).toMatch(/^(6:00|5:5\d)$/);
  await page.clock.runFor(60_000);
  await expect.poll(() => left.textContent()).toMatch(/^(5:00|4:5\d)$/);
  await page.route('**/status', (route) => route.abort());
  await page.clock.runFor(5 * MINUTE);
  await page.getByText("Don't pay; checking").waitFor();
  expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(false);
  await page.unrouteAll();
  served.setState('over');
  await page.clock.runFor(5_000);
  await heading(page, "Expired. Don't pay");
  expect(await page.content()).not.toContain(PAY_TO);
});

test('shows the payment details once a stale invoice was checked, and retries until then', async () => {
  let isStale = true;
  const served = await servePage({
    check: async (invoice) => ({ ...invoice, ...(isStale && { isStale }) }),
  });
  const page = await open(served);
  await page.clock.install({ time: MADE_AT });
  await page.reload();
  await heading(page, "Checking. Don't pay yet");
  expect(await page.content()).not.toContain(PAY_TO);
  expect(await violationsOf(page)).toEqual([]);
  served.setStorageDown(true);
  await page.clock.runFor(5_000);
  await page.getByText('No connection.').waitFor();
  served.setStorageDown(false);
  isStale = false;
  await page.clock.runFor(5_000);
  await heading(page, 'Waiting for your payment');
  await page.getByText(PAY_TO, { exact: true }).first().waitFor();
});

test('polls if no stream is available', async () => {
  const served = await servePage({ caps: { perClient: 0, inAll: 0 } });
  const page = await open(served);
  await page.clock.install();
  await page.reload();
  await heading(page, 'Waiting for your payment');
  served.change({ status: 'paid', paidAt: MADE_AT });
  await expect
    .poll(async () => {
      await page.clock.runFor(5_000);
      return page.getByRole('heading', { level: 1 }).textContent();
    })
    .toBe('Payment received');
});

for (const javaScriptEnabled of [true, false]) {
  test(`checks the payment by a button (script: ${javaScriptEnabled})`, async () => {
    const served = await servePage();
    const page = await open(served, { javaScriptEnabled });
    const button = page.getByRole('button', { name: 'Check payment' });
    await button.click();
    await page.locator('#checked').getByText('No payment yet').waitFor();
    expect(served.calls.checked).toHaveLength(1);
    served.change({ status: 'paid', paidAt: MADE_AT });
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
  await announced.getByText('No payment yet').waitFor({ state: 'attached' });
  served.change({ status: 'paid', paidAt: MADE_AT });
  await served.advance(2_000);
  await heading(page, 'Payment received');
  expect(await announced.textContent()).toBe('');
});

test('refreshes when its tab becomes visible again', async () => {
  const served = await servePage();
  const page = await open(served);
  await heading(page, 'Waiting for your payment');
  await eventually(() => expect(served.timerCount()).toBe(2));
  served.change({ status: 'failed' });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await heading(page, 'Paid, but not delivered');
});

test('warns that it may be outdated while there is no connection', async () => {
  const served = await servePage();
  const page = await open(served);
  await heading(page, 'Waiting for your payment');
  await page.route('**/status', (route) => route.abort());
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('No connection').waitFor();
  await page.unrouteAll();
  await page.getByText('No connection').waitFor({ state: 'hidden' });
});

test('hides everything when its link is revoked', async () => {
  const served = await servePage();
  const page = await open(served);
  await eventually(() => expect(served.timerCount()).toBe(2));
  served.change(undefined);
  await served.advance(2_000);
  await heading(page, 'Invoice not found');
});

test('switches the language by a link and keeps it when the page changes', async () => {
  const served = await servePage();
  const page = await open(served);
  await page.getByRole('link', { name: 'Русский' }).click();
  await heading(page, 'Ждём вашу оплату');
  await eventually(() => expect(served.timerCount()).toBe(2));
  served.change({ status: 'paid', paidAt: MADE_AT });
  await served.advance(2_000);
  await heading(page, 'Оплата получена');
});
