import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { withoutTags } from '../../src/i18n/view.ts';
import { WebhookLogEntry } from '../../src/rental-api/schemas.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { START } from '../operations/operations-setup.ts';
import { ACCOUNT, accepted, logged, OFFLINE } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const BACK = ['notifications:open', 'menu:open'];
const MINUTE = 60_000;

/** Returns a log entry as the client parses it from a response. */
const entry = (more: object = {}) => WebhookLogEntry.parse({ ...logged(1, START), ...more });

/** Opens the log with these entries. `paragraphs`: one per entry, without its number. */
async function shown(entries: WebhookLogEntry[], language: (typeof LANGUAGES)[number] = 'en') {
  const chat = await openChat(language);
  chat.setup.rental.webhookLogs.mockResolvedValue(accepted(entries));
  await chat.write('/webhooklog');
  expectWithinLimits(chat.last());
  const parts = chat
    .last()
    .html.split('\n\n')
    .slice(1, entries.length > 0 ? -2 : -1);
  const paragraphs = parts.map((part) => part.replace(/^\d\. /, ''));
  return { chat, paragraphs, html: chat.last().html };
}

describe('an entry of the log', () => {
  test('shows event, response status, attempts and time', async () => {
    const created_at = '2025-06-02T10:05:00Z';
    const { paragraphs } = await shown([entry({ response_status: 200, attempts: 1, created_at })]);
    expect(paragraphs).toEqual([
      '📬 Order delivered · order 1 · 65,000 energy\nreceived, HTTP 200 · 1 attempt · 2 Jun, 10:05 UTC',
    ]);
    const russian = await shown([entry({ response_status: 404, attempts: 3, created_at })], 'ru');
    expect(russian.paragraphs).toEqual([
      '⚠️ Заказ доставлен · заказ 1 · 65\u00a0000 энергии\nне принято, HTTP 404 · 3 попытки · 2 июн., 10:05 UTC',
    ]);
  });

  test.each([
    [200, '📬', 'HTTP 200'],
    [204, '📬', 'HTTP 204'],
    [299, '📬', 'HTTP 299'],
    [199, '⚠️', 'HTTP 199'],
    [301, '⚠️', 'HTTP 301'],
    [503, '⚠️', 'HTTP 503'],
    [0, '⚠️', 'no answer'],
    [null, '⚠️', 'no answer'],
    [undefined, '⚠️', 'no answer'],
    [-200, '⚠️', 'no answer'],
    [20.5, '⚠️', 'no answer'],
    [2e30, '⚠️', 'no answer'],
  ])('with response status %s starts with %s and shows %s', async (response_status, sign, says) => {
    const [line = ''] = (await shown([entry({ response_status })])).paragraphs;
    expect(line.startsWith(`${sign} Order`)).toBe(true);
    expect(line).toContain(`\n${sign === '📬' ? 'received' : 'not received'}, ${says} · `);
  });

  test.each([
    [0, 'not sent yet'],
    [-3, 'not sent yet'],
    [1, '1 attempt'],
    [4, '4 attempts'],
    [999, '999 attempts'],
    [1000, 'more than 999 attempts'],
    [Number.MAX_VALUE, 'more than 999 attempts'],
  ])('with %s attempts shows: %s', async (attempts, says) => {
    const { html } = await shown([entry({ attempts, response_status: 404 })]);
    expect(html).toContain(`\n${attempts > 0 ? 'not received, HTTP 404 · ' : ''}${says} · `);
  });

  test.each([
    ['order.failed', { order_id: 7, bandwidth_amount: 1000 }, 'Order failed · order 7 · 1,000 bandwidth'],
    [
      'deposit.confirmed',
      { id: 3, amount: '12.50', currency: 'USDT', amount_trx: '40' },
      'Deposit credited · 12.5 USDT',
    ],
    ['withdrawal.completed', { id: 3, amount_trx: '5.00' }, 'Withdrawal sent · 5 TRX'],
    ['invoice.paid', { invoice_id: 4, energy_amount: 65_000 }, 'Invoice paid · invoice 4 · 65,000 energy'],
    ['smart_mode.transfer', { energy_amount: 131_000 }, 'Delivered by Smart Mode · 131,000 energy'],
    ['package.sold', { order_id: 9 }, 'Type: <code>package.sold</code> · order 9'],
    ['constructor', {}, 'Type: <code>constructor</code>'],
    ['order.filled', { order_id: '<b>', energy_amount: -1 }, 'Order delivered'],
    ['order.filled', { order_id: 1e300, energy_amount: 0.5 }, 'Order delivered'],
    ['deposit.confirmed', { amount: '<i>5', currency: 'TRX', amount_trx: '1e9' }, 'Deposit credited'],
    ['deposit.confirmed', { amount: '5', currency: '<b>' }, 'Deposit credited'],
    ['deposit.confirmed', { amount: '9'.repeat(30), currency: 'TRX' }, 'Deposit credited'],
  ])('of %s with %j has the heading: %s', async (event_type, payload, says) => {
    const { paragraphs } = await shown([entry({ event_type, payload })]);
    expect(paragraphs[0]?.split('\n')[0]).toBe(`⚠️ ${says}`);
  });

  test('has the same heading if its payload is the complete delivery', async () => {
    const payload = { event: 'order.filled', data: { order_id: 7, energy_amount: 65_000 } };
    const { paragraphs } = await shown([entry({ payload })]);
    expect(paragraphs[0]).toContain('Order delivered · order 7 · 65,000 energy');
  });

  test('shows event types escaped, in one line, without invisible characters, and truncated', async () => {
    const names = ['<b>&"x', 'a\u202egnp\u202c\u0000\n\tb\u200b', `${'n'.repeat(39)}-end`, '\u202e'];
    const { paragraphs } = await shown(names.map((event_type, id) => entry({ id: 9 - id, event_type })));
    expect(paragraphs.map((one) => one.split(' · ')[0]?.slice('📬 Type: '.length))).toEqual([
      '<code>&#60;b&#62;&#38;&#34;x</code>',
      '<code>a gnp b</code>',
      `<code>${'n'.repeat(39)}…</code>`,
      '<code>?</code>',
    ]);
  });
});

