import { expect, test } from 'vitest';
import { printable } from '../../src/rental/printable.ts';

test.each([
  ['one line of many', 'no\r\n\tbalance  left\n', 'no balance left'],
  ['nothing that turns the direction of writing', 'paid \u202e00.001\u202c TRX', 'paid 00.001 TRX'],
  ['nothing that nobody sees', 'T\u200bR7\u0000N\ufeffH', 'T R7 N H'],
  ['nothing of nothing', '\u2028\u00a0', ''],
])('%s', (_, text, shown) => {
  expect(printable(text, 100)).toBe(shown);
});

test('what is too long ends in an ellipsis, and no character is cut in two', () => {
  expect(printable('12345', 5)).toBe('12345');
  expect(printable('123456', 5)).toBe('1234…');
  expect(printable('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
});
