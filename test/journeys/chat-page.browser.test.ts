import { expect, test } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { ADDRESS, HOLDER, inWorld } from '../support/world.ts';

test('a user links an account, buys energy and sees its delivery on the chat page', () =>
  inWorld({}, async (world) => {
    const page = await (await sharedBrowser()).newPage();
    await page.goto(`${world.origin}/#${HOLDER}`);
    const log = page.getByRole('log');
    const write = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    };
    const tap = (name: string) => log.getByRole('button', { name }).last().click();

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await tap('Link account');
    await log.getByText('Waiting for your key').waitFor();
    await write('demo-key');
    await log.getByText('Account linked').waitFor();
    await expect.poll(() => log.getByText('demo-key').count()).toBe(0);
    await tap('Buy energy');
    await log.getByText('Which address').waitFor();
    await write(ADDRESS);
    await tap('recipient holds USDT');
    await tap('1 hour');
    await log.getByText('Check before you confirm').waitFor();
    await tap('Confirm');
    await log.getByText('Charged: 2.32 TRX').waitFor();
    await tap('Yes, turn them on');
    await log.getByText('Service reports are on').waitFor();

    const panel = page.getByRole('complementary');
    const [order] = (await world.rental()).orders;
    await panel.getByText(`Order ${order?.order_id}`, { exact: true }).waitFor();
    await panel.getByRole('button', { name: /^Fill/ }).click();
    await log.getByText('It has arrived at the address').first().waitFor();
    expect((await world.rental()).orders).toHaveLength(1);
    await page.close();
  }));
