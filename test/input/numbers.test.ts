import { describe, expect, test } from 'vitest';
import { parseTypedTrx, parseWholeNumber } from '../../src/input/numbers.ts';

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
