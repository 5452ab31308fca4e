import { describe, expect, test, vi } from 'vitest';
import type { FeatureDeps } from '../../src/bot/feature.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { createRecentCalls } from '../../src/platform/recent-calls.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { START, USER } from '../operations/operations-setup.ts';
import { openChat } from './chat.ts';

type Language = (typeof LANGUAGES)[number];

const MINUTE = 60_000;
const CALLS = createRecentCalls({ now: () => START }).seen();
const away = () => Promise.reject(new Error('away'));
const never = () => new Promise<never>(() => {});
/** Dependencies of the state screen if every read fails. */
const UNREAD: FeatureDeps['state'] = {
  ...{ version: '1.2.3', startedAt: START, rental: () => CALLS, telegram: () => CALLS },
  storage: { ping: away, durability: away, fsyncPolicy: away, replicas: away },
  overdue: { operations: away, invoices: away, jobs: away },
};
/** Dependencies of the state screen if everything works. */
const WELL: FeatureDeps['state'] = {
  ...{ version: '1.2.3', startedAt: START - 26 * 60 * MINUTE, rental: () => CALLS, telegram: () => CALLS },
  storage: {
    ping: async () => {},
    durability: async () => ({ durable: true }),
    fsyncPolicy: async () => 'always',
    replicas: async () => 2,
  },
  overdue: {
    operations: async () => undefined,
    invoices: async () => undefined,
    jobs: async () => undefined,
  },
};

const openAs = (more: Partial<FeatureDeps> = {}, language: Language = 'en') =>
  openChat(language, { isAdmin: () => true, state: WELL, ...more });

async function shown(...given: Parameters<typeof openAs>) {
  const chat = await openAs(...given);
  await chat.write('/state');
  expectWithinLimits(chat.last());
  expect(chat.last().html).not.toMatch(/undefined|NaN|\{|\}|null/);
  return chat.last().html.split('\n');
}

