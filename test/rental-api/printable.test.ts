import { expect, test } from 'vitest';
import { toPrintable } from '../../src/rental-api/schemas.ts';

test.each([
  ['joins lines', 'no\r\n\tbalance  left\n', 'no balance left'],
  ['removes characters that change the writing direction', 'paid \u202e00.001\u202c TRX', 'paid 00.001 TRX'],
  ['removes invisible characters', 'T\u200bR7\u0000N\ufeffH', 'T R7 N H'],
  ['returns an empty text for white space', '\u2028\u00a0', ''],
])('%s', (_, text, shown) => {
  expect(toPrintable(text, 100)).toBe(shown);
});

test('ends a long text with an ellipsis and does not split characters', () => {
  expect(toPrintable('12345', 5)).toBe('12345');
  expect(toPrintable('123456', 5)).toBe('1234…');
  expect(toPrintable('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
});
