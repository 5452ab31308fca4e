import { expect, test } from 'vitest';
import { displayableFields } from '../../src/notifications/kinds.ts';

test.each([
  ['shows plain values as they are', { a: 'text', b: 5, c: true }, { a: 'text', b: '5', c: 'true' }],
  ['omits nested and empty values', { a: { b: 1 }, c: [1], d: null, e: undefined, f: 1 }, { f: '1' }],
  ['removes invisible characters', { 'a\u202e\u0000b': 'x\n\u200by\u202ez' }, { 'a b': 'x y z' }],
  [
    'shortens long names and values',
    { ['n'.repeat(99)]: 'v'.repeat(999) },
    { [`${'n'.repeat(31)}…`]: `${'v'.repeat(63)}…` },
  ],
  ['accepts an empty object', {}, {}],
])('%s', (_, data, shown) => {
  expect(displayableFields(data)).toEqual(shown);
});

test('shows the first eight fields', () => {
  const data = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field-${at}`, at]));
  expect(Object.keys(displayableFields(data))).toEqual(Object.keys(data).slice(0, 8));
});

test('treats names of built-in properties like others', () => {
  const data: Record<string, unknown> = JSON.parse('{"__proto__":"x","constructor":"y"}');
  expect(displayableFields(data)).toMatchObject({ constructor: 'y' });
  expect(Object.getPrototypeOf(displayableFields(data))).toBe(Object.prototype);
});
