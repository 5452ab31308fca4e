import { describe, expect, vi } from 'vitest';
import { isMuted, MUTABLE_KINDS } from '../../../src/accounts/notification-settings.ts';
import { formatAmount, LANGUAGES, withoutTags } from '../../../src/i18n/texts.ts';
import { WebhookLogEntry } from '../../../src/rental-api/schemas.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { buttonsOf, expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, accepted, logged, OFFLINE } from '../../operations/rental-stand-in.ts';
import { type Chat, openChat, testWith } from '../chat.ts';

const ON_AT_FIRST = MUTABLE_KINDS.filter((kind) => !isMuted({ muted: [] }, kind));
const settingsOf = (chat: Chat) => chat.deps.notificationSettings.get(USER);
const editsOf = (chat: Chat) => chat.calls.filter(({ method }) => method === 'editMessageText');

/** Opens a chat at the question for the low-balance threshold. */
async function atLowBalance() {
  const chat = await openChat('en');
  await chat.input('/notifications', 'notifications:low-balance');
  return chat;
}

const test = testWith(() => openChat('en'));

describe('the notification settings', () => {
  test('are listed under More, which has at most eight buttons', async ({ chat }) => {
    await chat.links.setMerchant(USER, true);
    await chat.tap('menu:more');
    expect(chat.labels()).toContain('🔔 Notifications');
    expect(chat.labels()).not.toContain('📨 Webhook log');
    expect(chat.labels().length).toBeLessThanOrEqual(8);
  });

  test('enable every kind but rentals at first and set no low balance', async ({ chat }) => {
    await chat.write('/notifications');
    expect(chat.labels()).toEqual([
      '🔔 Orders (not delivery)',
      '🔕 Rental reminders',
      '🔔 Expired invoices',
      '🔔 Deposits',
      '🔔 Withdrawals',
      '🔔 Smart Mode',
      '🔔 Low balance',
      '🔔 Missing instant alerts',
      '🔔 Other events',
      '📉 Set low-balance alert',
      'Turn on instant alerts',
      '☰ Menu',
    ]);
    chat.shows('Low-balance alert: <b>off</b>', 'Receipts are updated either way');
    expect(chat.html()).toContain('New withdrawal addresses are always announced');
    await chat.webhookSubscriptions.activate('a-hook', 1001, 'a-secret');
    await chat.write('/notifications');
    expect(chat.labels()).toContain('🔔 Orders');
  });

  test.each(ON_AT_FIRST)(
    'mute %s with one tap and unmute it with another, in the same message',
    async (what) => {
      const chat = await openChat('en');
      await chat.write('/notifications');
      const shown = chat.last();
      const [before, message] = [chat.calls.length, chat.lastMessage()];
      await chat.tapShown(`notifications:mute:${what}`);
      expect(await settingsOf(chat)).toEqual({ muted: [what] });
      expect(chat.labels().filter((label) => label.startsWith('🔕'))).toHaveLength(2);
      expect(chat.buttons()).toMatchObject({
        [String(chat.labels().find((label) => /^🔕(?! Rental)/.test(label)))]: `notifications:unmute:${what}`,
      });
      await chat.tap(`notifications:unmute:${what}`, { message, carried: true });
      expect(await settingsOf(chat)).toEqual({ muted: [] });
      expect(chat.last()).toEqual(shown);
      expect(editsOf(chat).map(({ payload }) => payload.message_id)).toEqual([message, message]);
      expect(chat.calls.slice(before).some(({ method }) => method === 'sendMessage')).toBe(false);
    },
  );

  test('turn reminders of the end of rentals on with one tap and off with another', async ({ chat }) => {
    await chat.write('/notifications');
    await chat.tapShown('notifications:unmute:rentals');
    expect(await settingsOf(chat)).toEqual({ muted: [], turnedOn: ['rentals'] });
    expect(chat.labels()).toContain('🔔 Rental reminders');
    await chat.tapShown('notifications:mute:rentals');
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    expect(chat.labels()).toContain('🔕 Rental reminders');
  });

  test('stay the same if an old button is tapped twice', async ({ chat }) => {
    for (let times = 0; times < 2; times++) await chat.tapShown('notifications:mute:orders');
    expect(await settingsOf(chat)).toEqual({ muted: ['orders'] });
  });

  test.each(['notifications:mute:everything', 'notifications:mute', 'notifications:unmute:__proto__'])(
    'are not changed by forged data such as %s',
    async (data) => {
      const chat = await openChat('en');
      await chat.tapShown(data);
      expect(chat.toast()).toBe(chat.words.plain('toast-over'));
      expect(await settingsOf(chat)).toEqual({ muted: [] });
    },
  );

  test('require an account and are deleted when it is unlinked', async ({ chat }) => {
    await chat.input('notifications:mute:orders', 'account:unlink-yes');
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    for (const data of ['notifications:mute:orders', 'notifications:low-balance', 'notifications:open']) {
      await chat.tapShown(data);
      expect(chat.data()).toContain('link:open');
    }
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    await chat.tap('menu:open');
    expect(chat.labels()).not.toContain('🔔 Notifications');
  });

  test('show first whether alerts are on', async ({ chat }) => {
    await chat.expectReply('/notifications', 'Instant alerts: <b>off</b>');
    expect(chat.labels()).toContain('Turn on instant alerts');
    await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
    await chat.write('/notifications');
    expect(chat.html()).toContain(`✅ Instant alerts: <b>on</b> (account ${ACCOUNT})`);
    expect(chat.labels()).toContain('Turn off instant alerts');
    const hidden = await openChat('en', { hookUrl: undefined });
    await hidden.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
    await hidden.expectReply('/notifications', 'Instant alerts: not available');
    expect(hidden.labels().join()).not.toMatch(/Turn o\w+ instant alerts/);
  });
});