describe('the webhook log', () => {
  test('shows the latest eight, newest first, however the service orders them', async () => {
    const order = [4, 11, 0, 7, 2, 9, 5, 1, 10, 3, 8, 6];
    const { paragraphs, html } = await shown(
      order.map((at) => entry({ ...logged(at, START + at * MINUTE), event_type: `event.${at}` })),
    );
    expect(paragraphs.slice(0, -1).map((one) => /event\.\d+/.exec(one)?.[0])).toEqual(
      [11, 10, 9, 8, 7, 6, 5, 4].map((at) => `event.${at}`),
    );
    expect(html).toContain('The latest 8.');
  });

  test('orders entries with the same time by id, highest first', async () => {
    const { paragraphs } = await shown([1, 3, 2].map((id) => entry({ id, event_type: `event.${id}` })));
    expect(paragraphs.map((one) => /event\.\d/.exec(one)?.[0])).toEqual(['event.3', 'event.2', 'event.1']);
  });

  test('says so if it is empty', async () => {
    const { paragraphs } = await shown([]);
    expect(paragraphs).toEqual([expect.stringContaining('Nothing was sent yet.')]);
  });

  test.each(LANGUAGES)('fits one message in %s with the longest values', async (language) => {
    const payload = { order_id: Number.MAX_SAFE_INTEGER, bandwidth_amount: Number.MAX_SAFE_INTEGER };
    const worst = {
      event_type: '<&>'.repeat(200),
      attempts: Number.MAX_VALUE,
      response_status: 599,
      payload,
    };
    const many = Array.from({ length: 500 }, (_, id) => entry({ id, ...worst }));
    const { html } = await shown(many, language);
    expect(withoutTags(html).length).toBeLessThan(4096);
  });

  test('offers to turn alerts on or off, depending on the current state', async () => {
    const chat = await openChat('en');
    await chat.write('/webhooklog');
    expect(chat.last().html).toContain("Service reports of this account aren't turned on here");
    expect(buttonsOf(chat.last())).toMatchObject({ 'Turn on service reports': 'reports:open' });
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['reports:open', ...BACK]);
    await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
    await chat.write('/webhooklog');
    expect(chat.last().html).toContain('Service reports come to this bot now');
    expect(buttonsOf(chat.last())).toMatchObject({ 'Turn off service reports': 'reports:off:webhook-log' });
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['reports:off:webhook-log', ...BACK]);
  });

  test('offers neither if the bot has no public address, and says so', async () => {
    const chat = await openChat('en', { hookUrl: undefined });
    await chat.write('/webhooklog');
    expect(chat.last().html).toContain(
      "This bot has no public address, so it can't receive service reports.",
    );
    expect(Object.values(buttonsOf(chat.last()))).toEqual(BACK);
  });

  test('offers a retry if it cannot be read', async () => {
    const chat = await openChat('en');
    chat.setup.rental.webhookLogs.mockResolvedValue(OFFLINE);
    await chat.tap('webhook-log:open');
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['webhook-log:open', 'menu:open']);
  });
});

describe('an opened entry', () => {
  async function opened(payload: object, language: (typeof LANGUAGES)[number] = 'en') {
    const { chat } = await shown([entry({ payload })], language);
    await chat.tap('webhook-log:one:1', { carried: true });
    expectWithinLimits(chat.last());
    return chat;
  }

  test('shows its complete payload below its heading', async () => {
    const { chat } = await shown([entry({ created_at: '2025-06-02T10:05:00Z' })]);
    expect(chat.last().html).toContain('1. ⚠️ Order delivered');
    expect(Object.entries(buttonsOf(chat.last()))[0]).toEqual(['1', 'webhook-log:one:1']);
    const one = await opened({ event: 'order.filled', data: { order_id: 7, nested: { note: '<b>x</b>' } } });
    const text = withoutTags(one.last().html).replaceAll('&#34;', '"');
    for (const part of ['Order delivered', '"order_id": 7', '"nested": {', '"note": "&#60;b&#62;x'])
      expect(text).toContain(part);
    expect(Object.values(buttonsOf(one.last()))).toEqual(['webhook-log:open', 'menu:open']);
  });

  test.each(LANGUAGES)('is truncated and counts the omitted lines, in %s', async (language) => {
    const long = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`field${at}`, 'x'.repeat(500)]));
    const { html } = (await opened(long, language)).last();
    expect(html).toMatch(language === 'en' ? /… and \d\d lines more/ : /… и ещё \d\d строк/);
    expect(html).not.toContain('x'.repeat(101));
    const invisible = await opened({ note: 'a\u202eb\u200bc' }, language);
    expect(invisible.last().html).not.toMatch(/[\u202e\u200b]/u);
  });

  test('says so if it is no longer listed, and offers a retry after a failed read', async () => {
    const { chat } = await shown([entry()]);
    await chat.tap('webhook-log:one:99', { carried: true });
    expect(chat.last().html).toContain('lists this report no more');
    chat.setup.rental.webhookLogs.mockResolvedValue(OFFLINE);
    await chat.tap('webhook-log:one:1');
    expect(Object.values(buttonsOf(chat.last()))).toContain('webhook-log:one:1');
  });
});
