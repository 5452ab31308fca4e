import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { operationCard, operationNews } from '../../src/operations/card.ts';
import type { Refusal } from '../../src/operations/operation.ts';
import { formatMessageText } from '../../src/sandbox/telegram/html.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { TEXTS } from '../support/texts.ts';
import {
  ABOUT,
  ADDRESS,
  ALMOST,
  card,
  en,
  IN_FOURS,
  kindOf,
  NUMBER,
  operationIn,
  REQUESTS,
  SUPPORT,
} from './cards.ts';
import { ACTIVATION, SMART_MODE } from './operations-setup.ts';
import { HASH } from './rental-stand-in.ts';

const REASONS: Record<Refusal['reason'], true> = {
  insufficient: true,
  key: true,
  limited: true,
  address: true,
  already: true,
  offline: true,
  unlinked: true,
  expired: true,
  interrupted: true,
  gone: true,
  unchanged: true,
  listed: true,
  locked: true,
  code: true,
  'code-gone': true,
  'codes-off': true,
  'codes-on': true,
  struck: true,
  unannounced: true,
  cap: true,
  'not-made': true,
  'by-hand': true,
  'guest-open': true,
  'guest-hour': true,
  'guest-all': true,
  balance: true,
  operator: true,
  'operator-cap': true,
  'operator-ongoing': true,
  other: true,
};

