import { describe, expect, test } from 'vitest';
import { createProgress, progressView } from '../../src/broadcasts/progress.ts';
import { durationMs } from '../../src/broadcasts/send.ts';
import { type Broadcast, STATES } from '../../src/broadcasts/store.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Content, Sent } from '../../src/telegram/sender.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';

const [MAKER, SECOND, THIRD] = [504, 505, 506];

/** Opens progress reporters on one storage and records their Telegram calls. */
function openProgress() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const calls: { how: 'send' | 'edit'; chat: number; message: number; html: string; at: number }[] = [];
  const answers: Sent[] = [];
  const open = (admins = [MAKER, SECOND, THIRD]) => {
    const call = (how: 'send' | 'edit', chat: number, message: number, { html }: Content): Sent => {
      calls.push({ how, chat, message, html, at: clock.now });
      return answers.shift() ?? { kind: 'sent', messageId: message };
    };
    return createProgress({
      records: signedRecords(storage),
      users: { find: async () => undefined },
      sender: {
        send: async (chat: number, content: Content) => call('send', chat, chat * 10, content),
        edit: async (chat: number, message: number, content: Content) => call('edit', chat, message, content),
      },
      texts: TEXTS,
      admins: new Set(admins),
      view: (_, { settled, state }) => ({ html: `${state} ${settled}`, keyboard: [] }),
      async wait(ms: number) {
        clock.now += ms;
      },
      now: () => clock.now,
      log: silentLog(),
    });
  };
  return { clock, calls, answers, open };
}

const at = (settled: number, state: Broadcast['state'] = 'sending') =>
  ({ id: 'b1', admin: MAKER, settled, state }) as Broadcast;

test('keeps one message per admin, reusing the confirmation message of the creator', async () => {
  const { calls, open } = openProgress();
  const progress = open();
  await progress.addMessage('b1', MAKER, 77);
  await progress.sendToAdmins(at(0));
  await progress.sendToAdmins(at(0));
  expect(calls.map(({ how, chat }) => [how, chat])).toEqual([
    ['send', SECOND],
    ['send', THIRD],
  ]);
  await progress.updateFinally(at(9));
  expect(calls.slice(2).map(({ how, chat, message }) => [how, chat, message])).toEqual([
    ['edit', MAKER, 77],
    ['edit', SECOND, SECOND * 10],
    ['edit', THIRD, THIRD * 10],
  ]);
});