describe('a low balance', () => {
  test.each([
    [answerData('10'), '10.00'],
    [answerData('50'), '50.00'],
    [answerData('100'), '100.00'],
    ['12,5', '12.50'],
    ['7 TRX', '7.00'],
    ['0.000001', '0.000001'],
  ])('is set to the answered amount: %s', async (given, trx) => {
    const chat = await atLowBalance();
    await (given.startsWith('answer') ? chat.tapShown(given) : chat.write(given));
    expect(await settingsOf(chat)).toEqual({ muted: [], lowBalance: trx });
    expect(chat.html()).toContain(`Low-balance alert: <b>below ${trx} TRX</b>`);
  });

  test.each([answerData('off'), 'Off', 'off.', '0', '0.00', '0,0 TRX', 'выкл'])(
    'is removed by %s',
    async (given) => {
      const chat = await atLowBalance();
      await chat.deps.notificationSettings.setLowBalance(USER, '50.00');
      await (given.startsWith('answer') ? chat.tapShown(given) : chat.write(given));
      expect(await settingsOf(chat)).toEqual({ muted: [] });
      expect(chat.html()).toContain('Low-balance alert: <b>off</b>');
    },
  );

  test.each(['fifty', '-5', '1,000', '1e3', '5.1234567', '∞', '0x10', '00 10', '1'.repeat(4000)])(
    'is rejected and requested again after %s',
    async (given) => {
      const chat = await atLowBalance();
      await chat.deps.notificationSettings.setLowBalance(USER, '50.00');
      await chat.write(given);
      expect(chat.html()).toContain('Send an amount like 50 or 12.5');
      expect(chat.labels()).toEqual(['10 TRX', '50 TRX', '100 TRX', 'Off', '‹ Back', '✕ Cancel']);
      expect((await settingsOf(chat)).lowBalance).toBe('50.00');
    },
  );

  test('is requested and confirmed in the message of the screen', async () => {
    const chat = await atLowBalance();
    const screen = chat.lastMessage();
    await chat.tapShown(answerData('50'));
    expect(chat.lastMessage()).toBe(screen);
    expect(editsOf(chat).map(({ payload }) => payload.message_id)).toEqual([screen, screen]);
  });

  test('is set even if the service does not respond', async () => {
    const away = await openChat('en');
    away.setup.rental.profile.mockResolvedValue(OFFLINE);
    await away.tap('notifications:low-balance');
    await away.write('50');
    expect(await settingsOf(away)).toEqual({ muted: [], lowBalance: '50.00' });
  });

  test('is not set if the account was unlinked before the answer', async () => {
    const chat = await atLowBalance();
    await chat.links.unlink(USER);
    await chat.write('50');
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    expect(chat.data()).toContain('link:open');
  });
});