describe('a draft', () => {
  test('shows what is bought, at what price, and that it cannot be undone', () => {
    const { html } = card('draft', { estimate: '2.32', balance: '1000.00' });
    for (const truth of [
      'Check before you confirm',
      '65,000 energy · 1 hour',
      `<code>${ADDRESS}</code>`,
      'about <b>2.32 TRX</b>',
      '1000.00 TRX',
      "can't be undone",
      '5 minutes',
    ]) {
      expect(html).toContain(truth);
    }
    expect(html).not.toContain('⚠️');
  });

  test.each(REQUESTS)('shows what cannot be undone and how long it is valid: %o', (request) => {
    expect(card('draft', { request }).html).toMatch(/can't be undone[\s\S]*[25] minutes/);
  });

  test('shows that the operator account pays, only if it does', () => {
    const drafted = { estimate: '2.32', balance: '1000.00' };
    expect(card('draft', { ...drafted, operators: true }).html).toContain(
      "Paid from <b>the operator's account</b>",
    );
    expect(card('draft', drafted).html).not.toContain('operator');
  });

  test('shows that the price or balance is unknown', () => {
    expect(card('draft').html).toMatch(/not known yet[\s\S]*couldn't be read/);
  });

  test('warns of a similar address and shows both grouped in fours', () => {
    const { html } = card('draft', { warnings: { lookalike: ALMOST.replaceAll(' ', '') } });
    expect(html).toMatch(/Look closely[\s\S]*Yours[\s\S]*This one/);
    expect(html.indexOf(ALMOST)).toBeLessThan(html.indexOf(IN_FOURS));
    expect(html.split(IN_FOURS)).toHaveLength(2);
    expect(html).not.toContain(`<code>${IN_FOURS}`);
  });

  test('warns of a possible duplicate that is unresolved, by its number', () => {
    expect(card('draft', { warnings: { like: 'WXYZ9876' } }).html).toMatch(/⚠️[\s\S]*operation WXYZ9876/);
  });

  test('shows no warnings after the confirmation or cancellation', () => {
    const warnings = { lookalike: ALMOST.replaceAll(' ', ''), like: 'WXYZ9876' };
    for (const state of ['cancelled', 'claimed', 'done', 'unknown'] as const) {
      expect(card(state, { warnings }).html).not.toMatch(/Look closely|WXYZ9876/);
    }
  });
});

describe('a done operation', () => {
  const result = { order: 7, status: 'pending', price: '2.32', balanceLeft: '997.68' };

  test('shows the order, the charged price and the remaining balance', () => {
    const { html } = card('done', { result, estimate: '2.32' });
    for (const text of ['Order <b>7</b>', 'Charged: <b>2.32 TRX</b>', '997.68 TRX', 'pending']) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('estimated');
  });

  test('shows the estimate next to a different price', () => {
    expect(card('done', { result, estimate: '2.30' }).html).toContain('<b>2.32 TRX</b> (estimated 2.30 TRX)');
  });

  test('refers to the balance if the report has no price', () => {
    expect(card('done', { result: { order: 7, status: 'filled' } }).html).toContain('see your balance');
  });

  test('shows the transaction of a kind without deliveries, and no delivery', () => {
    const { html } = card('done', { request: ACTIVATION, result: { txHash: HASH, price: '1.10' } }, true);
    expect(html).toContain(`<code>${HASH}</code>`);
    expect(html).toContain('1.10 TRX');
    expect(html).not.toMatch(/Status|Order/);
  });

  test('promises a notification of the delivery only if deliveries are reported', () => {
    expect(card('done', { result }, true).html).toContain("I'll write to you");
    expect(card('done', { result }, false).html).toContain('I get no word');
  });

  test.each([
    ['filled', 'It has arrived at the address'],
    ['failed', 'It had charged <b>'],
    ['<odd>', '<code>&#60;odd&#62;</code>'],
  ])('explains the status %s', (status, words) => {
    expect(card('done', { result: { ...result, status } }).html).toContain(words);
  });

  test('turns no text of the service into a link, mention or command', () => {
    const status = 'https://evil.example @evil_bot /pay';
    const { html } = card('done', { result: { ...result, status } });
    const { text, entities } = formatMessageText({ text: html, parse_mode: 'HTML' });
    expect(text).toContain(status);
    expect(new Set(entities.map(({ type }) => type))).toEqual(new Set(['bold', 'code']));
  });

  test('is not called bought if the order failed', () => {
    const { html } = card('done', { result: { ...result, status: 'failed' } });
    expect(html).toContain('Not delivered');
    expect(html).not.toContain('Bought');
  });
});

describe('an uncertain outcome', () => {
  test.each(REQUESTS)(
    'shows its number, a support contact and the advice not to repeat it: %o',
    (request) => {
      for (const state of ['unknown', 'likely'] as const) {
        for (const search of [undefined, { count: 9, balance: 'same', over: true } as const]) {
          const { html } = card(state, { request, search });
          for (const text of ["Don't repeat", `Operation ${NUMBER}`, SUPPORT]) expect(html).toContain(text);
        }
      }
    },
  );

  test('shows how often the bot checked and whether the balance changed', () => {
    const html = (count: number, balance: 'same' | 'moved' | 'unread') =>
      card('unknown', { search: { count, balance, over: false } }).html;
    expect(html(3, 'same')).toContain(
      "Checked 3 times so far: no trace yet, and the balance hasn't changed.",
    );
    expect(html(1, 'moved')).toContain('Checked once so far: no trace yet, but the balance has changed.');
    expect(html(3, 'unread')).toContain('no trace yet.');
  });

  test('shows after two minutes that a purchase may still arrive', () => {
    const [sentAt, search] = [1_000, { count: 8, balance: 'same', over: false } as const];
    const html = (at: number, more = {}) =>
      card('unknown', { sentAt, search: { ...search, at, ...more } }).html;
    expect(html(sentAt + 120_000)).toContain('No sign of it so far. It may still arrive.');
    expect(html(sentAt + 120_000, { balance: 'moved' })).toContain('but the balance has changed');
    expect(html(sentAt + 119_999)).toContain('no trace yet');
    const other = card('unknown', {
      request: SMART_MODE,
      sentAt,
      search: { ...search, at: sentAt + 120_000 },
    });
    expect(other.html).toContain('It may still go through.');
  });

  test('does not call a rejected or invalid response lost', () => {
    expect(card('unknown', {}).html).toContain("The service hasn't confirmed it yet");
    expect(card('unknown', {}).html).not.toContain('lost');
  });

  test('warns of a possible duplicate in one line, with a button to that card', () => {
    const { html, keyboard } = card('draft', { warnings: { like: 'WXYZ9876' } });
    expect(html.split('\n').filter((line) => line.includes('WXYZ9876'))).toEqual([
      "⚠️ <b>Possible duplicate</b> of operation WXYZ9876, whose outcome isn't known yet.",
    ]);
    expect(keyboard.flat()).toContainEqual(
      expect.objectContaining({ text: 'Show it', callback_data: 'operation:show:WXYZ9876' }),
    );
  });

  test("shows when the search has ended, and the user's options", () => {
    const { html } = card('unknown', { search: { count: 30, balance: 'same', over: true } });
    expect(html).toMatch(/I have stopped looking[\s\S]*I have checked/);
  });

  test('offers no support contact if none is configured', () => {
    const view = operationCard(en, operationIn('unknown'), { ...ABOUT, supportUrl: undefined });
    expect(view.html).not.toContain('person');
  });
});

describe('a refused operation', () => {
  test('shows that nothing was charged and when to retry', () => {
    const refusal = { reason: 'limited', code: 'HTTP_429', seconds: 12 } as const;
    expect(card('refused', { refusal }).html).toMatch(/Nothing was charged[\s\S]*in 12 seconds/);
    expect(card('refused', { refusal: { ...refusal, seconds: 0 } }).html).toContain('in a minute');
  });

  test.each(LANGUAGES)('explains the reason in %s', (language) => {
    const words = TEXTS.in(language);
    for (const reason of Object.keys(REASONS) as Refusal['reason'][]) {
      const operation = operationIn('refused', { refusal: { reason, code: '<ODD>', seconds: 7 } });
      const view = operationCard(words, operation, ABOUT);
      expectWithinLimits(view);
      expect(view.html).toContain(words.html(`refusal-${reason}`, { code: '<ODD>', seconds: 7, minutes: 1 }));
      expect(view.html).not.toContain('<ODD>');
    }
  });
});

describe('a manually resolved operation', () => {
  const decided = { outcome: 'done', reason: 'seen <b>there</b>', admin: 7, at: 0 } as const;
  const refusal = { reason: 'by-hand', code: 'BY_HAND', seconds: 0 } as const;

  test('shows the escaped reason, but neither the admin nor unknown facts', () => {
    const done = card('done', { decided, result: {} }).html;
    const refused = card('refused', { decided: { ...decided, outcome: 'not-done' }, refusal }).html;
    expect(done).toContain('✅ <b>Bought</b>');
    expect(done).toContain(
      'A person at the operator of this bot looked into it and decided: it went through.',
    );
    expect(refused).toContain("decided: it didn't go through.");
    // Only the service knows whether nothing was charged.
    expect(refused).toContain('Closed as not done');
    expect(refused).not.toContain('Nothing was charged');
    for (const html of [done, refused]) {
      expect(html).toContain('Their reason: <i>seen &#60;b&#62;there&#60;/b&#62;</i>');
      expect(html).not.toMatch(/Status|Order|admin|<b>7/);
    }
    const request = { ...SMART_MODE, action: 'pause' };
    const paused = card('done', { decided, result: {}, request }).html;
    expect(paused.split('\n')[0]).toBe(en.html('smart-mode-done'));
  });

  test.each(LANGUAGES)('fits a message and has the reason in its follow-up (%s)', (language) => {
    const words = TEXTS.in(language);
    for (const request of REQUESTS)
      for (const outcome of ['done', 'not-done'] as const) {
        const operation = operationIn(outcome === 'done' ? 'done' : 'refused', {
          ...{ request, result: {}, refusal },
          decided: { ...decided, outcome, reason: '<'.repeat(200) },
        });
        const about = { ...ABOUT, kind: kindOf(request) };
        expectWithinLimits(operationCard(words, operation, about));
        const said = words.html('operation-by-hand', { outcome, reason: '<'.repeat(200) });
        expect(operationNews(words, operation, about)).toContain(said);
      }
  });
});