describe('the state screen', () => {
  test('shows all figures if everything works', async () => {
    expect(await shown()).toEqual([
      '<b>🩺 State</b>',
      '💰 Money is taken.',
      '🚧 Maintenance mode: off',
      '',
      '<b>Rental service</b>, as this process sees it',
      '✅ Last answer: none since the start',
      '⚠️ Last failure: none since the start',
      '📈 Within 5 min: no call',
      '',
      '<b>Telegram</b>, as this process sees it',
      '✅ Last answer: none since the start',
      '⚠️ Last failure: none since the start',
      '📈 Within 5 min: no call',
      '',
      '<b>Storage</b>',
      expect.stringMatching(/^⏱ Answers within \d+ ms$/),
      '💾 What is written outlives a crash',
      '🔁 Redis replicas that follow it: 2',
      '',
      '<b>What waits</b>',
      '💸 Confirmed operations: 0 under way, 0 of unknown outcome',
      '📤 Chats to which notices are still to be sent: none',
      '⏳ Operations to be looked at: none is late',
      '⏳ Invoices to be asked for: none is late',
      '⏳ Jobs without a worker: none is late',
      '',
      '<b>This process</b>: version 1.2.3, up for 26 h',
      '',
      expect.stringMatching(/^<i>As of \d\d:\d\d:\d\d\.<\/i>$/),
    ]);
  });

  test('shows problems with figures and escapes texts of others', async () => {
    const rental = createRecentCalls({ now: () => START });
    rental.note({ kind: 'answered', ms: 83.4 });
    rental.note({ kind: 'limited', ms: 84 });
    rental.note({ kind: 'failed', why: 'HTTP <b>503' });
    const said = await shown({
      readOutboxBacklog: async () => ({ chats: 3, isMore: false, oldestMs: 5 * MINUTE }),
      paymentsGate: {
        closed: async () => undefined,
        closedNow: async () => ({ by: 'storage', why: 'appendonly <off>' }),
      },
      state: {
        ...WELL,
        rental: () => ({ ...rental.seen(), lastSuccessAt: START - 3 * MINUTE }),
        storage: { ...WELL.storage, durability: async () => ({ durable: false, why: 'appendonly <off>' }) },
        overdue: {
          operations: async () => 90_000,
          invoices: async () => 3 * MINUTE,
          jobs: async () => 49 * 60 * MINUTE,
        },
      },
    });
    for (const line of [
      '⛔ <b>No money is taken:</b> <code>appendonly &#60;off&#62;</code>',
      '✅ Last answer: 3 min ago',
      '⚠️ Last failure: 0 s ago, <code>HTTP &#60;b&#62;503</code>',
      '📈 Within 5 min: calls 3, failed 1, 429 1, half of them answered within 83 ms',
      '⚠️ What is written may be lost: <code>appendonly &#60;off&#62;</code>',
      '📤 Chats to which notices are still to be sent: <b>3</b>, the oldest of them for 5 min',
      '⏳ Operations to be looked at: the oldest has waited for 90 s',
      '⏳ Invoices to be asked for: the oldest has waited for 3 min',
      '⏳ Jobs without a worker: the oldest has waited for 2 d',
    ]) {
      expect(said).toContain(line);
    }
  });

  test.each([
    ['everysec', 'a power loss would lose the last second of data'],
    ['no', 'a power loss would lose the last half minute'],
    [
      'unknown',
      "Can't check what a power loss would lose: Redis refuses <code>CONFIG GET appendfsync</code>",
    ],
  ] as const)('warns of the data loss after a power failure with appendfsync %s', async (policy, risk) => {
    const storage = { ...WELL.storage, fsyncPolicy: async () => policy };
    const line = (await shown({ state: { ...WELL, storage } })).find((one) => one.includes(risk));
    expect(line).toContain('Set <code>appendfsync always</code>');
  });

  test.each(LANGUAGES)('shows each unreadable figure as unreadable, never as 0, in %s', async (language) => {
    const chat = await openAs({ state: UNREAD, readOutboxBacklog: away }, language);
    vi.spyOn(chat.deps.operations, 'pendingSummary').mockImplementation(away);
    vi.spyOn(chat.deps.paymentsGate, 'closedNow').mockImplementation(away);
    vi.spyOn(chat.deps.maintenance, 'find').mockImplementation(away);
    await chat.write('/state');
    const { words } = chat;
    for (const line of [
      words.html('state-money', { by: 'unread' }),
      words.html('state-maintenance', { is: 'unread' }),
      words.html('state-ping', { is: 'unread' }),
      words.html('state-durability', { is: 'unread' }),
      words.html('state-replicas', { is: 'unread' }),
      words.html('state-under-way', { is: 'unread' }),
      words.html('state-outbox-unread'),
      ...['operations', 'invoices', 'jobs'].map((queue) =>
        words.html('state-overdue', { queue, is: 'unread' }),
      ),
    ]) {
      expect(chat.last().html.split('\n')).toContain(line);
    }
    expect(chat.last().html.split(words.html('state-storage'))[1]?.split('1.2.3')[0]).not.toContain('0');
    expectWithinLimits(chat.last());
    // The mode is unknown, so both buttons are shown.
    expect(Object.values(buttonsOf(chat.last()))).toEqual(
      expect.arrayContaining(['state:ask-on', 'state:ask-off']),
    );
  });

  test('waits at most two seconds for a figure', async () => {
    const chat = await openAs({ state: { ...WELL, overdue: { ...WELL.overdue, jobs: never } } });
    vi.useFakeTimers();
    const writing = chat.write('/state');
    await vi.advanceTimersByTimeAsync(2_000);
    await writing;
    vi.useRealTimers();
    expect(chat.last().html).toContain('Jobs without a worker: unreadable');
  });

  test('is updated in the same message by Refresh', async () => {
    const chat = await openAs();
    await chat.write('/state');
    const message = chat.lastMessage();
    chat.setup.clock.now += 5 * MINUTE;
    await chat.tap('state:open', { carried: true });
    expect(chat.lastMessage()).toBe(message);
    expect(chat.calls.findLast(({ method }) => method === 'editMessageText')?.payload.message_id).toBe(
      message,
    );
    expect(chat.last().html).toContain('26 h');
  });

  test('counts confirmed operations without an outcome', async () => {
    const chat = await openAs();
    await chat.setup.lost();
    await chat.setup.claimed();
    await chat.write('/state');
    expect(chat.last().html).toContain('1 under way, 1 of unknown outcome');
  });
});

