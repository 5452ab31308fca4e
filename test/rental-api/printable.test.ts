import { expect, test } from 'vitest';
import { printable } from '../../src/rental-api/printable.ts';

test.each([
  ['joins lines', 'no\r\n\tbalance  left\n', 'no balance left'],
  ['removes characters that change the writing direction', 'paid \u202e00.001\u202c TRX', 'paid 00.001 TRX'],
  ['removes invisible characters', 'T\u200bR7\u0000N\ufeffH', 'T R7 N H'],
  ['returns an empty text for white space', '\u2028\u00a0', ''],
])('%s', (_, text, shown) => {
  expect(printable(text, 100)).toBe(shown);
});

test('ends a long text with an ellipsis and does not split characters', () => {
  expect(printable('12345', 5)).toBe('12345');
  expect(printable('123456', 5)).toBe('1234…');
  expect(printable('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
});
