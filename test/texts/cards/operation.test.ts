import { describe, expect, test } from 'vitest';
import { expiredCard, operationCard } from '../../../src/texts/cards/operation.ts';
import type { OperationFacts, OperationState } from '../../../src/texts/cards/operation-facts.ts';
import { createTexts, LANGUAGES } from '../../../src/texts/texts.ts';
import { buttonsOf, expectWithinLimits } from './telegram-limits.ts';

const texts = createTexts();
const en = texts.in('en');
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const IN_FOURS = 'TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t';
const SUPPORT = 'https://support.example/';
const STATES: OperationState[] = [
  'draft',
  'cancelled',
  'claimed',
  'sent',
  'done',
  'refused',
  'unknown',
  'likely',
  'closed',
];

function factsOf(state: OperationState, more: Partial<OperationFacts> = {}): OperationFacts {
  return {
    id: 'ABCD1234',
    request: { kind: 'energy', address: ADDRESS, energy_amount: 65_000, duration_hours: 1 },
    state,
    ...more,
  };
}

const card = (state: OperationState, more: Partial<OperationFacts> = {}, reported = false) =>
  operationCard(en, factsOf(state, more), { reported, supportUrl: SUPPORT });

describe.each(LANGUAGES)('in %s the card', (language) => {
  test.each(STATES)('of what is %s is within the limits, with the address and the number', (state) => {
    const long = factsOf(state, {
      estimate: '99999999.999999',
      balance: '0.000001',
      result: { order: Number.MAX_SAFE_INTEGER, status: 'x'.repeat(100), price: '1', balanceLeft: '1' },
      refusal: { reason: 'other', code: 'C'.repeat(64), seconds: 99_999 },
      search: { count: 1_000, balance: 'moved', over: true },
    });
    for (const facts of [factsOf(state), long]) {
      const about = { reported: true, supportUrl: SUPPORT, warning: 'x'.repeat(500) };
      const view = operationCard(texts.in(language), facts, about);
      expectWithinLimits(view);
      expect(view.html).toContain(IN_FOURS);
      expect(view.html).toContain('ABCD1234');
    }
  });

  test.each([
    'insufficient',
    'key',
    'limited',
    'address',
    'offline',
    'unlinked',
    'expired',
    'other',
  ] as const)('says why it was refused: %s', (reason) => {
    const words = texts.in(language);
    const refusal = { reason, code: 'ODD', seconds: 7 };
    const view = operationCard(words, factsOf('refused', { refusal }), { reported: false });
    expectWithinLimits(view);
    expect(view.html).toContain(words.html(`refusal-${reason}`, { code: 'ODD', seconds: 7 }));
  });

  test('of a draft that has expired is within them too', () => {
    expectWithinLimits(expiredCard(texts.in(language)));
  });
});

test('a draft tells the whole truth, and asks', () => {
  const view = card('draft', { estimate: '2.32', balance: '1000.00' });
  for (const truth of [
    '65,000',
    '1 hour',
    IN_FOURS,
    'about <b>2.32 TRX</b>',
    '1000.00 TRX',
    "can't be undone",
    '5 minutes',
  ]) {
    expect(view.html).toContain(truth);
  }
  expect(buttonsOf(view)).toEqual({
    '✅ Confirm': 'confirm:ABCD1234',
    '‹ Back': 'back:ABCD1234',
    '✖️ Cancel': 'cancel:ABCD1234',
  });
});

test('a draft without price or balance says so', () => {
  expect(card('draft').html).toMatch(/named by the service only when it is bought[\s\S]*could not be read/);
});

test('a warning stands above everything', () => {
  const view = operationCard(en, factsOf('draft'), { reported: false, warning: 'Look closely.' });
  expect(view.html.startsWith('Look closely.')).toBe(true);
});

test.each(['claimed', 'sent'] as const)('while it is %s there is nothing to tap', (state) => {
  expect(card(state).keyboard).toEqual([]);
});

describe('done', () => {
  const result = { order: 7, status: 'pending', price: '2.32', balanceLeft: '997.68' };

  test('names the order, the price charged and the balance left', () => {
    const { html } = card('done', { result, estimate: '2.32' });
    for (const text of ['Order <b>7</b>', 'Charged: <b>2.32 TRX</b>', '997.68 TRX', 'pending']) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('estimated');
  });

  test('shows a price that differs next to its estimate', () => {
    expect(card('done', { result, estimate: '2.30' }).html).toContain('<b>2.32 TRX</b> (estimated 2.30 TRX)');
  });

  test('says where to look where the report named no price', () => {
    expect(card('done', { result: { order: 7, status: 'filled' } }).html).toContain('see your balance');
  });

  test('promises a change of the card only where deliveries are reported', () => {
    expect(card('done', { result }, true).html).toContain('This card changes when');
    expect(card('done', { result }, false).html).toContain('reports no delivery');
  });

  test.each([
    ['filled', 'The energy is at the address'],
    ['failed', 'returns its price'],
    ['<odd>', '<b>&#60;odd&#62;</b>'],
  ])('says what %s means', (status, words) => {
    expect(card('done', { result: { ...result, status } }).html).toContain(words);
  });
});

test('an order that failed is not called bought', () => {
  const { html } = card('done', { result: { order: 7, status: 'failed', price: '2.32' } });
  expect(html).toContain('Not delivered');
  expect(html).not.toContain('Bought');
});

describe('uncertain', () => {
  test.each(['unknown', 'likely'] as const)('%s says not to repeat it, its number and a person', (state) => {
    const view = card(state);
    for (const text of ["Don't repeat", 'ABCD1234', SUPPORT]) expect(view.html).toContain(text);
    expect(buttonsOf(view)).toMatchObject({ 'I have checked': 'checked:ABCD1234' });
    expect(JSON.stringify(view.keyboard)).not.toContain('buy');
  });

  test('says how often was looked, and what the balance did', () => {
    const html = (balance: 'same' | 'moved' | 'unread') =>
      card('unknown', { search: { count: 3, balance, over: false } }).html;
    expect(html('same')).toContain('Checked 3 times so far: no trace yet, and the balance has not changed.');
    expect(html('moved')).toContain('but the balance has changed.');
    expect(html('unread')).toContain('no trace yet.');
  });

  test('says when nobody looks any more, and what its user can do', () => {
    const { html } = card('unknown', { search: { count: 30, balance: 'same', over: true } });
    expect(html).toMatch(/I have stopped looking[\s\S]*I have checked/);
  });

  test('names no person where there is none', () => {
    expect(operationCard(en, factsOf('unknown'), { reported: false }).html).not.toContain('person');
  });
});

test('what was refused says that nothing was charged', () => {
  const refusal = { reason: 'limited', code: 'HTTP_429', seconds: 12 } as const;
  expect(card('refused', { refusal }).html).toMatch(/Nothing was charged[\s\S]*a pause of 12 s/);
  expect(card('refused', { refusal: { ...refusal, seconds: 0 } }).html).toContain('a pause.');
});
