import { describe, expect, test } from 'vitest';
import { isOrderable, readChange, readEnergyOrder } from '../../src/input/energy-terms.ts';
import { energyOptions, readEnergyOption } from '../../src/operations/kinds/energy-order.ts';
import { TEXTS } from '../support/texts.ts';

function termsIn(...asked: Parameters<typeof readEnergyOrder>) {
  const { hasOtherWords: _, ...terms } = readEnergyOrder(...asked);
  return terms;
}

describe('an order in a text', () => {
  test.each<[text: string, amount?: number, hours?: number, rest?: string]>([
    ['65000 1h', 65_000, 1],
    ['1', undefined, 1],
    ['24', undefined, 24],
    ['65000 1', 65_000, 1],
    ['24h 65000', 65_000, 24],
    ['24 65000', 65_000, 24],
    ['65k', 65_000],
    ['65.5k', 65_500],
    ['65,5k', 65_500],
    ['131к', 131_000],
    ['131 тыс.', 131_000],
    ['65,000', 65_000],
    ['65.000', 65_000],
    ['65 000 24', 65_000, 24],
    ['65\u00a0000', 65_000],
    ['65\u202f000', 65_000],
    ['65’000', 65_000],
    ["65'000", 65_000],
    ['1,234,567', 1_234_567],
    ['5 000 000 24h', 5_000_000, 24],
    ['65000 energy', 65_000],
    ['65000 энергии', 65_000],
    ['2', 130_000],
    ['100', 6_500_000],
    ['2 24', 130_000, 24],
    ['2 1h', 130_000, 1],
    ['101', 101],
    ['0', 0],
    ['2 transfers', 130_000],
    ['1 transfer, 24 hours', 65_000, 24],
    ['150 transfers', 9_750_000],
    ['3x 1h', 195_000, 1],
    ['2 tx', 130_000],
    ['2 перевода на 24 часа', 130_000, 24],
    ['5 переводов', 325_000],
    ['1 перевод, 1 ч.', 65_000, 1],
    ['3 раза', 195_000],
    ['1.5 transfers', 97_500],
    ['1 hour', undefined, 1],
    ['1 hr', undefined, 1],
    ['24 hours', undefined, 24],
    ['24 часов', undefined, 24],
    ['1 day', undefined, 24],
    ['2 d', undefined, 48],
    ['1 сутки', undefined, 24],
    ['3 дня', undefined, 72],
    ['day', undefined, 24],
    ['65000 сутки', 65_000, 24],
    ['1h day', undefined, 1, 'day'],
    ['31999 hours', undefined, 31_999],
    ['65000 hours', 65_000, undefined, 'hours'],
    ['buy 65000 energy for 1 hour', 65_000, 1],
    ['купить энергию 65000 на 24 часа', 65_000, 24],
    ['65000 + 24h; ', 65_000, 24],
    ['65000·1h', 65_000, 1],
    // Money isn't energy.
    ['12 TRX', undefined, undefined, '12 TRX'],
    ['65000 usdt', undefined, undefined, '65000 usdt'],
    ['65000$', undefined, undefined, '65000$'],
    ['65000 руб', undefined, undefined, '65000 руб'],
    ['5 трх 1h', undefined, 1, '5 трх'],
    // The first amount and the first duration count.
    ['65000 131000', 65_000, undefined, '131000'],
    ['1h 24h', undefined, 1, '24h'],
    ['65000 2 transfers', 65_000, 2, 'transfers'],
    ['65000 1 24', 65_000, 1, '24'],
    ['65000 24 times', 65_000, 24, 'times'],
    ['65000 Mum', 65_000, undefined, 'Mum'],
    ['Order 17 65000', 65_000, 17, 'Order'],
    ['two transfers', 130_000],
    ['три перевода на сутки', 195_000, 24],
    ['131 тысяча на один час', 131_000, 1],
    ['two days ago', undefined, 48, 'ago'],
    ['two', undefined, undefined, 'two'],
    ['', undefined, undefined],
    ['-65000', undefined, undefined, '-65000'],
    ['65000abc', undefined, undefined, '65000abc'],
    ['1e6', undefined, undefined, '1e6'],
    ['1234567890', undefined, undefined, '1234567890'],
  ])('%j', (text, amount, hours, rest = '') => {
    expect(termsIn(text)).toEqual({
      ...(amount !== undefined && { amount }),
      ...(hours !== undefined && { hours }),
      rest,
    });
  });

  test.each([
    ['2 24h for the shop', { amount: 130_000, hours: 24, rest: 'for the shop' }],
    ['65000 1 Order 17', { amount: 65_000, hours: 1, rest: 'Order 17' }],
    ['Order 17, 65000 1h', { rest: 'Order 17, 65000 1h' }],
    ['65000, energy 5 TRX', { amount: 65_000, rest: 'energy 5 TRX' }],
    ['2 1h', { amount: 130_000, hours: 1, rest: '' }],
    ['65000 day trips', { amount: 65_000, rest: 'day trips' }],
  ])('ends at the first other word if the rest is a note: %j', (text, order) => {
    expect(termsIn(text, { stopsAtOther: true })).toEqual(order);
  });
});

test.each([
  ['131k', { amount: 131_000 }],
  ['24 часа', { hours: 24 }],
  ['2 transfers, 1 day', { amount: 130_000, hours: 24 }],
  ['2 hours', { hours: 2 }],
  ['131k please', { amount: 131_000 }],
  ['131k for the shop', undefined],
  ['131000 for a day', { amount: 131_000, hours: 24 }],
  ['12 TRX', undefined],
  ['for', undefined],
  ['', undefined],
])('a text at the card changes it only if it says nothing else: %j', (text, change) => {
  expect(readChange(text)).toEqual(change);
});

test.each([
  [31_999, false],
  [32_000, true],
  [32_000.5, false],
  [5_000_000, true],
  [5_000_001, false],
  [0, false],
  [-65_000, false],
  [65_000 * 76, true],
  [65_000 * 77, false],
])('orders of %d energy are possible: %s', (amount, isPossible) => {
  expect(isOrderable(amount)).toBe(isPossible);
});

describe('the options of a card', () => {
  test('are read back as what they change', () => {
    const options = energyOptions(TEXTS.in('en'), { amount: 131_000, hours: 1 }).flat();
    expect(options.filter(({ isChosen }) => isChosen).map(({ value }) => value)).toEqual([
      'energy131000',
      'hours1',
    ]);
    expect(options.map(({ value }) => readEnergyOption(value))).toEqual([
      { amount: 65_000 },
      { amount: 131_000 },
      { hours: 1 },
      { hours: 24 },
    ]);
  });

  test.each(['energy65001', 'energy5000000', 'hours2', 'hours0', 'hours', 'energy', 'xenergy65000', ''])(
    'are never %j',
    (value) => {
      expect(readEnergyOption(value)).toBeUndefined();
    },
  );
});
