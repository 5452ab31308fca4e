import { describe, expect, test } from 'vitest';
import { progressView } from '../../src/broadcasts/progress.ts';
import { durationMs } from '../../src/broadcasts/send-control.ts';
import { type Broadcast, STATES } from '../../src/broadcasts/store.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { TEXTS } from '../support/texts.ts';

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

  test.each(['admin', 'gone', 'refused', 'nobody', 'outdated'] as const)(
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
    'blocked the bot: 700',
  ])
    expect(html).toContain(part);
  for (const part of [
    '25.0 a second, about 50 min left',
    'not sent again: 5',
    'slow down: 2 times, quiet for 12 s more',
  ])
    expect(html).toContain(part);
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
  }
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
  expect(durationMs(100_000)).toBeGreaterThan(66 * 60_000);
  expect(durationMs(100_000)).toBeLessThan(67 * 60_000);
});