test.each(LANGUAGES)(
  'stays within the limits in %s with everything muted and the longest amount',
  async (language) => {
    const chat = await openChat(language);
    for (const what of MUTABLE_KINDS) await chat.tapShown(`notifications:mute:${what}`);
    await chat.tapShown('notifications:low-balance');
    expectWithinLimits(chat.last());
    await chat.expectReply('999999999999.123456', formatAmount('999999999999.123456', language));
    expectWithinLimits(chat.last());
  },
);

const HOLDER = USER + 1;

/** Opens a chat whose account has an active webhook. */
async function withReports(...given: Parameters<typeof openChat>) {
  const chat = await openChat(...given);
  await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
  const removed = { url: '', secret: '', active: false };
  chat.setup.rental.configureWebhook.mockResolvedValue(accepted(removed));
  return chat;
}

describe.each(LANGUAGES)('alerts in %s', (language) => {
  test.each([
    ['/account', 'account'],
    ['/notifications', 'notifications'],
    ['/webhooklog', 'webhook-log'],
  ])('are turned off after a question in the message of %s, with a way back', async (command, origin) => {
    const chat = await withReports(language);
    await chat.write(command);
    const [screen, message] = [chat.last(), chat.lastMessage()];
    expect(Object.values(buttonsOf(screen))).toContain(`reports:off:${origin}`);
    await chat.tap(`reports:off:${origin}`, { message, carried: true });
    expect(chat.lastMessage()).toBe(message);
    expect(chat.html()).toContain(chat.words.html('reports-off-ask'));
    expect(chat.data()).toEqual(['reports:off-yes', `${origin}:open`]);
    expectWithinLimits(chat.last());
    expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(true);
    expect(chat.setup.rental.configureWebhook).not.toHaveBeenCalled();
    await chat.tap(`${origin}:open`, { message, carried: true });
    expect(chat.last()).toEqual(screen);
    await chat.tap('reports:off-yes', { message, carried: true });
    expect(chat.html()).toContain(chat.words.html('reports-off'));
    expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  });

  test('mention the other account holders before they are turned off', async () => {
    const chat = await withReports(language);
    await chat.links.link(HOLDER, ACCOUNT, 'a-key-of-another', language);
    await chat.tap('reports:off');
    const others = chat.words.html('reports-off-others', { account: String(ACCOUNT), others: 1 });
    expect(chat.html()).toContain(others);
  });

  test('are reported as off at once if they are off already', async () => {
    const chat = await openChat(language);
    await chat.tap('reports:off');
    expect(chat.html()).toBe(chat.words.html('reports-was-off'));
  });

  test('stay on if they are turned on while the question is shown', async () => {
    const chat = await withReports(language);
    vi.spyOn(chat.webhookSubscriptions, 'isActive').mockResolvedValueOnce(false);
    await chat.tap('reports:off');
    expect(chat.setup.rental.configureWebhook).not.toHaveBeenCalled();
    expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(true);
  });

  test('have the same name on every screen', async () => {
    const name = language === 'en' ? /instant alerts/i : /мгновенные уведомления/i;
    const chat = await withReports(language);
    for (const command of ['/account', '/notifications', '/webhooklog']) {
      await chat.write(command);
      expect(chat.html()).toMatch(name);
      expect(chat.labels().join()).toMatch(name);
    }
  });
});

test('turning alerts off notifies the other holders with the same id when the update is repeated', async () => {
  const notifyReportsOff = vi.fn(async (_account: number, _by: number, _update: number) => {});
  notifyReportsOff.mockRejectedValueOnce(new Error('the storage is away'));
  const chat = await withReports('en', { notifyReportsOff });
  await expect(chat.tap('reports:off-yes')).rejects.toThrow('the storage is away');
  await chat.again();
  expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  const [first, second, ...others] = notifyReportsOff.mock.calls;
  expect([second, others]).toEqual([first, []]);
});

test('/menu shows the same menu as /start', async ({ chat }) => {
  await chat.write('/start');
  const menu = chat.last();
  await chat.write('/menu');
  expect(chat.last()).toEqual(menu);
});

const LOG_BUTTONS = ['account:open', 'menu:open'];
const MINUTE = 60_000;

/** Returns a log entry as the client parses it from a response. */
const entry = (more: object = {}) => WebhookLogEntry.parse({ ...logged(1, START), ...more });