describe('switching maintenance mode', () => {
  test.each(LANGUAGES)('explains and asks for confirmation first, in %s', async (language) => {
    const chat = await openAs({}, language);
    const { words, deps } = chat;
    await chat.write('/state');
    await chat.tap('state:ask-on', { carried: true });
    expect(chat.last().html).toBe(words.html('maintenance-ask-on'));
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['state:turn-on', 'state:open']);
    expectWithinLimits(chat.last());
    expect(await deps.maintenance.find()).toBeUndefined();
    await chat.tap('state:turn-on', { carried: true });
    expect(await deps.maintenance.find()).toEqual({ since: chat.setup.clock.now, admin: USER });
    expect(chat.last().html).toContain(words.html('maintenance-turned-on', { was: 'no' }));
    expect(chat.last().html).toContain(words.html('state-money', { by: 'maintenance' }));
    expect(chat.last().html).toMatch(new RegExp(`🚧 .*1 .*12:00 UTC.*<code>${USER}</code>`));
    expectWithinLimits(chat.last());
    await chat.tap('state:ask-off', { carried: true });
    expect(chat.last().html).toBe(words.html('maintenance-ask-off'));
    await chat.tap('state:turn-off', { carried: true });
    expect(await deps.maintenance.find()).toBeUndefined();
    expect(chat.last().html).toContain(words.html('maintenance-turned-off', { was: 'no' }));
    expect(chat.last().html).toContain(words.html('state-money', { by: 'open' }));
  });

  test('notifies the other admins and is logged once per change', async () => {
    const notifyMaintenanceChange = vi.fn(async () => {});
    const chat = await openAs({ notifyMaintenanceChange });
    for (const data of ['state:turn-on', 'state:turn-on', 'state:turn-off', 'state:turn-off']) {
      chat.setup.clock.now += 1;
      await chat.tap(data);
    }
    expect(notifyMaintenanceChange.mock.calls).toEqual(
      ['on', 'off'].map((turn) => [{ turn, admin: USER, id: expect.any(String) }]),
    );
    const noted = await chat.deps.adminLog.latest(10);
    expect(noted.map(({ action: act, admin }) => [act, admin])).toEqual([
      ['maintenance-off', USER],
      ['maintenance-on', USER],
    ]);
    expect(chat.last().html).toContain(chat.words.html('maintenance-turned-off', { was: 'yes' }));
  });

  test('notifies with the same id when the update is repeated after a failure', async () => {
    const notifyMaintenanceChange = vi.fn(async (_turned: { id: string }) => {});
    notifyMaintenanceChange.mockRejectedValueOnce(new Error('the storage is away'));
    const chat = await openAs({ notifyMaintenanceChange });
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
  test('opens by its command and shows no problems if everything works', async () => {
    const chat = await openAs();
    await chat.write('/admin');
    expect(chat.last().html).toBe(chat.words.html('menu-admin'));
    expect(Object.values(buttonsOf(chat.last()))).toContain('state:open');
  });

  test.each(LANGUAGES)('shows problems first, in %s', async (language) => {
    const rental = createRecentCalls({ now: () => START });
    for (const why of ['HTTP 500', 'no connection: ECONNREFUSED']) rental.note({ kind: 'failed', why });
    const chat = await openAs({ state: { ...WELL, rental: rental.seen } }, language);
    await chat.setup.lost();
    await chat.deps.maintenance.turnOn(USER);
    await chat.write('/admin');
    const { words } = chat;
    expect(chat.last().html.split('\n')).toEqual([
      words.html('menu-admin'),
      '',
      words.html('admin-uncertain', { count: 1, more: 'no' }),
      words.html('admin-maintenance'),
      words.html('admin-rental-away', { why: 'no connection: ECONNREFUSED' }),
    ]);
    expectWithinLimits(chat.last());
  });

  test('shows blocked payments and unreadable figures, but not a single service failure', async () => {
    const rental = createRecentCalls({ now: () => START });
    rental.note({ kind: 'failed', why: 'HTTP 500' });
    const closed = async () => ({ by: 'data-lost', why: 'lost' }) as const;
    const chat = await openAs({
      state: { ...WELL, rental: rental.seen },
      paymentsGate: { closed, closedNow: closed },
    });
    vi.spyOn(chat.deps.operations, 'pendingSummary').mockImplementation(away);
    await chat.tap('menu:admin', { carried: true });
    const { words } = chat;
    expect(chat.last().html.split('\n').slice(2)).toEqual([
      words.html('admin-no-money'),
      words.html('admin-unread'),
    ]);
  });
});
