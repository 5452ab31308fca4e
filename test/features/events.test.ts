import { describe, expect, test, vi } from 'vitest';
import type { FeatureDeps } from '../../src/bot/feature.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import {
  createEventMetrics,
  type DailyEventMetrics,
  REJECTION_REASONS,
} from '../../src/notifications/event-metrics.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { START } from '../operations/operations-setup.ts';
import { NO_OPERATOR } from '../support/no-operator.ts';
import { openChat } from './chat.ts';

const DAY_MS = 24 * 3600_000;
const OPERATOR = 1000;
const OPERATORS = { ...NO_OPERATOR, account: async () => OPERATOR };
const NONE = Object.fromEntries(
  REJECTION_REASONS.map((reason) => [reason, 0]),
) as DailyEventMetrics['rejected'];
const QUIET: DailyEventMetrics = {
  ...{ received: 0, recovered: 0, duplicates: 0, rejected: NONE, events: [], rejections: [] },
  ...{ handledMs: undefined, sentMs: undefined },
};
const at = (time: string) => Date.parse(`2025-06-01T${time}Z`);

const openEvents = (
  events: Partial<DailyEventMetrics> = {},
  { language = 'en', ...more }: Partial<FeatureDeps> & { language?: (typeof LANGUAGES)[number] } = {},
) =>
  openChat(language, {
    isAdmin: () => true,
    eventMetrics: { readDay: async () => ({ ...QUIET, ...events }) },
    operator: OPERATORS,
    ...more,
  });

/** Returns the lines of the events screen for these figures. */
async function shown(...given: Parameters<typeof openEvents>) {
  const chat = await openEvents(...given);
  await chat.write('/events');
  expectWithinLimits(chat.last());
  return chat.last().html.split('\n');
}

