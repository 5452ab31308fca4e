import { describe, expect, test } from 'vitest';
import { readSession } from '../../src/bot/receive.ts';

const WHOLE = {
  language: 'ru',
  awaiting: 'link',
  question: 12,
  card: { operation: 'ABCD1234', message: 40 },
  draft: { operation: 'ABCD1234', message: 40 },
};

test('parses a stored session', () => {
  expect(readSession(JSON.stringify(WHOLE))).toEqual(WHOLE);
  expect(readSession('{}')).toEqual({});
});

test.each([undefined, '', 'null', '[]', '1', '"text"', 'no JSON', '{', '{"language":'])(
  'does not parse %j',
  (text) => expect(readSession(text)).toBeUndefined(),
);

describe('omits an invalid field and keeps the others', () => {
  test.each<[keyof typeof WHOLE, unknown]>([
    ['language', 'de'],
    ['language', null],
    ['awaiting', true],
    ['question', '12'],
    ['card', 'ABCD1234'],
    ['card', { operation: 'ABCD1234' }],
    ['draft', { operation: 1, message: 40 }],
    ['draft', []],
  ])('%s: %j', (field, value) => {
    const { [field]: _, ...others } = WHOLE;
    expect(readSession(JSON.stringify({ ...WHOLE, [field]: value }))).toEqual(others);
  });
});

test('drops unknown fields', () => {
  expect(readSession('{"language":"en","flow":{"step":1}}')).toStrictEqual({ language: 'en' });
});
