import { expect, test } from 'vitest';
import { parseWholeNumber } from '../../../src/bot/steps/amounts.ts';

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
  '',
  ' ',
  '12abc',
  'abc',
  '-5',
  '+5',
  '1e5',
  '0x10',
  '6,5',
  '65,00',
  '65.5',
  '1234,567',
  '1 2',
  '1234567890',
  '１２',
])('rejects %j', (text) => {
  expect(parseWholeNumber(text)).toBeUndefined();
});
