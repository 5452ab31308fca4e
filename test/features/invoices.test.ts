import { InputFile } from 'grammy';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const dataOf = (chat: Chat) => Object.values(buttonsOf(chat.last()));
const labelsOf = (chat: Chat) => Object.keys(buttonsOf(chat.last()));
const shownIn = (chat: Chat) =>
  dataOf(chat).flatMap((data) => (data.startsWith('invoice:show:') ? data.slice(13) : []));
const olderIn = (chat: Chat) => dataOf(chat).find((data) => data.startsWith('invoices:older')) ?? '';
const DAY = 24 * 3600_000;

const delivered = { status: 'delegated' };
const paid = { status: 'paid' };

async function sellMany(chat: Chat, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.unshift((await sell(chat)).id);
  return ids;
}

/** Returns the last sent file. */
function fileIn({ calls }: Chat): { name: string; text: string; caption: string } {
  const { payload } = calls.findLast(({ method }) => method === 'sendDocument') ?? {};
  const { document, caption } = payload ?? {};
  if (!(document instanceof InputFile)) throw new Error('no file was sent');
  const { fileData } = document as unknown as { fileData: Uint8Array };
  return { name: document.filename ?? '', text: Buffer.from(fileData).toString(), caption: String(caption) };
}

describe('the invoice list', () => {
  test('shows status, number, energy, address, price and note of each invoice', async () => {
    const chat = await openChat('en');
    await sell(chat, { note: 'Order 17', transfers: 1, price: '3.20' });
    await chat.write('/invoices');
    expect(chat.last().html).toContain(
      [
        '1. 🧾 <b>To be paid</b> · Invoice 1 · 1 Jun, 12:00 UTC',
        '65,000 energy for 1 hour · TR7NHq…gjLj6t · 3.20 TRX',
        'For who pays: <code>Order 17</code>',
      ].join('\n'),
    );
    expect(chat.last().keyboard[0]).toMatchObject([
      { text: '🧾 New invoice', callback_data: 'invoice:open' },
    ]);
  });

  test('marks invoices that are no longer checked, also in the file', async () => {
    const chat = await openChat('en');
    await sell(chat, { stands: { ...paid, unchecked: true } });
    await sell(chat, { stands: { unchecked: true } });
    await chat.write('/invoices');
    expect(chat.last().html).toContain('1. ❔ <b>No longer checked</b> · Invoice 2');
    expect(chat.last().html).toMatch(/2\. 💰 <b>Paid<\/b> · Invoice 1 .*\n<i>No longer checked/);
    await chat.tap('invoices:csv');
    const [, ...rows] = fileIn(chat).text.trimEnd().split('\r\n');
    expect(rows).toMatchObject([
      expect.stringMatching(/^2,unchecked,.*,yes$/),
      expect.stringMatching(/^1,paid,.*,yes$/),
    ]);
  });

  test('shows an undocumented status in the file, but not in the list', async () => {
    const chat = await openChat('en');
    await sell(chat, { stands: { status: 'underpaid' } });
    await sell(chat, { stands: { status: '' } });
    await chat.tap('invoices:only:ended');
    expect(chat.last().html).toContain('2. ❔ <b>Status not recognized</b> · Invoice 1');
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text).toMatch(/^2,unknown,.*\r\n1,underpaid,/m);
  });

  test('opens an invoice as a new card that replaces the earlier one', async () => {
    const chat = await openChat('en');
    const { id } = await sell(chat);
    const before = (await chat.invoices.read({ user: USER, id }))?.cards[0]?.message;
    await chat.tap('invoices:open');
    await chat.tap(`invoice:show:${id}`);
    expect(chat.last().html).toContain('Pay 5.00 TRX or 1.50 USDT');
    const after = (await chat.invoices.read({ user: USER, id }))?.cards;
    expect(after).toMatchObject([{ message: chat.lastMessage() }]);
    expect(chat.calls.findLast(({ method }) => method === 'deleteMessage')?.payload.message_id).toBe(before);
  });

  test.each([
    ['all', [7, 6, 5, 4, 3]],
    ['open', [6, 1]],
    ['paid', [3, 2]],
    ['delivered', [4]],
    ['ended', [7, 5, 0]],
    ['nonsense', [7, 6, 5, 4, 3]],
  ])('filters by status: %s', async (filter, expected) => {
    const chat = await openChat('en');
    const ids: string[] = [];
    for (const stands of [
      { expiresAt: chat.setup.clock.now },
      { expiresAt: chat.setup.clock.now + 10_000, createdAt: chat.setup.clock.now - 90_000 },
      paid,
      { ...paid, paidAt: chat.setup.clock.now + DAY },
      delivered,
      { status: 'failed' },
      {},
      { unchecked: true as const },
    ])
      ids.push((await sell(chat, { stands })).id);
    await chat.tap(`invoices:only:${filter}`);
    expect(shownIn(chat)).toEqual(expected.map((at) => ids[at]));
    expect(labelsOf(chat).filter((label) => label.startsWith('• '))).toHaveLength(1);
  });

  test('continues after the last one shown, even if new invoices were created', async () => {
    const chat = await openChat('en');
    const ids = await sellMany(chat, 12);
    await chat.write('/invoices');
    expect(shownIn(chat)).toEqual(ids.slice(0, 5));
    await sellMany(chat, 7);
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual(ids.slice(5, 10));
    await sellMany(chat, 1);
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual(ids.slice(10));
    expect(olderIn(chat)).toBe('');
    await chat.tap('invoices:only:all');
    expect(shownIn(chat)).not.toContain(ids[0]);
  });

  test('keeps the filter on older pages', async () => {
    const chat = await openChat('en');
    const ids: string[] = [];
    for (let made = 0; made < 7; made++) {
      ids.unshift((await sell(chat, { stands: delivered })).id);
      await sell(chat);
    }
    await chat.tap('invoices:only:delivered');
    expect(shownIn(chat)).toEqual(ids.slice(0, 5));
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual(ids.slice(5));
    expect(labelsOf(chat)).toContain('• Delivered');
  });

  test('reaches an invoice behind hundreds with another status', async () => {
    const chat = await openChat('en');
    const { id } = await sell(chat, { stands: delivered });
    await sellMany(chat, 505);
    await chat.tap('invoices:only:delivered');
    expect(chat.last().html).toContain('None of these among the latest');
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual([id]);
  });

  test('offers only a new invoice when empty', async () => {
    const chat = await openChat('en');
    await chat.write('/invoices');
    expect(dataOf(chat)).toEqual(['invoice:open', 'menu:open']);
    await chat.tap('invoices:only:paid');
    expect(chat.last().html).toContain('None of these.');
  });

  test('contains nothing of other users, nor does its file', async () => {
    const chat = await openChat('en');
    const other = await sell(chat, { user: USER + 1, note: 'not yours' });
    const own = await sell(chat);
    await chat.write('/invoices');
    expect(shownIn(chat)).toEqual([own.id]);
    await chat.tap(`invoices:older:all_${other.id}`);
    expect(shownIn(chat)).toEqual([]);
    await chat.tap(`invoice:show:${other.id}`);
    expect(chat.toast()).toBe('I no longer have this invoice.');
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text).not.toContain('not yours');
    expect(JSON.stringify(chat.views())).not.toContain('not yours');
  });

  test('has neither totals nor a file for guests', async () => {
    const chat = await openChat('en', { linked: false });
    await sell(chat, { stands: delivered });
    for (const data of ['invoices:open', 'invoices:only:delivered', 'invoices:csv']) {
      await chat.tap(data);
      expect(chat.last().html).toContain('Delivered');
      expect(chat.last().html).not.toContain('Paid or delivered');
      expect(labelsOf(chat)).not.toContain('⬇ As CSV');
    }
    expect(chat.calls.map(({ method }) => method)).not.toContain('sendDocument');
  });

  test('has totals and a file for admins without an account', async () => {
    const chat = await openChat('en', { linked: false, isAdmin: () => true });
    await sell(chat, { stands: delivered });
    await chat.tap('invoices:open');
    expect(chat.last().html).toContain('Paid or delivered');
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text).toContain('delivered');
  });

  test('is in the menu with an account, and for guests only with an operator key', async () => {
    for (const [options, label] of [
      [{}, '🧾 Invoices'],
      [{ linked: false }, '🧾 My invoices'],
    ] as const) {
      const chat = await openChat('en', options);
      await chat.write('/start');
      expect(buttonsOf(chat.last())).toMatchObject({ [label]: 'invoices:open' });
      expect(labelsOf(chat).length).toBeLessThanOrEqual(8);
    }
    const keyless = await openChat('en', { linked: false, operatorKey: undefined });
    await keyless.write('/start');
    expect(dataOf(keyless)).not.toContain('invoices:open');
    await keyless.write('/invoices');
    expect(dataOf(keyless)).toEqual(['menu:open']);
  });
});

