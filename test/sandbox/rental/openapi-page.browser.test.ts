import { expect } from 'vitest';
import { endpoints } from '../../../src/sandbox/rental/endpoints.ts';
import { type ChatPage, complaintsOf, overflowing, testPage as test } from '../../support/chat-page.ts';
import { eventually } from '../../support/eventually.ts';

async function openDocs(chat: ChatPage, options = {}, hash = '') {
  const page = await chat.newPage(options);
  await page.goto(`${chat.origin}/api/docs${hash}`);
  await page.getByRole('heading', { name: 'Buy energy' }).waitFor();
  return page;
}

test('shows every endpoint with its body, its response and its errors', async (chat) => {
  const page = await openDocs(chat);
  expect(await page.getByRole('article').count()).toBe(endpoints.length);
  const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Buy energy' }) });
  for (const text of ['POST', '/api/v1/energy/buy', '30 a minute'])
    await card.getByText(text, { exact: true }).waitFor();
  await card.getByRole('row', { name: 'energy_amount * integer from 32,000 to 5,000,000' }).waitFor();
  await card.getByRole('row', { name: 'status * pending | filled | failed' }).waitFor();
  await card.getByText('Refusals').click();
  await card.getByText('400 — INVALID_ADDRESS').waitFor();
});

test('jumps to an endpoint from the list, and from an external link', async (chat) => {
  const page = await openDocs(chat);
  await page
    .getByRole('navigation', { name: 'Endpoints' })
    .getByRole('link', { name: 'Get invoice' })
    .click();
  expect(page.url()).toBe(`${chat.origin}/api/docs#getInvoice`);
  const other = await openDocs(chat, {}, '#getInvoice');
  const top = () => other.locator('#getInvoice').evaluate((card) => card.getBoundingClientRect().top);
  await eventually(async () => expect(await top()).toBeLessThan(400));
});

test('loads nothing from elsewhere and logs no errors', async (chat) => {
  const page = await chat.newPage();
  const seen = complaintsOf(page, chat.origin);
  await page.goto(`${chat.origin}/api/docs`);
  await page.getByRole('heading', { name: 'Buy energy' }).waitFor();
  expect(seen).toEqual([]);
});

test('fits the screen’s width on a phone', async (chat) => {
  const page = await openDocs(chat, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  expect(await overflowing(page)).toEqual([]);
});
