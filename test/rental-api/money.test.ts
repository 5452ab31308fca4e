import { BigNumber } from 'bignumber.js';
import { expect, test } from 'vitest';
import { formatTrx, parseTrx, toWholeSun, trxFromSun } from '../../src/rental-api/amounts.ts';

test.each([
  ['2.32', '2.32'],
  ['2.3192', '2.3192'],
  ['9.8', '9.80'],
  ['9.8000', '9.80'],
  ['0', '0.00'],
  ['1000', '1000.00'],
  [' 7 ', '7.00'],
  ['0.0000001', '0.0000001'],
  ['123456789012345678.123456', '123456789012345678.123456'],
])('formats the amount %j as %s', (text, written) => {
  const amount = parseTrx(text);
  expect(amount && formatTrx(amount)).toBe(written);
});

test.each(['', '1e3', '1,5', '1.', '.5', '0x10', 'NaN', 'Infinity', '5 TRX', '1 000', '9'.repeat(41)])(
  'rejects %j as an amount',
  (text) => {
    expect(parseTrx(text)).toBeUndefined();
  },
);

test('converts sun to TRX exactly, unlike floats', () => {
  expect(trxFromSun('2319200').toFixed()).toBe('2.3192');
  expect(trxFromSun(1).plus(trxFromSun(2)).toFixed()).toBe('0.000003');
  expect(trxFromSun('9007199254740993').toFixed()).toBe('9007199254.740993');
});

test('rounds fractions of a sun', () => {
  expect(toWholeSun(new BigNumber('2.3200000002')).toFixed()).toBe('2.32');
});
