import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { movedCard, operationCard, operationNews } from '../../src/operations/card.ts';
import { KINDS } from '../../src/operations/kinds/kinds.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { buttonsOf, buttonWith, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { TEXTS } from '../support/texts.ts';
import {
  ABOUT,
  ADDRESS,
  ALMOST,
  card,
  en,
  IN_FOURS,
  kindOf,
  LONG,
  NUMBER,
  operationIn,
  REQUESTS,
  STATES,
  SUPPORT,
} from './cards.ts';

const texts = TEXTS;
/** Every state of every kind in each language. */
const ALL = LANGUAGES.flatMap((language) =>
  REQUESTS.flatMap((request) =>
    STATES.map((state) => ({ language, request, state, kind: request.kind, words: texts.in(language) })),
  ),
);

describe.each(ALL)('the card in $language of $kind in state $state', ({ words, request, state }) => {
  const kind = kindOf(request);
  const views = [{}, LONG].flatMap((more) =>
    [true, false].map((reported) => {
      const operation = operationIn(state, { request, ...more });
      return operationCard(words, operation, { kind, reported, supportUrl: SUPPORT });
    }),
  );

  test("fits Telegram's limits, as do its follow-up and the moved card", () => {
    for (const view of views) expectWithinLimits(view);
    for (const more of [{}, LONG]) {
      const operation = operationIn(state, { request, ...more });
      const html = operationNews(words, operation, { kind, reported: true, supportUrl: SUPPORT });
      expectWithinLimits({ html, keyboard: [] });
      expect(html).toContain(NUMBER);
      expectWithinLimits(movedCard(words, operation, kind));
    }
  });

  test('shows the state, the operation and the address in its first three lines', () => {
    for (const { html } of views) {
      const [first = '', second, third] = html.split('\n');
      expect(first).toMatch(/<b>.+<\/b>/);
      expect(second).toBe(kind.title(words, request));
      expect(third).toBe(words.html('operation-address', { address: ADDRESS }));
    }
  });

  test('contains the complete address once, ready to copy, and its number', () => {
    for (const { html } of views) {
      expect(html.split(`<code>${ADDRESS}</code>`)).toHaveLength(2);
      expect(html).toContain(NUMBER);
      // Shown in groups of four if the address resembles a known one, or if money leaves the account.
      const isCompared = html.includes(ALMOST) || kind.withdrawalAmount !== undefined;
      expect(html.includes(IN_FOURS)).toBe(state === 'draft' && isCompared);
    }
  });
});

test('starts differently for each state of a kind, except for the two states under way', () => {
  for (const request of REQUESTS) {
    const firsts = STATES.map((state) => card(state, { request }).html.split('\n')[0]);
    expect(new Set(firsts).size).toBe(STATES.length - 1);
  }
});

test('uses different words for done operations of different kinds', () => {
  const [bought, alsoBought, activated, done] = REQUESTS.map((request) => card('done', { request }).html);
  expect(bought).toContain('Bought');
  expect(alsoBought).toContain('Bought');
  expect(activated).toContain('Activated');
  expect(done).toContain('Done');
  expect(KINDS.map(({ name }) => name)).toEqual(REQUESTS.map(({ kind }) => kind));
});