describe.each(LANGUAGES)('in %s', (language) => {
  test('the longest values stay within the limits and are escaped', async () => {
    const chat = await openChat(language);
    const notes = ['<b>&"'.repeat(20), '@somebody '.repeat(10), '𝕏'.repeat(100), '</code><a>', '/start'];
    for (const note of [...notes, ...notes])
      await sell(chat, { note, transfers: 100, price: '12345678901234567890.123456', stands: paid });
    await chat.write('/invoices');
    const first = chat.last();
    await chat.tap(olderIn(chat));
    for (const view of [first, chat.last()]) {
      expectWithinLimits(view);
      const plain = view.html.replace(/<code>[^<]*<\/code>/g, '');
      expect(plain).not.toMatch(/@|\/start|𝕏|<a|&#60;/);
      expect(view.html).not.toMatch(/<b>&|<code>[^<]*<(?!\/code>)/);
      expect(view.html).toMatch(/𝕏{31}…/u);
    }
  });

  test('menus with Invoices and the settings have at most eight buttons', async () => {
    const chat = await openChat(language);
    await sell(chat);
    for (const data of ['menu:open', 'menu:more', 'settings:open', 'settings:sell:no', 'menu:open']) {
      await chat.tap(data);
      expectWithinLimits(chat.last());
      expect(dataOf(chat).length).toBeLessThanOrEqual(8);
    }
  });
});

describe('the invoice totals', () => {
  /** A Sunday that is the first of a month, so that the week started in the previous month. */
  const SUNDAY = Date.parse('2025-06-01T00:00:00Z');
  const linesOf = (chat: Chat) =>
    chat
      .last()
      .html.split('\n')
      .filter((line) => /^(Today|This week|This month)/.test(line));

  test.each([
    ['the last moment of a Sunday', SUNDAY + DAY - 1, ['2 · 0.11', '3 · 1.11', '2 · 0.11']],
    ['the first moment of a Monday', SUNDAY + DAY, ['0 · 0.00', '0 · 0.00', '2 · 0.11']],
    ['the last moment of a month', SUNDAY - 1, ['1 · 1.00', '1 · 1.00', '2 · 11.00']],
    ['the first moment of a month', SUNDAY, ['1 · 0.01', '2 · 1.01', '1 · 0.01']],
  ])('count from midnight, from Monday and from the first (UTC) at %s', async (_, at, expected) => {
    const chat = await openChat('en');
    for (const [price, paidAt] of [
      ['10.00', Date.parse('2025-05-25T23:59:59.999Z')],
      ['1.00', SUNDAY - 1],
      ['0.01', SUNDAY],
      ['0.10', SUNDAY + DAY - 1],
    ] as const) {
      if (paidAt > at) continue;
      chat.setup.clock.now = paidAt - 60_000;
      await sell(chat, { price, stands: { ...delivered, paidAt } });
    }
    chat.setup.clock.now = at;
    await chat.tap('invoices:open');
    const [today, week, month] = expected;
    expect(linesOf(chat)).toEqual([
      `Today: ${today} TRX`,
      `This week: ${week} TRX`,
      `This month: ${month} TRX`,
    ]);
  });

  test('count only paid and delivered invoices, by the time of payment', async () => {
    const chat = await openChat('en');
    chat.setup.clock.now = SUNDAY - 60_000;
    for (const stands of [
      { ...paid, paidAt: SUNDAY + 1 },
      { ...delivered, paidAt: SUNDAY + 2 },
      { ...delivered, paidAt: SUNDAY - 1 },
      { status: 'failed', paidAt: SUNDAY + 1 },
      { status: 'expired' },
      {},
    ])
      await sell(chat, { price: '0.1', stands });
    chat.setup.clock.now = SUNDAY + 3;
    await chat.tap('invoices:open');
    expect(linesOf(chat)).toEqual([
      'Today: 2 · 0.20 TRX',
      'This week: 3 · 0.30 TRX',
      'This month: 2 · 0.20 TRX',
    ]);
  });

  test('are shown only on the first page', async () => {
    const chat = await openChat('en');
    await sellMany(chat, 6);
    await chat.tap('invoices:open');
    expect(linesOf(chat)).toHaveLength(3);
    await chat.tap(olderIn(chat));
    expect(linesOf(chat)).toEqual([]);
  });
});

describe('the invoice file', () => {
  test('contains every invoice as CSV and has the date in its name', async () => {
    const chat = await openChat('en');
    const at = chat.setup.clock.now + 1_000;
    await sell(chat, {
      note: 'Order 17',
      price: '3.2000',
      stands: { ...delivered, paidAt: at + 60_000, delegatedAt: at + 61_000, txHash: 'ab12' },
    });
    await sellMany(chat, 60);
    await chat.tap('invoices:csv');
    const { name, text, caption } = fileIn(chat);
    expect(name).toBe('invoices-2025-06-01.csv');
    expect(caption).toContain('61 invoices');
    const [header, ...rows] = text.trimEnd().split('\r\n');
    expect(header).toBe(
      '\uFEFFnumber,status,created,expires,paid,delivered,price_trx,price_usdt,energy,transfers,hours,energy_to,paid_to,transaction,note,unchecked',
    );
    expect(rows).toHaveLength(61);
    expect(rows.at(-1)).toBe(
      `1,delivered,2025-06-01T12:00:01.000Z,2025-06-01T12:30:01.000Z,2025-06-01T12:01:01.000Z,2025-06-01T12:01:02.000Z,3.2000,1.50,130000,2,1,${ADDRESS},TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4,ab12,Order 17,`,
    );
    expect(text).not.toContain(String(USER));
  });

  test.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', `'+1`],
    ['-2+3', `'-2+3`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['a, "b"', '"a, ""b"""'],
    ['Заказ 5', 'Заказ 5'],
  ])('contains the note %s as text, not as a formula', async (note, cell) => {
    const chat = await openChat('en');
    await sell(chat, { note });
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text.trimEnd().endsWith(`,,${cell},`)).toBe(true);
  });
});

test('shows a toast if Telegram does not accept the file in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat('en');
  chat.hang('sendDocument');
  const tapped = chat.tap('invoices:csv');
  await vi.advanceTimersByTimeAsync(5_000);
  await tapped;
  expect(chat.toast()).toContain('Telegram is slow to take the file');
});