/** Opens the log with these entries. `paragraphs`: one per entry, without its number. */
async function openLog(entries: WebhookLogEntry[], language: (typeof LANGUAGES)[number] = 'en') {
  const chat = await openChat(language);
  chat.setup.rental.webhookLogs.mockResolvedValue(accepted(entries));
  await chat.write('/webhooklog');
  expectWithinLimits(chat.last());
  const parts = chat
    .html()
    .split('\n\n')
    .slice(1, entries.length > 0 ? -2 : -1);
  const paragraphs = parts.map((part) => part.replace(/^\d\. /, ''));
  return { chat, paragraphs, html: chat.html() };
}

describe('an entry of the log', () => {
  test('shows event, response status, attempts and time', async () => {
    const created_at = '2025-06-02T10:05:00Z';
    const { paragraphs } = await openLog([entry({ response_status: 200, attempts: 1, created_at })]);
    expect(paragraphs).toEqual([
      '📬 Order delivered · order 1 · 65,000 energy\nreceived, HTTP 200 · 1 attempt · 2 Jun, 10:05 UTC',
    ]);
    const russian = await openLog([entry({ response_status: 404, attempts: 3, created_at })], 'ru');
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
  ])('with response status %s starts with %s and shows %s', async (response_status, sign, reply) => {
    const [line = ''] = (await openLog([entry({ response_status })])).paragraphs;
    expect(line.startsWith(`${sign} Order`)).toBe(true);
    expect(line).toContain(`\n${sign === '📬' ? 'received' : 'not received'}, ${reply} · `);
  });

  test.each([
    [0, 'not sent yet'],
    [-3, 'not sent yet'],
    [1, '1 attempt'],
    [4, '4 attempts'],
    [999, '999 attempts'],
    [1000, '999+ attempts'],
    [Number.MAX_VALUE, '999+ attempts'],
  ])('with %s attempts shows: %s', async (attempts, reply) => {
    const { html } = await openLog([entry({ attempts, response_status: 404 })]);
    expect(html).toContain(`\n${attempts > 0 ? 'not received, HTTP 404 · ' : ''}${reply} · `);
  });

  test.each([
    ['order.failed', { order_id: 7, bandwidth_amount: 1000 }, 'Order failed · order 7 · 1,000 bandwidth'],
    [
      'deposit.confirmed',
      { id: 3, amount: '12.50', currency: 'USDT', amount_trx: '40' },
      'Deposit credited · 12.50 USDT',
    ],
    ['withdrawal.completed', { id: 3, amount_trx: '5.00' }, 'Withdrawal sent · 5.00 TRX'],
    ['invoice.paid', { invoice_id: 4, energy_amount: 65_000 }, 'Invoice paid · invoice 4 · 65,000 energy'],
    ['smart_mode.transfer', { energy_amount: 131_000 }, 'Smart Mode delivery · 131,000 energy'],
    ['package.sold', { order_id: 9 }, 'Type: <code>package.sold</code> · order 9'],
    ['constructor', {}, 'Type: <code>constructor</code>'],
    ['order.filled', { order_id: '<b>', energy_amount: -1 }, 'Order delivered'],
    ['order.filled', { order_id: 1e300, energy_amount: 0.5 }, 'Order delivered'],
    ['deposit.confirmed', { amount: '<i>5', currency: 'TRX', amount_trx: '1e9' }, 'Deposit credited'],
    ['deposit.confirmed', { amount: '5', currency: '<b>' }, 'Deposit credited'],
    ['deposit.confirmed', { amount: '9'.repeat(30), currency: 'TRX' }, 'Deposit credited'],
  ])('of %s with %j has the heading: %s', async (event_type, payload, reply) => {
    const { paragraphs } = await openLog([entry({ event_type, payload })]);
    expect(paragraphs[0]?.split('\n')[0]).toBe(`⚠️ ${reply}`);
  });

  test('has the same heading if its payload is the complete delivery', async () => {
    const payload = { event: 'order.filled', data: { order_id: 7, energy_amount: 65_000 } };
    const { paragraphs } = await openLog([entry({ payload })]);
    expect(paragraphs[0]).toContain('Order delivered · order 7 · 65,000 energy');
  });

  test('shows event types escaped, in one line, without invisible characters, and truncated', async () => {
    const names = ['<b>&"x', 'a\u202egnp\u202c\u0000\n\tb\u200b', `${'n'.repeat(39)}-end`, '\u202e'];
    const { paragraphs } = await openLog(names.map((event_type, id) => entry({ id: 9 - id, event_type })));
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
    const { paragraphs, html } = await openLog(
      order.map((at) => entry({ ...logged(at, START + at * MINUTE), event_type: `event.${at}` })),
    );
    expect(paragraphs.slice(0, -1).map((one) => /event\.\d+/.exec(one)?.[0])).toEqual(
      [11, 10, 9, 8, 7, 6, 5, 4].map((at) => `event.${at}`),
    );
    expect(html).toContain('The latest 8.');
  });

  test('orders entries with the same time by id, highest first', async () => {
    const { paragraphs } = await openLog([1, 3, 2].map((id) => entry({ id, event_type: `event.${id}` })));
    expect(paragraphs.map((one) => /event\.\d/.exec(one)?.[0])).toEqual(['event.3', 'event.2', 'event.1']);
  });

  test('says so if it is empty', async () => {
    const { paragraphs } = await openLog([]);
    expect(paragraphs).toEqual([expect.stringContaining('Nothing sent yet.')]);
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
    const { html } = await openLog(many, language);
    expect(withoutTags(html).length).toBeLessThan(4096);
  });

  test('offers to turn alerts on or off, depending on the current state', async ({ chat }) => {
    await chat.expectReply('/webhooklog', 'Instant alerts are off here');
    expect(chat.buttons()).toMatchObject({ 'Turn on instant alerts': 'reports:open' });
    expect(chat.data()).toEqual(['reports:open', ...LOG_BUTTONS]);
    await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
    await chat.expectReply('/webhooklog', 'Instant alerts come to this bot');
    expect(chat.buttons()).toMatchObject({ 'Turn off instant alerts': 'reports:off:webhook-log' });
    expect(chat.data()).toEqual(['reports:off:webhook-log', ...LOG_BUTTONS]);
  });

  test('offers neither if the bot has no public address, and says so', async () => {
    const chat = await openChat('en', { hookUrl: undefined });
    await chat.write('/webhooklog');
    expect(chat.html()).toContain('This bot has no public address for instant alerts.');
    expect(chat.data()).toEqual(LOG_BUTTONS);
  });

  test('offers a retry if it cannot be read', async ({ chat }) => {
    chat.setup.rental.webhookLogs.mockResolvedValue(OFFLINE);
    await chat.tap('webhook-log:open');
    expect(chat.data()).toEqual(['webhook-log:open', 'menu:open']);
  });
});