describe('the buttons of an operation', () => {
  const about = (button: string) => `operation:${button}:${NUMBER}`;
  const again = [about('again'), about('menu')];
  test.each<[Operation['state'], string[]]>([
    ['draft', [about('confirm'), about('back'), about('cancel')]],
    ['cancelled', again],
    ['replaced', []],
    ['expired', again],
    ['awaiting', [about('cancel')]],
    ['claimed', []],
    ['sent', []],
    ['done', again],
    ['refused', again],
    ['unknown', [about('checked'), '+help:unknown', about('menu')]],
    ['likely', [about('checked'), '+help:unknown', about('menu')]],
    ['closed', again],
  ])('match its state %s', (state, data) => {
    expect(Object.values(buttonsOf(card(state)))).toEqual(data);
  });

  test('do not offer to repeat a one-time operation', () => {
    const [, , request] = REQUESTS;
    expect(Object.values(buttonsOf(card('done', { request })))).toEqual([about('menu')]);
    expect(Object.values(buttonsOf(card('refused', { request })))).toEqual(again);
  });

  test('show a possible duplicate first, and Confirm in red', () => {
    const view = card('draft', { warnings: { like: 'WXYZ9876' } });
    expect(buttonsOf(view)).toEqual({
      'Show it': 'operation:show:WXYZ9876',
      'Buy anyway': about('confirm'),
      '‹ Back': about('back'),
      '✖️ Cancel': about('cancel'),
    });
    expect(buttonWith(view, about('confirm'))).toMatchObject({ style: 'danger' });
    expect(buttonWith(card('draft'), about('confirm'))).toMatchObject({ style: 'success' });
  });

  test('never offer to repeat an operation with an uncertain outcome', () => {
    for (const request of REQUESTS) {
      for (const state of ['claimed', 'sent', 'unknown', 'likely'] as const) {
        expect(JSON.stringify(card(state, { request }).keyboard)).not.toMatch(/again|confirm/);
      }
    }
  });
});

describe('the moved card', () => {
  test('shows what it was and has no buttons', () => {
    const view = movedCard(en, operationIn('draft'), ABOUT.kind);
    expect(view.html).toMatch(/Continued below[\s\S]*65,000 energy/);
    expect(view.keyboard).toEqual([]);
  });
});

describe('the follow-up of an operation', () => {
  const news = (...about: Parameters<typeof operationIn>) => {
    const operation = operationIn(...about);
    return operationNews(en, operation, { ...ABOUT, kind: kindOf(operation.request), reported: true });
  };

  test('shows a delivery in one line with the shortened address and the number', () => {
    const told = { result: { order: 7, status: 'filled', price: '2.32' } };
    expect(news('done', told)).toBe(
      `✅ <b>Bought and delivered</b> · ⚡ 65,000 energy · 1 hour → TR7NHq…gjLj6t · Operation ${NUMBER}`,
    );
    const inRussian = operationNews(TEXTS.in('ru'), operationIn('done', told), ABOUT);
    expect(inRussian).toMatch(
      /^✅ <b>Куплено и доставлено<\/b> · [^\n]* → TR7NHq…gjLj6t · Операция ABCD1234$/,
    );
  });

  test('warns against repeating an outcome that is unknown again, without a check count', () => {
    const html = news('unknown', { search: { count: 3, balance: 'same', over: false } });
    expect(html).toContain("Don't repeat");
    expect(html).not.toContain('Checked');
  });

  test('shows that the search is over', () => {
    expect(news('unknown', { search: { count: 3, balance: 'same', over: true } })).toContain(
      'stopped looking',
    );
  });

  test('does not call a failed order bought', () => {
    const html = news('done', { result: { order: 7, status: 'failed' } });
    expect(html).toMatch(/Not delivered[\s\S]*the order failed/);
    expect(html).not.toContain('Bought');
  });

  test('shows the charge of a failed order and where to look for a refund', () => {
    const failed = { result: { order: 7, status: 'failed', price: '2.32' } };
    const says = /but not what it gave back\.\nIt had charged <b>2\.32 TRX<\/b>: look at Balance → Movements/;
    expect(news('done', failed)).toMatch(says);
    expect(card('done', failed).html).toMatch(says);
    expect(news('done', { result: { order: 7, status: 'failed' } })).toContain(
      'It never named what it charged',
    );
    const inRussian = operationNews(TEXTS.in('ru'), operationIn('done', failed), ABOUT);
    expect(inRussian).toContain('Было списано <b>2.32 TRX</b>: посмотрите Баланс → Движение средств');
  });
});
