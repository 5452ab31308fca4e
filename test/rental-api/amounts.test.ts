import { BigNumber } from 'bignumber.js';
import { expect, test } from 'vitest';
import {
  estimateBandwidth,
  estimateEnergy,
  formatTrx,
  parseDecimalTrx,
  toWholeSun,
  trxFromSun,
} from '../../src/rental-api/tron.ts';

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
  const amount = parseDecimalTrx(text);
  expect(amount && formatTrx(amount)).toBe(written);
});

test.each(['', '1e3', '1,5', '1.', '.5', '0x10', 'NaN', 'Infinity', '5 TRX', '1 000', '9'.repeat(41)])(
  'rejects %j as an amount',
  (text) => {
    expect(parseDecimalTrx(text)).toBeUndefined();
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

test.each([
  ['in sun exactly', 65_000, 1, { '1': '35.68' }, '2.3192'],
  ['in sun exactly', 131_000, 1, { '1': '35.68' }, '4.67408'],
  ['for a day', 5_000_000, 24, { '1': '35.68', '24': '60.1' }, '300.50'],
  ['rounded to whole sun', 65_000, 1, { '1': '35.692308' }, '2.32'],
  ['only for a duration with a price', 65_000, 24, { '1': '35.68' }, undefined],
  ['only if prices are known', 65_000, 1, undefined, undefined],
])('estimates energy %s: %d for %d hours at %j', (_, amount, hours, energySunPerUnit, trx) => {
  expect(estimateEnergy({ amount, hours }, { ...(energySunPerUnit && { energySunPerUnit }) })).toBe(trx);
});

test.each([
  [1_000, 24, '9.80'],
  [350, 24, '3.56'],
  [350, 1, '0.34'],
  [1_000, 1, '0.60'],
  [1_000, 72, '29.00'],
  [100_000, 720, '28800.20'],
  [351, 1, '0.3404'],
  [1_001, 7, '3.0028'],
])('estimates %d bandwidth for %d hours at %s TRX', (amount, hours, trx) => {
  expect(estimateBandwidth({ amount, hours })).toBe(trx);
});
