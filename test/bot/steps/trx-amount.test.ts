import { expect, test } from 'vitest';
import { parseTrx } from '../../../src/bot/steps/amounts.ts';

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
  ['999999999999', '999999999999.00'],
])('parses %j as %s TRX', (text, trx) => {
  expect(parseTrx(text)).toBe(trx);
});

test.each([
  '',
  ' ',
  'TRX',
  '0',
  '0.0',
  '0.000000',
  '-1',
  '+1',
  '1e3',
  '1.2345678',
  '0.0000001',
  '1,000',
  '1.000',
  '12.345',
  '1.000.000',
  '1,000.50',
  '1 00',
  '1000 000',
  '10 000 USDT',
  '.5',
  '5.',
  '0x10',
  '1/2',
  '１２',
  'Infinity',
  '1 2',
  '1234567890123',
  '7 TRX TRX',
])('rejects %j as invalid or ambiguous', (text) => {
  expect(parseTrx(text)).toBeUndefined();
});

test('rejects a megabyte of blanks', () => {
  expect(parseTrx(`1${' '.repeat(1_000_000)}1`)).toBeUndefined();
});
