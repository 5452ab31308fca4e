import { describe, expect, vi } from 'vitest';
import { ADMIN_ACTIONS } from '../../../src/accounts/admin-log.ts';
import type { AllFeatureDeps } from '../../../src/features/features.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { type DailyEventMetrics, REJECTION_REASONS } from '../../../src/notifications/event-metrics.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { createRecentCalls } from '../../../src/platform/service-calls.ts';
import { describeProblem, type HealthProblem } from '../../../src/views/health-problem.ts';
import { expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { BANDWIDTH, START, USER } from '../../operations/operations-setup.ts';
import { rejected } from '../../operations/rental-stand-in.ts';
import { withPlainSpaces } from '../../support/plain-spaces.ts';
import { OPERATOR_ACCOUNT, openChat, sell, testWith } from '../chat.ts';
import { broadcast } from '../mocked-broadcasts.ts';

const MINUTE = 60_000;
const CALLS = createRecentCalls({ now: () => START }).seen();
const away = () => Promise.reject(new Error('away'));
const never = () => new Promise<never>(() => {});
/** Dependencies of the state screen if every read fails. */
const UNREAD: AllFeatureDeps['state'] = {
  version: '1.2.3',
  upMs: () => 0,
  rental: () => CALLS,
  telegram: () => CALLS,
  storage: { checkWritable: away },
  overdue: { operations: away, invoices: away, erasures: away },
  health: { checks: [], problems: away },
};
/** Dependencies of the state screen if everything works. */
const WELL: AllFeatureDeps['state'] = {
  version: '1.2.3',
  upMs: () => 26 * 60 * MINUTE,
  rental: () => CALLS,
  telegram: () => CALLS,
  storage: { checkWritable: async () => {} },
  overdue: {
    operations: async () => undefined,
    // Due since the last search.
    invoices: async () => 900,
    erasures: async () => undefined,
  },
  health: { checks: [1, 2], problems: async () => [] },
};

/** Returns a problem that a health check found at the start. */
function problemOf(problem: HealthProblem['problem'], severity: HealthProblem['severity']): HealthProblem {
  const values = { url: '<url>', expected: 'here', ms: 130 };
  return { check: problem, problem, severity, values, since: START };
}

const openState = (more: Partial<AllFeatureDeps> = {}, language: Language = 'en') =>
  openChat(language, { admins: new Set([USER]), state: WELL, ...more });

async function stateLines(...given: Parameters<typeof openState>) {
  const chat = await openState(...given);
  await chat.write('/state');
  expectWithinLimits(chat.last());
  expect(chat.html()).not.toMatch(/undefined|NaN|\{|\}|null/);
  return chat.html().split('\n');
}

const test = testWith(() => openState());

describe('the state screen', () => {
  test('shows all figures if everything works', async () => {
    expect(await stateLines()).toEqual([
      '<b>🩺 State</b>',
      '💰 Payments are open',
      '🚧 Maintenance mode: off',
      '',
      '✅ All 2 health checks pass',
      '',
      '<b>Rental service</b>, calls of this process',
      '📈 Last 5 min: 0 calls, 0 failed, 0 over the limit, usually – ms',
      '',
      '<b>Telegram</b>, calls of this process',
      '📈 Last 5 min: 0 calls, 0 failed, 0 over the limit, usually – ms',
      '',
      '<b>Redis</b>',
      expect.stringMatching(/^⏱ Responds in \d+ ms$/),
      '',
      '<b>Waiting work</b>',
      '💸 Operations: 0 in progress, 0 with unknown result',
      '✉️ Chats with unsent notifications: none',
      '⏳ Checking operations: on time',
      '⏳ Checking invoices: on time',
      "⏳ Erasing users' data: on time",
      '',
      '<b>This process</b>: version 1.2.3, up 26 h',
      '',
      expect.stringMatching(/^<i>As of \d\d:\d\d:\d\d UTC\.<\/i>$/),
    ]);
  });

  test('shows problems with figures and escapes texts of others', async () => {
    const rental = createRecentCalls({ now: () => START });
    rental.note({ kind: 'answered', ms: 83.4 });
    rental.note({ kind: 'limited', ms: 84 });
    rental.note({ kind: 'failed', endpoint: 'buyEnergy', reason: 'HTTP <502>' });
    const texts = await stateLines({
      readOutboxBacklog: async () => ({ chats: 3, isMore: false, oldestMs: 5 * MINUTE }),
      paymentsGate: {
        closed: async () => undefined,
        closedNow: async () => ({ by: 'storage', why: 'appendonly <off>' }),
      },
      state: {
        ...WELL,
        rental: () => ({ ...rental.seen(), sinceSuccessMs: 3 * MINUTE }),
        telegram: () => ({ ...rental.seen(), sinceSuccessMs: 4 * MINUTE }),
        health: {
          checks: [1, 2, 3],
          problems: async () => [
            problemOf('webhook-replaced', 'error'),
            { ...problemOf('service-not-json', 'error'), check: 'service' },
            { ...problemOf('redis-slow', 'warning'), replica: 'host/1a2b' },
          ],
        },
        overdue: {
          operations: async () => 90_000,
          invoices: async () => 3 * MINUTE,
          erasures: async () => 49 * 60 * MINUTE,
        },
      },
    });
    for (const line of [
      '⛔ <b>Payments are closed.</b> The health checks below say why',
      '<b>Health checks</b>: 3 of 3 fail',
      "⛔ <b>Another program has set the webhook to &#60;url&#62;, so updates don't go to here.</b> Stop that program or give it a bot of its own; this bot sets its webhook again at most once an hour. <i>Since 1 Jun, 12:00 UTC.</i>",
      '⚠️ <b>Redis takes 130 ms to respond.</b> Move Redis closer to the bot, or check its load and its disk. <i>Since 1 Jun, 12:00 UTC, on host/1a2b.</i>',
      '⚠️ Last successful call: 3 min ago',
      '✅ Last successful call: 4 min ago',
      '⚠️ Last failed call: <code>buyEnergy</code>, 0 s ago: HTTP &#60;502&#62;',
      '📈 Last 5 min: 3 calls, 1 failed, 1 over the limit, usually 83 ms',
      '✉️ Chats with unsent notifications: <b>3</b>, longest wait 5 min',
      '⏳ Checking operations: <b>90 s late</b>. If this grows, read the log, then restart the bot.',
      '⏳ Checking invoices: <b>3 min late</b>. If this grows, read the log, then restart the bot.',
      "⏳ Erasing users' data: <b>2 d late</b>. If this grows, read the log, then restart the bot.",
    ]) {
      expect(texts).toContain(line);
    }
  });

  test('fits into a message even if every check fails with a long reason', async () => {
    const why = 'x'.repeat(200);
    const problems = [
      'service-unexpected',
      'webhook-failing',
      'redis-refuses-writes',
      'telegram-unreachable',
    ] as const;
    const all = [...problems, ...problems, ...problems].map((problem) => ({
      ...{ ...problemOf(problem, 'error'), values: { why, expected: why, advice: why } },
    }));
    const health = { checks: [], problems: async () => all };
    expect(await stateLines({ state: { ...WELL, health } })).toContainEqual(
      expect.stringContaining('And 4 more'),
    );
  });

  test.each(LANGUAGES)('shows each unreadable figure as unreadable, never as 0, in %s', async (language) => {
    const chat = await openState({ state: UNREAD, readOutboxBacklog: away }, language);
    vi.spyOn(chat.deps.operations, 'pendingSummary').mockImplementation(away);
    vi.spyOn(chat.deps.paymentsGate, 'closedNow').mockImplementation(away);
    vi.spyOn(chat.deps.maintenance, 'find').mockImplementation(away);
    await chat.write('/state');
    const { words } = chat;
    for (const line of [
      words.html('state-money', { by: 'unread' }),
      words.html('state-outbox-unread'),
      words.html('state-checks-unread'),
      ...(['maintenance', 'ping', 'under-way'] as const).map((figure) =>
        words.html(`state-${figure}`, { is: 'unread' }),
      ),
      ...['operations', 'invoices', 'erasures'].map((queue) =>
        words.html('state-overdue', { queue, is: 'unread' }),
      ),
    ]) {
      expect(chat.html().split('\n')).toContain(line);
    }
    expect(chat.html().split(words.html('state-storage'))[1]?.split('1.2.3')[0]).not.toContain('0');
    expectWithinLimits(chat.last());
    // The mode is unknown, so both buttons are shown.
    expect(chat.data()).toEqual(expect.arrayContaining(['state:ask-on', 'state:ask-off']));
  });

  test('waits at most two seconds for a figure', async () => {
    const chat = await openState({ state: { ...WELL, overdue: { ...WELL.overdue, erasures: never } } });
    vi.useFakeTimers();
    const writing = chat.write('/state');
    await vi.advanceTimersByTimeAsync(2_000);
    await writing;
    vi.useRealTimers();
    expect(chat.html()).toContain("Erasing users' data: can't be read");
  });

  test('is updated in the same message by Refresh and counts operations without an outcome', async ({
    chat,
  }) => {
    await chat.write('/state');
    const message = chat.lastMessage();
    chat.setup.clock.now += 5 * MINUTE;
    await chat.setup.lost();
    await chat.setup.claimed();
    await chat.tapShown('state:open');
    expect(chat.lastMessage()).toBe(message);
    expect(chat.payloads('editMessageText').at(-1)?.message_id).toBe(message);
    chat.shows('26 h', '1 in progress, 1 with unknown result');
  });
});

describe('switching maintenance mode', () => {
  test.each(LANGUAGES)('explains and asks for confirmation first, in %s', async (language) => {
    const chat = await openState({}, language);
    const { words, deps } = chat;
    await chat.input('/state', 'state:ask-on');
    expect(chat.html()).toBe(words.html('maintenance-ask-on'));
    expect(chat.data()).toEqual(['state:turn-on', 'state:open']);
    expectWithinLimits(chat.last());
    expect(await deps.maintenance.find()).toBeUndefined();
    await chat.tapShown('state:turn-on');
    expect(await deps.maintenance.find()).toEqual({ since: chat.setup.clock.now, admin: USER });
    expect(chat.html()).toContain(words.html('state-money', { by: 'maintenance' }));
    expect(chat.html()).toMatch(new RegExp(`🚧 .*1 .*12:00 UTC.*<code>${USER}</code>`));
    expectWithinLimits(chat.last());
    await chat.tapShown('state:ask-off');
    expect(chat.html()).toBe(words.html('maintenance-ask-off'));
    await chat.tapShown('state:turn-off');
    expect(await deps.maintenance.find()).toBeUndefined();
    expect(chat.html()).toContain(words.html('state-money', { by: 'open' }));
  });

  test('notifies the other admins and is logged once per change', async () => {
    const notifyMaintenanceChange = vi.fn(async () => {});
    const chat = await openState({ notifyMaintenanceChange });
    for (const data of ['state:turn-on', 'state:turn-on', 'state:turn-off', 'state:turn-off']) {
      chat.setup.clock.now += 1;
      await chat.tap(data);
    }
    expect(notifyMaintenanceChange.mock.calls).toEqual(
      ['on', 'off'].map((turn) => [{ turn, admin: USER, id: expect.any(String) }]),
    );
    const logged = await chat.deps.adminLog.latest(10);
    expect(logged.map(({ action: act, admin }) => [act, admin])).toEqual([
      ['maintenance-off', USER],
      ['maintenance-on', USER],
    ]);
    expect(chat.html()).toContain(chat.words.html('state-maintenance', { is: 'off' }));
  });

  test('notifies with the same id when the update is repeated after a failure', async () => {
    const notifyMaintenanceChange = vi.fn(async (_turned: { id: string }) => {});
    notifyMaintenanceChange.mockRejectedValueOnce(new Error('the storage is away'));
    const chat = await openState({ notifyMaintenanceChange });
    await expect(chat.tap('state:turn-on')).rejects.toThrow('the storage is away');
    chat.setup.clock.now += 1;
    await chat.again();
    expect(await chat.deps.maintenance.find()).toBeDefined();
    expect(new Set(notifyMaintenanceChange.mock.calls.map(([{ id }]) => id)).size).toBe(1);
    expect(notifyMaintenanceChange).toHaveBeenCalledTimes(2);
    expect(await chat.deps.adminLog.latest(10)).toHaveLength(1);
  });
});

describe('the admin menu', () => {
  test('opens by its command and shows no problems if everything works', async ({ chat }) => {
    await chat.write('/admin');
    expect(chat.html()).toBe(chat.words.html('menu-admin'));
    expect(chat.data()).toContain('state:open');
  });

  test.each([
    ['en', ['📣 Broadcast running: 340 of 1,300 users', '⏸ Broadcast paused: 340 of 1,300 users']],
    ['ru', ['📣 Рассылка идёт: 340 из 1 300', '⏸ Рассылка на паузе: 340 из 1 300']],
  ] as const)(
    'names broadcasts that run, pause or are scheduled, but no test, in %s',
    async (language, texts) => {
      const chat = await openState({}, language);
      const shown = async () => {
        await chat.write('/admin');
        expectWithinLimits(chat.last());
        return withPlainSpaces(chat.html()).split('\n').slice(2);
      };
      for (const [at, state] of (['sending', 'paused'] as const).entries()) {
        chat.casting.put(broadcast({ state, settled: 341, deferred: [3] }));
        expect(await shown()).toEqual([texts[at]]);
      }
      chat.casting.put(broadcast({ audience: { who: 'me' } }));
      expect(await shown()).toEqual([]);
      for (const id of ['a', 'b', 'c', 'd', 'e'])
        chat.casting.put(broadcast({ id, state: 'scheduled', startAt: START + DAY_MS, total: 1 }));
      const [first, ...others] = await shown();
      expect(first).toMatch(/1748865600.*(2 Jun|2 июн).* · 1 (user|пользователь)$/);
      expect(others).toEqual([first, first, withPlainSpaces(chat.words.html('list-more', { count: '2' }))]);
    },
  );

  test.each(LANGUAGES)('shows problems first, but no warnings of checks, in %s', async (language) => {
    const error = problemOf('webhook-replaced', 'error');
    const problems = async () => [error, problemOf('redis-slow', 'warning')];
    const chat = await openState({ state: { ...WELL, health: { checks: [], problems } } }, language);
    await chat.setup.lost();
    await chat.deps.maintenance.turnOn(USER);
    await chat.write('/admin');
    const { words } = chat;
    expect(chat.html().split('\n')).toEqual([
      words.html('menu-admin'),
      '',
      words.html('admin-uncertain', { count: 1, more: 'no' }),
      words.html('admin-maintenance'),
      words.html('admin-problem', { finding: describeProblem(words, error).finding }),
    ]);
    expectWithinLimits(chat.last());
  });

  test('says so if figures are unreadable', async () => {
    const chat = await openState();
    vi.spyOn(chat.deps.operations, 'pendingSummary').mockImplementation(away);
    await chat.tapShown('menu:admin');
    expect(chat.html().split('\n').slice(2)).toEqual([chat.words.html('admin-unread')]);
  });
});

/** Returns this number of rejections for each reason. */
const rejectedEach = (count: number) =>
  Object.fromEntries(REJECTION_REASONS.map((reason) => [reason, count])) as DailyEventMetrics['rejected'];
const NONE = rejectedEach(0);
const QUIET: DailyEventMetrics = {
  received: 0,
  recovered: 0,
  duplicates: 0,
  rejected: NONE,
  events: [],
  rejections: [],
  handledMs: undefined,
  sentMs: undefined,
};
const at = (time: string) => Date.parse(`2025-06-01T${time}Z`);

const openEvents = (
  events: Partial<DailyEventMetrics> = {},
  { language = 'en', ...more }: Partial<AllFeatureDeps> & { language?: (typeof LANGUAGES)[number] } = {},
) =>
  openChat(language, {
    admins: new Set([USER]),
    eventMetrics: { readDay: async () => ({ ...QUIET, ...events }) },
    ...more,
  });

/** Returns the lines of the events screen for these figures. */
async function eventLines(...given: Parameters<typeof openEvents>) {
  const chat = await openEvents(...given);
  await chat.write('/events');
  expectWithinLimits(chat.last());
  return chat.html().split('\n');
}

describe('the figures of a day', () => {
  test('show received, recovered, duplicate and rejected events, most frequent reasons first', async () => {
    const rejected = { ...NONE, signature: 1, hook: 1_200, old: 2 };
    const figures = await eventLines({ received: 1_204, recovered: 3, duplicates: 7, rejected });
    expect(figures.slice(0, 10)).toEqual([
      '<b>📡 Events</b> · 1 June, today (UTC)',
      '',
      '✅ Received: <b>1,204</b>',
      "🔎 Missed, found in the service's log: <b>3</b>",
      '♻️ Duplicates, ignored: <b>7</b>',
      '⚠️ Rejected requests: <b>1,203</b>',
      '   1,200 · unknown URL',
      '   2 · older than 30 days',
      '   1 · wrong signature',
      '',
    ]);
  });

  test('have a distinct text for each rejection reason, in both languages', async () => {
    for (const language of LANGUAGES) {
      const lines = await eventLines({ rejected: rejectedEach(1) }, { language });
      const texts = lines.filter((line) => /^ +1 · /.test(line));
      expect(new Set(texts).size).toBe(REJECTION_REASONS.length);
      expect(texts.join()).not.toContain('{');
    }
  });

  test.each([
    [undefined, 'none'],
    [{ median: 100, p99: 100 }, 'half within 0.1 s, nearly all within 0.1 s'],
    [{ median: 500, p99: 5_000 }, 'half within 0.5 s, nearly all within 5 s'],
    [{ median: 1_000, p99: 300_000 }, 'half within 1 s, nearly all within 300 s'],
    [{ median: 30_000, p99: Number.MAX_SAFE_INTEGER }, 'half within 30 s, nearly all after 300 s'],
  ])('show the delay %j as: %s', async (spread, reply) => {
    expect(await eventLines({ handledMs: spread })).toContain(`⏱ Handled: ${reply}`);
    const uncounted = spread ? '' : " (receipts and invoice messages aren't counted)";
    expect(await eventLines({ sentMs: spread })).toContain(`⏱ Notifications sent: ${reply}${uncounted}`);
  });

  test.each([
    [{ chats: 0, isMore: false, oldestMs: undefined }, 'none'],
    [{ chats: 1, isMore: false, oldestMs: 59_999 }, '<b>1</b>, longest wait 0 min'],
    [{ chats: 2, isMore: false, oldestMs: undefined }, '<b>2</b>, longest wait 0 min'],
    [{ chats: 100, isMore: true, oldestMs: 60_000 * 12 }, '<b>100+</b>, longest wait 12 min'],
  ])('show the notification backlog %j as: %s', async (waits, reply) => {
    expect(await eventLines({}, { readOutboxBacklog: async () => waits })).toContain(
      `✉️ Chats with unsent notifications: ${reply}`,
    );
  });
});

describe('the latest entries', () => {
  test('are listed newest first, with time, source, type and account', async () => {
    const events = [
      { at: at('09:30:00'), account: 1001, type: 'promo.won', source: 'webhook' },
      { at: at('09:30:05'), account: 1001, type: 'order.filled', source: 'webhook' },
      { at: at('09:31:00'), account: 1002, type: 'deposit.confirmed', source: 'log' },
    ];
    const rejections = [
      { at: at('08:00:00'), reason: 'body' as const },
      { at: at('08:00:01'), reason: 'size' as const },
    ];
    const reply = await eventLines({ events, rejections });
    expect(reply.slice(reply.indexOf('<b>Latest events</b>'), -2)).toEqual([
      '<b>Latest events</b>',
      '09:31:00 🔎 Deposit credited · Account 1002',
      '09:30:05 ✅ Order delivered · Account 1001',
      '09:30:00 ✅ Type: <code>promo.won</code> · Account 1001',
      '',
      '<b>Latest rejected requests</b>',
      '08:00:01 too large',
      '08:00:00 not an event',
    ]);
  });

  test('are merged into one line if identical within one second', async () => {
    const rejections = Array.from({ length: 10 }, (_, n) => ({
      at: at(n < 8 ? '08:00:00' : '08:00:01'),
      reason: 'rate' as const,
    }));
    const reply = await eventLines({ rejections });
    expect(reply.filter((line) => line.includes('too many per second'))).toEqual([
      '08:00:01 too many per second ×2',
      '08:00:00 too many per second ×8',
    ]);
  });

  test.each(LANGUAGES)('escape and truncate types and fit one message in %s', async (language) => {
    const type = `<b>&"\u202e${'<&>'.repeat(30)}`;
    const events = Array.from({ length: 10 }, (_, n) => ({
      at: START + n * 1_000,
      account: Number.MAX_SAFE_INTEGER,
      type,
      source: 'log',
    }));
    const rejections = REJECTION_REASONS.concat(REJECTION_REASONS).map((reason, n) => ({
      at: START + n * 1_000,
      reason,
    }));
    const rejected = rejectedEach(1e15);
    const spread = { median: 30_000, p99: Number.MAX_SAFE_INTEGER };
    const worst = { received: 1e15, recovered: 1e15, duplicates: 1e15, rejected, events, rejections };
    const reply = await eventLines(
      { ...worst, handledMs: spread, sentMs: spread },
      { language, readOutboxBacklog: async () => ({ chats: 100, isMore: true, oldestMs: 1e12 }) },
    );
    const line = reply.find((one) => one.includes('<code>')) ?? '';
    expect(line).toContain('<code>&#60;b&#62;&#38;&#34; ');
    expect(line).toContain('…</code>');
    expect(line).not.toContain('\u202e');
    expect(reply.join('\n').length).toBeLessThan(4_096);
  });
});

describe('the events screen', () => {
  test('is refreshed in place and shows yesterday on a tap', async () => {
    const eventMetrics = { readDay: vi.fn(async () => QUIET) };
    const chat = await openEvents({}, { eventMetrics });
    await chat.write('/events');
    const message = chat.lastMessage();
    expect(chat.buttons()).toMatchObject({
      '↻ Refresh': 'events:today',
      Yesterday: 'events:yesterday',
    });
    expect(chat.html()).toContain('As of 12:00:00 UTC.');
    chat.setup.clock.now += 61_000;
    await chat.tap('events:today', { message, carried: true });
    expect(chat.html()).toContain('As of 12:01:01 UTC.');
    await chat.tap('events:yesterday', { message, carried: true });
    expect(chat.html()).toContain('31 May, yesterday (UTC)');
    expect(chat.html()).not.toContain('unsent notifications');
    expect(chat.buttons()).toMatchObject({ '↻ Refresh': 'events:yesterday', Today: 'events:today' });
    expect(eventMetrics.readDay.mock.calls).toEqual([[START], [START + 61_000], [START + 61_000 - DAY_MS]]);
    const edited = chat.calls.filter(({ method }) => method === 'editMessageText');
    expect(edited.map(({ payload }) => payload.message_id)).toEqual([message, message]);
  });

  test('shows whether alerts of the operator account are on, with a button to change it', async () => {
    const chat = await openEvents();
    await chat.expectReply('/events', 'Operator account: instant alerts <b>off</b>');
    expect(chat.buttons()).toMatchObject({
      "Turn on operator's instant alerts": 'reports:operator',
    });
    await chat.webhookSubscriptions.activate('a-hook', OPERATOR_ACCOUNT, 'a-secret');
    await chat.tapShown('events:today');
    expect(chat.html()).toContain('Operator account: instant alerts <b>on</b>');
    expect(chat.buttons()).toMatchObject({
      "Turn off operator's instant alerts": 'reports:operator-off:events',
    });
  });

  test.each([
    ['without a key of the operator', { operatorKey: undefined }],
    ['without a public address', { hookUrl: undefined }],
  ])('omits the operator account %s', async (_, without) => {
    const chat = await openEvents({}, without);
    await chat.write('/events');
    expect(chat.html()).not.toContain('operator');
    expect(chat.data()).not.toContain('reports:operator');
  });

  test('says so if the service does not name the operator account or hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const account of [async () => undefined, () => new Promise<undefined>(() => {})]) {
        const chat = await openEvents();
        vi.spyOn(chat.deps.operator, 'account').mockImplementation(account);
        const writing = chat.write('/events');
        await vi.advanceTimersByTimeAsync(1_500);
        await writing;
        expect(chat.html()).toContain("Operator account: the service isn't responding");
        expect(chat.data()).toEqual([...['events:today', 'events:yesterday', 'menu:admin', 'menu:open']]);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

const openAsAdmin = (language: Language = 'en') => openChat(language, { admins: new Set([USER]) });

describe('the operation figures', () => {
  test("show turnover, guests' payments, and what each kind brought, for a chosen period", async () => {
    const chat = await openChat('en', { admins: new Set([USER]), linked: false });
    const { setup } = chat;
    await setup.advance(await setup.claimed({ user: USER + 1 }));
    setup.clock.now += DAY_MS;
    await setup.advance(await setup.claimed({ user: USER + 2 }));
    setup.rental.buyBandwidth.mockResolvedValueOnce(rejected(400, 'NO'));
    await setup.advance(await setup.claimed({ user: USER + 3, request: BANDWIDTH }));
    await setup.lost({ user: USER + 4 });
    await setup.pass(3_000);
    await sell(chat, { price: '4.64', stored: { status: 'paid' } });
    await chat.write('/operations');
    expect(chat.html().split('\n')).toEqual([
      '<b>📊 Operations</b> · today, 2 June (UTC)',
      '',
      'Spent by users: <b>6.96 TRX</b> (not your income)',
      'including from guests: <b>4.64 TRX</b> · 1 invoice',
      '',
      '<pre>             Done   TRX',
      '⚡ Energy       1  2.32',
      '🧾 Invoices     1  4.64</pre>',
      '',
      '❌ Refused, nothing charged: 📶 Bandwidth 1',
      '',
      '⚠️ Result unknown now: <b>1</b>',
      '',
      "<i>Invoices count when paid, at their TRX price. Withdrawals and failed or refunded orders don't count. Smart Mode counts with the fee at its start only.</i>",
      '<i>As of 12:00:04 UTC.</i>',
    ]);
    expect(chat.data().slice(0, 5)).toEqual([
      ...['operations:last:1', 'operations:last:7', 'operations:last:30'],
      ...['operations:last:1', 'unresolved:open'],
    ]);
    await chat.tapShown('operations:last:30');
    expect(chat.html()).toContain(
      '30 days to 2 June (UTC)\n\nSpent by users: <b>9.28 TRX</b> (not your income)',
    );
    expect(chat.html()).toContain('⚡ Energy       2  4.64\n');
    await chat.tapShown('operations:last:31');
    expect(chat.html()).toContain('today, 2 June');
  });

  test('leave withdrawals out of the turnover, mark estimates, and name what admins spent', async () => {
    const chat = await openAsAdmin();
    const figure = (kind: string, name: string) => {
      if (kind === 'withdrawal') return { done: 1, sun: 13_500_000 }[name] ?? 0;
      if (kind === 'bandwidth') return { done: 2, estimatedSun: 340_000 }[name] ?? 0;
      const energy = { done: 9, sun: 4_640_000, operatorSun: 2_320_000, unclear: 2 }[name] ?? 0;
      return kind === 'activation' ? ({ done: 3, unpriced: 3 }[name] ?? 0) : kind === 'energy' ? energy : 0;
    };
    const figures = { during: async () => figure };
    const operations = { ...chat.setup.operations, figures };
    const full = await openChat('en', { admins: new Set([USER]), operations });
    await full.write('/operations');
    full.shows(
      'Spent by users: <b>≈ 2.66 TRX</b> (not your income)',
      'Spent by admins from the operator account: <b>2.32 TRX</b>',
      "↩️ Money came back for some of these; that amount isn't counted: ⚡ Energy 2",
      '❔ Done, price unknown, no amount counted: 3',
      "≈ Partly card prices: the service didn't say what it charged.",
    );
    expect(full.html()).toMatch(/Withdrawals +1 +13\.50/);
    expect(full.html()).toMatch(/Bandwidth +2 +≈ 0\.34/);
    expect(full.html()).toMatch(/Activation +3 +\?/);
  });

  test.each(LANGUAGES)(
    'say so if there are none, and fit one message with every kind (%s)',
    async (language) => {
      const chat = await openAsAdmin(language);
      await chat.expectReply('/operations', chat.words.html('operations-none'));
      const figures = { during: async () => () => 1e15 };
      const operations = { ...chat.setup.operations, figures };
      const full = await openChat(language, { admins: new Set([USER]), operations });
      await full.write('/operations');
      expectWithinLimits(full.last());
      const [, table = ''] = /<pre>(.*)<\/pre>/s.exec(full.html()) ?? [];
      expect(table.split('\n').length).toBe(1 + chat.setup.operations.kinds.all.length - 1);
    },
  );
});

test.each([
  ['operator-key-refused', 'Payments are open, but guests get no invoices.'],
  ['operator-account-changed', "Payments are open, but older invoices of guests can't be tracked."],
  ['service-failing', 'Payments are open, but purchases and invoices may fail.'],
] as const)('qualifies open payments while the service is not usable (%s)', async (problem, shown) => {
  const values = { detail: '401 KEY', status: 503, before: '1000', now: '1002' };
  const found = { ...problemOf(problem, 'error'), values, check: 'service' };
  const texts = await stateLines({
    state: { ...WELL, health: { checks: [1], problems: async () => [found] } },
  });
  expect(texts[1]).toBe(`⚠️ <b>${shown}</b> The health checks below say why`);
});

test('shows the amounts of an entry as the language of the admin writes them', async () => {
  const chat = await openAsAdmin('ru');
  await chat.deps.adminLog.add(USER, 'operator-cap', '100.00 → 5.00 TRX');
  await chat.write('/log');
  chat.shows('100,00 → 5,00 TRX');
});

test.each(LANGUAGES)('each admin action has a distinct text in %s', async (language) => {
  const chat = await openAsAdmin(language);
  const texts = ADMIN_ACTIONS.map((act) => chat.words.html(`admin-act-${act}`));
  expect(new Set(texts).size).toBe(ADMIN_ACTIONS.length);
  expect(texts.join()).not.toMatch(/[{}]/);
});

test('lists actions with admin, target and time, latest first, or says that there are none', async () => {
  const chat = await openAsAdmin();
  await chat.expectReply('/log', 'Nothing in the last 90 days.');
  expect(chat.data()).toEqual(['menu:admin', 'menu:open']);
  await chat.users.recordActivity(504, 'en', undefined, 'Ann_5');
  await chat.deps.adminLog.add(504, 'person-banned', '501');
  await chat.users.recordActivity(503, 'en', undefined, 'Bob_6');
  await chat.deps.adminLog.add(504, 'person-export-asked', '503');
  chat.setup.clock.now += 60_000;
  await chat.deps.adminLog.add(USER, 'maintenance-on');
  await chat.write('/log');
  expect(chat.html().split('\n')).toEqual([
    '<b>📜 Admin actions</b>',
    '',
    `<i>1 Jun, 12:01 UTC</i> · admin <code>${USER}</code>`,
    'Turned maintenance mode on',
    '',
    '<i>1 Jun, 12:00 UTC</i> · admin <code>504</code> @Ann_5',
    "Asked to export a user's data · <code>503</code> @Bob_6",
    '',
    '<i>1 Jun, 12:00 UTC</i> · admin <code>504</code> @Ann_5',
    'Suspended a user · <code>501</code>',
  ]);
});

test.each([
  ['en', 'Everyone: 4', 'Active in 7 days: 2'],
  ['ru', 'Все: 4', ': 2'],
] as const)(
  'names the audience and time of a broadcast in the language of the admin, without its id (%s)',
  async (language, ...named) => {
    const chat = await openAsAdmin(language);
    for (const about of [
      'everybody: 4, 2025-06-02 09:30 UTC, a1b2-c3d4e5f6',
      'active 7 d: 2',
      'language ru, a1b2c3d4e5f6',
    ])
      await chat.deps.adminLog.add(USER, 'broadcast-started', about);
    await chat.write('/log');
    chat.shows(...named, chat.words.plain('making-audience', { who: 'ru', days: '' }));
    expect(chat.html()).not.toMatch(/everybody|active 7|language|2025-06|a1b2/);
  },
);

test.each(LANGUAGES)(
  'shows ten entries per page, however long their targets are, in %s',
  async (language) => {
    const chat = await openAsAdmin(language);
    const { adminLog } = chat.deps;
    for (let count = 0; count < 25; count += 1) {
      chat.setup.clock.now += 1;
      await adminLog.add(10_000_000_000, 'operation-not-done', `${count} <b>\u202e${'🙈'.repeat(300)}`);
    }
    await chat.write('/log');
    const numbers = () =>
      [...chat.html().matchAll(/<code>(\d+) &#60;b&#62;/g)].map(([, number]) => Number(number));
    const tap = (way: string) => chat.tapShown(chat.dataWith(way));
    expect(numbers()).toEqual([24, 23, 22, 21, 20, 19, 18, 17, 16, 15]);
    expectWithinLimits(chat.last());
    const message = chat.lastMessage();
    // A new entry doesn't shift the pages.
    await adminLog.add(USER, 'maintenance-on');
    await tap('admin-log:older');
    expect(numbers()).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
    expectWithinLimits(chat.last());
    await tap('admin-log:older');
    expect(numbers()).toEqual([4, 3, 2, 1, 0]);
    expect(chat.data().join()).not.toContain('older');
    expect(chat.lastMessage()).toBe(message);
    await tap('admin-log:open');
    expect(numbers()).toHaveLength(9);
    await chat.tapShown('admin-log:older:made-up');
    expect(numbers()).toHaveLength(9);
  },
);