describe('an opened entry', () => {
  async function opened(payload: object, language: (typeof LANGUAGES)[number] = 'en') {
    const { chat } = await openLog([entry({ payload })], language);
    await chat.tapShown('webhook-log:one:1');
    expectWithinLimits(chat.last());
    return chat;
  }

  test('shows its complete payload below its heading', async () => {
    const { chat } = await openLog([entry({ created_at: '2025-06-02T10:05:00Z' })]);
    expect(chat.html()).toContain('1. ⚠️ Order delivered');
    expect(Object.entries(chat.buttons())[0]).toEqual(['1', 'webhook-log:one:1']);
    const one = await opened({ event: 'order.filled', data: { order_id: 7, nested: { note: '<b>x</b>' } } });
    const text = withoutTags(one.html()).replaceAll('&#34;', '"');
    for (const part of ['Order delivered', '"order_id": 7', '"nested": {', '"note": "&#60;b&#62;x'])
      expect(text).toContain(part);
    expect(one.data()).toEqual(['webhook-log:open', 'menu:open']);
  });

  test.each(LANGUAGES)('is truncated and counts the omitted lines, in %s', async (language) => {
    const long = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`field${at}`, 'x'.repeat(500)]));
    const { html } = (await opened(long, language)).last();
    expect(html).toMatch(language === 'en' ? /… lines left out: \d\d/ : /… пропущено строк: \d\d/);
    expect(html).not.toContain('x'.repeat(101));
    const invisible = await opened({ note: 'a\u202eb\u200bc' }, language);
    expect(invisible.html()).not.toMatch(/[\u202e\u200b]/u);
  });

  test('says so if it is no longer listed, and offers a retry after a failed read', async () => {
    const { chat } = await openLog([entry()]);
    await chat.expectReply('webhook-log:one:99', "No longer in the service's log");
    chat.setup.rental.webhookLogs.mockResolvedValue(OFFLINE);
    await chat.tap('webhook-log:one:1');
    expect(chat.data()).toContain('webhook-log:one:1');
  });
});
