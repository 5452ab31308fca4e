import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const HOUR = 3600_000;
const OTHER_KEY = 'another-api-key-of-the-tests';
const linesOf = ({ last }: Chat) => last().html.split('\n');

/** Creates one invoice in each open status, and others that are settled or of another user. */
async function sellEach(chat: Chat): Promise<void> {
  await sell(chat, { stands: { status: 'delegated' } });
  await sell(chat, { stands: { status: 'failed' } });
  await sell(chat, { stands: { status: 'expired' }, price: '1.10' });
  await sell(chat, { stands: { status: 'paid' }, price: '2.20' });
  await sell(chat, { price: '3.30' });
  await sell(chat, { user: USER + 1 });
}

describe('the question before unlinking an account', () => {
  test('lists its open invoices with number, price and status', async () => {
    const chat = await openChat('en');
    await sellEach(chat);
    await chat.tap('account:unlink');
    const lines = linesOf(chat);
    const at = lines.indexOf("⚠️ <b>Invoices of this account that aren't settled yet: 3</b>");
    expect(lines.slice(at + 1, at + 4)).toEqual([
      '🧾 <b>To be paid</b> · Invoice 5 · 3.30 TRX',
      '💰 <b>Paid</b> · Invoice 4 · 2.20 TRX',
      '⌛ <b>Expired</b> · Invoice 3 · 1.10 TRX',
    ]);
    expect(lines[at + 4]).toMatch(
      /^Once it is unlinked, I can't check them any more: .* delivers all the same/,
    );
    expect(await chat.invoices.linkChanges.trackedInvoices({ user: USER, account: 1001 })).toHaveLength(3);
  });

  test('mentions no invoices if none is open or all ended a day ago', async () => {
    const chat = await openChat('en');
    await chat.tap('account:unlink');
    expect(chat.last().html).not.toContain('nvoice');
    const { expiresAt } = await sell(chat);
    chat.setup.clock.now = expiresAt + 24 * HOUR;
    await chat.tap('account:unlink');
    expect(chat.last().html).not.toContain('nvoice');
  });

  test.each(LANGUAGES)('lists five of many invoices and counts the others: %s', async (language) => {
    const chat = await openChat(language);
    for (let made = 0; made < 60; made++) await sell(chat, { price: '999999999.999999' });
    await chat.tap('account:unlink');
    const { html } = chat.last();
    expect(html).toContain(': 60</b>');
    expect(html.match(/999999999\.999999 TRX/g)).toHaveLength(5);
    expect(html).toContain(language === 'en' ? '\nand 55 more\n' : '\nи ещё 55\n');
    expectWithinLimits(chat.last());
  });
});

test('after unlinking, says how many invoices are no longer checked, also at old buttons', async () => {
  const chat = await openChat('en');
  await sellEach(chat);
  const { id } = await sell(chat);
  await chat.tap('account:unlink-yes');
  expect(chat.last().html).toContain('I no longer check 4 invoices of account 1001');
  expect(await chat.invoices.read({ user: USER, id })).toMatchObject({ unchecked: true });
  await chat.tap(`invoice:check:${id}`);
  expect(chat.toast()).toContain("I can't check this invoice");
  await chat.write('/invoices');
  expect(chat.last().html).toContain('No longer checked');
});

test('linking another account warns about the same invoices before requesting the key', async () => {
  const chat = await openChat('en');
  await chat.tap('link:open');
  expect(chat.last().html).not.toContain('nvoice');
  await chat.tap('link:cancel');
  await sellEach(chat);
  await chat.tap('link:open');
  expect(chat.last().html).toContain("Invoices of the account that is linked now that aren't settled yet: 3");
  expect(chat.last().html).toContain("If you link another, I can't check them any more");
  const { profile } = chat.setup.rental;
  const answer = await profile('any key');
  if (answer.kind === 'accepted')
    profile.mockResolvedValue({ ...answer, value: { ...answer.value, id: 1002 } });
  await chat.write(OTHER_KEY);
  expect(chat.last().html).toContain('Account linked');
  expect(chat.last().html).toContain('I no longer check 3 invoices of account 1001');
  expect(await chat.invoices.linkChanges.trackedInvoices({ user: USER, account: 1001 })).toMatchObject(
    Array(3).fill({ unchecked: true }),
  );
});

test('another key of the same account keeps the invoices checked', async () => {
  const chat = await openChat('en');
  const { id } = await sell(chat);
  await chat.tap('link:open');
  await chat.write(OTHER_KEY);
  expect(chat.last().html).toContain('Account linked');
  expect(chat.last().html).not.toContain('no longer check');
  expect(await chat.invoices.read({ user: USER, id })).not.toHaveProperty('unchecked');
});