test('edits at most every three seconds and shows the result at the end', async () => {
  const { clock, calls, open } = openProgress();
  const progress = open();
  await progress.addMessage('b1', MAKER, 77);
  for (let settled = 1; settled <= 300; settled += 1) {
    progress.update(at(settled));
    clock.now += 100;
    await new Promise(setImmediate);
  }
  expect(calls.length).toBeGreaterThanOrEqual(9);
  const gaps = calls.slice(1).map((call, one) => call.at - (calls[one]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000);
  await progress.updateFinally(at(300, 'done'));
  expect(calls.at(-1)?.html).toBe('done 300');
});

test('another process continues in the same messages', async () => {
  const { calls, open } = openProgress();
  const first = open();
  await first.addMessage('b1', MAKER, 77);
  await first.sendToAdmins(at(0));
  const next = open();
  await next.sendToAdmins(at(5));
  await next.updateFinally(at(5, 'done'));
  const edited = calls.filter(({ how }) => how === 'edit');
  expect(calls.filter(({ how }) => how === 'send')).toHaveLength(2);
  expect(edited.map(({ message }) => message)).toEqual([77, SECOND * 10, THIRD * 10]);
});

test('retries the final edit when Telegram delays or is unavailable', async () => {
  const { calls, answers, open } = openProgress();
  const progress = open();
  await progress.addMessage('b1', MAKER, 77);
  answers.push({ kind: 'later', afterMs: 500 }, { kind: 'away', reason: 'x' });
  await progress.updateFinally(at(300, 'done'));
  expect(calls.map(({ html }) => html)).toEqual(['done 300', 'done 300', 'done 300']);
});

test('does not edit the messages of former admins', async () => {
  const { calls, open } = openProgress();
  await open().addMessage('b1', SECOND, 77);
  await open([MAKER]).updateFinally(at(300, 'done'));
  expect(calls).toEqual([]);
});

const NOW = Date.UTC(2026, 10, 1, 12);
const texts = TEXTS;

const broadcast = (changes: Partial<Broadcast> = {}): Broadcast => ({
  ...{
    id: 'b1',
    admin: 504,
    audience: { who: 'everybody' },
    state: 'sending',
    deferred: [],
    openAttempts: [],
  },
  contents: { default: { chat: 504, message: 9, buttons: [], hash: 'h' } },
  ...{ createdAt: NOW, startAt: NOW, begunAt: NOW, total: 100_000, settled: 25_000, sent: 24_000 },
  ...{ blocked: 700, deactivated: 200, unreachable: 50, failed: 30, unknown: 5, skipped: 15 },
  ...{ rateLimitHits: 2, takeovers: 1, sendingMs: 1_000_000, waitUntil: NOW + 12_000 },
  ...{ activeAt: NOW, revision: 3 },
  ...changes,
});

describe.each(LANGUAGES)('in %s', (language) => {
  const view = (changes?: Partial<Broadcast>) => progressView(texts.in(language), broadcast(changes), NOW);

  test.each(STATES)('the view of state %s fits a message and has its own wording', (state) => {
    expectWithinLimits(view({ state }));
    expect(view({ state }).html).not.toMatch(/undefined|NaN|\{|\}/);
    const first = (of: Broadcast['state']) => view({ state: of }).html.split('\n')[0];
    expect(STATES.filter((other) => first(other) === first(state))).toEqual([state]);
  });

  test.each(['everybody', 'holders', 'guests', 'merchants', 'me'] as const)(
    'distinguishes the audience %s from active users',
    (who) => {
      expect(view({ audience: { who } }).html).not.toBe(view({ audience: { who: 'active', days: 7 } }).html);
    },
  );

  test.each(['admin', 'gone', 'refused', 'former-admin', 'outdated'] as const)(
    'fits a message and escapes the reason of a pause: %s',
    (why) => {
      const held = view({ state: 'paused', pause: { why, by: 505, reason: 'Bad <b>Request</b>' } });
      expectWithinLimits(held);
      expect(held.html).not.toContain('<b>Request</b>');
    },
  );
});

const english = (changes?: Partial<Broadcast>) => progressView(texts.in('en'), broadcast(changes), NOW);

test('shows progress, rate, results and the remaining time', () => {
  const { html } = english();
  for (const part of [
    '▰▰▰▱▱▱▱▱▱▱▱▱ 25 %',
    '<b>25,000</b> of <b>100,000</b>',
    'Sent: 24,000',
    'Blocked the bot: 700',
  ])
    expect(html).toContain(part);
  for (const part of [
    '25.0 a second, about 50 min left',
    'not sent again: 5',
    'Slowed down by Telegram: 2 times, 12 s',
  ])
    expect(html).toContain(part);
});

test('shows a bar that has begun as soon as a user was sent to', () => {
  const cells = (settled: number) => /[▰▱]+/.exec(english({ settled, deferred: [] }).html)?.[0];
  expect([0, 1, 7_000, 100_000].map(cells)).toEqual([
    '▱'.repeat(12),
    `▰${'▱'.repeat(11)}`,
    `▰${'▱'.repeat(11)}`,
    '▰'.repeat(12),
  ]);
});

test('does not count deferred users as settled', () => {
  expect(english({ settled: 100_000, deferred: [3, 4] }).html).toContain('<b>99,998</b> of <b>100,000</b>');
});

test('shows a full bar at the end, also for an empty audience, and no control buttons', () => {
  for (const total of [0, 100_000]) {
    const ended = english({ state: 'done', total, settled: total, endedAt: NOW + 3_600_000 });
    expect(ended.html).toContain(`${'▰'.repeat(12)} 100 %`);
    expect(ended.html).toContain('Took 60 min');
    expect(Object.values(buttonsOf(ended))).toEqual(['menu:open']);
    expect(english({ state: 'done', total, settled: total, endedAt: NOW + 3_000 }).html).toContain(
      'Took under a minute',
    );
  }
});

test('names who stopped or cancelled it, and how many users are expected before it starts', () => {
  const stopped = { state: 'stopped', stoppedBy: 505, endedAt: NOW } as const;
  expect(english(stopped).html).toContain('Stopped by: <code>505</code>');
  expect(english({ ...stopped, begunAt: undefined }).html).toContain('Cancelled by: <code>505</code>');
  const scheduled = english({ state: 'scheduled', begunAt: undefined, total: 12_345 });
  expect(scheduled.html).toContain('Users: <b>12,345</b>, counted again at the start');
  expect(english().html).not.toMatch(/Users:|Stopped|Cancelled/);
});

test('offers only the buttons that the state allows', () => {
  const ways = (state: Broadcast['state']) =>
    Object.values(buttonsOf(english({ state }))).filter((data) => data.startsWith('broadcast:'));
  expect(ways('sending')).toEqual(['broadcast:pause:b1', 'broadcast:stop:b1']);
  expect(ways('paused')).toEqual(['broadcast:resume:b1', 'broadcast:stop:b1']);
  expect(ways('scheduled')).toEqual(['broadcast:stop:b1']);
  expect(ways('stopped')).toEqual([]);
});

test('estimates the duration from the audience size', () => {
  expect(durationMs(100_000)).toBeGreaterThan(59 * 60_000);
  expect(durationMs(100_000)).toBeLessThan(60 * 60_000);
});
