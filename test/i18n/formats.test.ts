import { expect, test } from 'vitest';
import { formatCount, formatKeyTail, groupInFours, shortenAddress } from '../../src/i18n/formats.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

test('formats the whole address in groups of four', () => {
  expect(groupInFours(ADDRESS)).toBe('TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t');
  expect(groupInFours('TR7NHqje')).toBe('TR7N Hqje');
});

test('shortens an address in a list to both ends', () => {
  expect(shortenAddress(ADDRESS)).toBe('TR7NHq…gjLj6t');
});

test('groups digits as the language does', () => {
  expect([0, 999, 65_000, 5_000_000].map((count) => formatCount(count, 'en'))).toEqual([
    '0',
    '999',
    '65,000',
    '5,000,000',
  ]);
  expect(formatCount(5_000_000, 'ru')).toBe('5\u00a0000\u00a0000');
});

test('marks the tail of a key as shortened', () => {
  expect(formatKeyTail('abcd')).toBe('…abcd');
});
