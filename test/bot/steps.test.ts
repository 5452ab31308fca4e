import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { parseTypedTrx, parseWholeNumber } from '../../src/bot/steps/amounts.ts';
import { termsBesideAddress } from '../../src/bot/steps/energy-order.ts';
import { SAMPLE_ADDRESS } from '../../src/rental-api/tron.ts';
import { TEXTS } from '../support/texts.ts';

describe('a typed amount of TRX', () => {
  test.each([
    ['12.5', '12.50'],
    ['12,5', '12.50'],
    ['1 000.5', '1000.50'],
    ['1 000,50', '1000.50'],
    ['1\u00a0000.5', '1000.50'],
    ['1\u202f000\u202f000', '1000000.00'],
    ['7 TRX', '7.00'],
    ['7trx', '7.00'],
    [' 7 \n', '7.00'],
    ['0.000001', '0.000001'],
    ['0,123', '0.123'],
    ['1.2345', '1.2345'],
    ['1234,567', '1234.567'],
    ['1 000,500', '1000.50'],
    ['1,128.62 TRX', '1128.62'],
    ['1 128,62 TRX', '1128.62'],
    ['1,000,000.5', '1000000.50'],
    ['999999999999', '999999999999.00'],
  ])('parses %j as %s TRX', (text, trx) => {
    expect(parseTypedTrx(text)).toBe(trx);
  });

  test.each([
    ...['', ' ', '1 00', '1000 000', '10 000 USDT', '1 2', '7 TRX TRX'],
    ...'TRX 0 0.0 0.000000 -1 +1 1e3 1.2345678 0.0000001 1,000 1.000 12.345 1.000.000 1,000,000 1,00.50'.split(
      ' ',
    ),
    ...'.5 5. 0x10 1/2 １２ Infinity 1234567890123'.split(' '),
  ])('rejects %j as invalid or ambiguous', (text) => {
    expect(parseTypedTrx(text)).toBeUndefined();
  });

  test('rejects a megabyte of blanks', () => {
    expect(parseTypedTrx(`1${' '.repeat(1_000_000)}1`)).toBeUndefined();
  });
});

describe('a typed whole number', () => {
  test.each([
    ['65000', 65_000],
    [' 65000\n', 65_000],
    ['65,000', 65_000],
    ['65 000', 65_000],
    ['65\u00a0000', 65_000],
    ['65\u202f000', 65_000],
    ["5'000'000", 5_000_000],
    ['5.000.000', 5_000_000],
    ['007', 7],
    ['0', 0],
  ])('parses %j as %d', (text, number) => {
    expect(parseWholeNumber(text)).toBe(number);
  });

  test.each([
    ...['', ' ', '1 2'],
    ...'12abc abc -5 +5 1e5 0x10 6,5 65,00 65.5 1234,567 1234567890 １２'.split(' '),
  ])('rejects %j', (text) => {
    expect(parseWholeNumber(text)).toBeUndefined();
  });
});

describe('terms beside an address', () => {
  const PHRASES = [
    '# ADDRESS',
    'ADDRESS #',
    '# for ADDRESS',
    'Hi, I need # for ADDRESS please',
    'buy # to ADDRESS',
  ];
  const RUSSIAN = [
    '# для ADDRESS',
    'ADDRESS # пожалуйста',
    'мне нужно # на ADDRESS',
    'Купи # на адрес ADDRESS',
  ];
  const AMOUNTS = [
    '130000',
    '130,000',
    '130 000',
    '130k',
    '130к',
    '130 thousand',
    '130 тысяч',
    '130000 energy',
  ];
  const COUNTS = ['2 transfers', 'two transfers', 'два перевода', '2 перевода'];
  const DURATIONS = {
    none: [''],
    1: ['1h', 'for 1 hour', 'for an hour', 'one hour', 'на час', 'на 1 час', 'на один час'],
    24: [
      '24h',
      ', 24 hours',
      'for a day',
      'a day',
      'for one day',
      'for 1 day',
      'на сутки',
      'на 24 часа',
      'на день',
    ],
  };
  const read = (text: string) => {
    const ctx = { words: TEXTS.in('en') } as BotContext;
    return { ...termsBesideAddress(ctx, text), header: ctx.headerHtml };
  };

  test.each([...PHRASES, ...RUSSIAN])('are read in %j', (phrase) => {
    for (const [hours, durations] of Object.entries(DURATIONS))
      for (const terms of durations.flatMap((one) =>
        [...AMOUNTS, ...COUNTS].map((amount) => `${amount} ${one}`),
      ))
        expect(read(phrase.replace('#', terms).replace('ADDRESS', SAMPLE_ADDRESS)), terms).toEqual({
          amount: 130_000,
          ...(hours !== 'none' && { hours: Number(hours) }),
          header: undefined,
        });
  });

  test('never lose a number without saying so', () => {
    const words = fc.constantFrom<string>(
      'for',
      'and',
      'please',
      'TRX',
      'hours',
      'energy',
      'Order',
      'на',
      'раза',
      '$',
      'k',
      '-',
    );
    const number = fc.oneof(
      fc.integer({ min: 0, max: 6_000_000 }),
      fc.double({ min: 0, max: 99, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 9 }), number, fc.nat(9), (others, value, at) => {
        const text = others.toSpliced(at, 0, String(value)).join(' ');
        const { amount, hours, header } = read(`${text} ${SAMPLE_ADDRESS}`);
        expect(amount ?? hours ?? header, text).toBeDefined();
      }),
    );
  });
});