describe('the figures of a day', () => {
  test('show received, recovered, duplicate and rejected events, most frequent reasons first', async () => {
    const rejected = { ...NONE, signature: 1, hook: 1_200, old: 2 };
    const figures = await shown({ received: 1_204, recovered: 3, duplicates: 7, rejected });
    expect(figures.slice(0, 10)).toEqual([
      '<b>📡 Events</b> · 1 June, today (UTC)',
      '',
      '✅ New events that the service sent: <b>1,204</b>',
      '🔎 Events that never arrived, but stood in its log: <b>3</b>',
      '🔁 Events sent once more, and left alone: <b>7</b>',
      '⚠️ Requests refused, from anybody: <b>1,203</b>',
      '   1,200 · to an address that no account has',
      '   2 · of more than 30 days ago',
      '   1 · not signed by the service',
      '',
    ]);
  });

  test('have a distinct text for each rejection reason, in both languages', async () => {
    for (const language of LANGUAGES) {
      const all = Object.fromEntries(
        REJECTION_REASONS.map((reason) => [reason, 1]),
      ) as DailyEventMetrics['rejected'];
      const said = (await shown({ rejected: all }, { language })).filter((line) => /^ +1 · /.test(line));
      expect(new Set(said).size).toBe(REJECTION_REASONS.length);
      expect(said.join()).not.toContain('{');
    }
  });

  test.each([
    [undefined, 'nothing yet'],
    [{ median: 100, p99: 100 }, 'nearly all within 0.1 s'],
    [{ median: 500, p99: 5_000 }, 'half within 0.5 s, nearly all within 5 s'],
    [{ median: 1_000, p99: 300_000 }, 'half within 1 s, nearly all within 5 min'],
    [{ median: 30_000, p99: Number.MAX_SAFE_INTEGER }, 'half within 30 s, nearly all in more than 5 min'],
  ])('show the delay %j as: %s', async (spread, says) => {
    expect(await shown({ handledMs: spread })).toContain(`⏱ Events worked through after they came: ${says}`);
    expect(await shown({ sentMs: spread })).toContain(`⏱ Notices sent to people after that: ${says}`);
  });

  test.each([
    [{ chats: 0, isMore: false, oldestMs: undefined }, 'none'],
    [{ chats: 1, isMore: false, oldestMs: 59_999 }, '<b>1</b>, the oldest of them for less than a minute'],
    [{ chats: 2, isMore: false, oldestMs: undefined }, '<b>2</b>, the oldest of them for less than a minute'],
    [
      { chats: 100, isMore: true, oldestMs: 60_000 * 12 },
      '<b>more than 100</b>, the oldest of them for 12 min',
    ],
  ])('show the notification backlog %j as: %s', async (waits, says) => {
    expect(await shown({}, { readOutboxBacklog: async () => waits })).toContain(
      `📤 Chats to which notices are still to be sent: ${says}`,
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
    const says = await shown({ events, rejections });
    expect(says.slice(says.indexOf('<b>Latest events</b>'), -2)).toEqual([
      '<b>Latest events</b>',
      '09:31:00 🔎 Deposit credited · account 1002',
      '09:30:05 ✅ Order delivered · account 1001',
      '09:30:00 ✅ Type: <code>promo.won</code> · account 1001',
      '',
      '<b>Latest refused requests</b>',
      '08:00:01 too long for an event',
      '08:00:00 signed, but no event',
    ]);
  });

  test('are merged into one line if identical within one second', async () => {
    const rejections = Array.from({ length: 10 }, (_, n) => ({
      at: at(n < 8 ? '08:00:00' : '08:00:01'),
      reason: 'rate' as const,
    }));
    const says = await shown({ rejections });
    expect(says.filter((line) => line.includes('too many within one second'))).toEqual([
      '08:00:01 too many within one second ×2',
      '08:00:00 too many within one second ×8',
    ]);
  });

  test.each(LANGUAGES)('escape and truncate types and fit one message in %s', async (language) => {
    const type = `<b>&"\u202e${'<&>'.repeat(30)}`;
    const events = Array.from({ length: 10 }, (_, n) => ({
      ...{ at: START + n * 1_000, account: Number.MAX_SAFE_INTEGER, type, source: 'log' },
    }));
    const rejections = REJECTION_REASONS.concat(REJECTION_REASONS).map((reason, n) => ({
      at: START + n * 1_000,
      reason,
    }));
    const rejected = Object.fromEntries(
      REJECTION_REASONS.map((reason) => [reason, 1e15]),
    ) as DailyEventMetrics['rejected'];
    const spread = { median: 30_000, p99: Number.MAX_SAFE_INTEGER };
    const worst = { received: 1e15, recovered: 1e15, duplicates: 1e15, rejected, events, rejections };
    const says = await shown(
      { ...worst, handledMs: spread, sentMs: spread },
      {
        ...{ language, readOutboxBacklog: async () => ({ chats: 100, isMore: true, oldestMs: 1e12 }) },
      },
    );
    const line = says.find((one) => one.includes('<code>')) ?? '';
    expect(line).toContain('<code>&#60;b&#62;&#38;&#34; ');
    expect(line).toContain('…</code>');
    expect(line).not.toContain('\u202e');
    expect(says.join('\n').length).toBeLessThan(4_096);
  });
});

describe('the events screen', () => {
  test('is refreshed in place and shows yesterday on a tap', async () => {
    const eventMetrics = { readDay: vi.fn(async () => QUIET) };
    const chat = await openEvents({}, { eventMetrics });
    await chat.write('/events');
    const message = chat.lastMessage();
    expect(buttonsOf(chat.last())).toMatchObject({
      '↻ Refresh': 'events:today',
      Yesterday: 'events:yesterday',
    });
    expect(chat.last().html).toContain('As of 12:00:00.');
    chat.setup.clock.now += 61_000;
    await chat.tap('events:today', { message, carried: true });
    expect(chat.last().html).toContain('As of 12:01:01.');
    await chat.tap('events:yesterday', { message, carried: true });
    expect(chat.last().html).toContain('31 May, yesterday (UTC)');
    expect(chat.last().html).not.toContain('Chats to which');
    expect(buttonsOf(chat.last())).toMatchObject({ '↻ Refresh': 'events:yesterday', Today: 'events:today' });
    expect(eventMetrics.readDay.mock.calls).toEqual([[START], [START + 61_000], [START + 61_000 - DAY_MS]]);
    const edited = chat.calls.filter(({ method }) => method === 'editMessageText');
    expect(edited.map(({ payload }) => payload.message_id)).toEqual([message, message]);
  });

  test('shows the figures of yesterday only under Yesterday', async () => {
    const clock = { now: START - DAY_MS };
    const eventMetrics = createEventMetrics({
      storage: createMemoryStorage({ now: () => clock.now }),
      now: () => clock.now,
    });
    eventMetrics.eventReceived(1001, 'order.filled', 'webhook');
    await eventMetrics.readDay(clock.now);
    clock.now = START;
    const chat = await openEvents({}, { eventMetrics });
    await chat.write('/events');
    expect(chat.last().html).toContain('✅ New events that the service sent: <b>0</b>');
    await chat.tap('events:yesterday', { carried: true });
    expect(chat.last().html).toContain('✅ New events that the service sent: <b>1</b>');
  });

  test('shows whether alerts of the operator account are on, with a button to change it', async () => {
    const chat = await openEvents();
    await chat.write('/events');
    expect(chat.last().html).toContain(`Service reports of the operator's account ${OPERATOR}: <b>off</b>`);
    expect(buttonsOf(chat.last())).toMatchObject({
      "Turn on the operator's service reports": 'reports:operator',
    });
    await chat.webhookSubscriptions.activate('a-hook', OPERATOR, 'a-secret');
    await chat.tap('events:today', { carried: true });
    expect(chat.last().html).toContain(`Service reports of the operator's account ${OPERATOR}: <b>on</b>`);
    expect(buttonsOf(chat.last())).toMatchObject({
      "Turn off the operator's service reports": 'reports:operator-off:events',
    });
  });

  test.each([
    ['without a key of the operator', { operatorKey: undefined }],
    ['without a public address', { hookUrl: undefined }],
  ])('omits the operator account %s', async (_, without) => {
    const chat = await openEvents({}, without);
    await chat.write('/events');
    expect(chat.last().html).not.toContain('operator');
    expect(Object.values(buttonsOf(chat.last()))).not.toContain('reports:operator');
  });

  test('says so if the service does not name the operator account or hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const account of [async () => undefined, () => new Promise<undefined>(() => {})]) {
        const chat = await openEvents({}, { operator: { ...OPERATORS, account } });
        const writing = chat.write('/events');
        await vi.advanceTimersByTimeAsync(1_500);
        await writing;
        expect(chat.last().html).toContain("doesn't tell just now which account is the operator's");
        expect(Object.values(buttonsOf(chat.last()))).toEqual([
          ...['events:today', 'events:yesterday', 'menu:admin', 'menu:open'],
        ]);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});
