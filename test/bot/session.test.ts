import { describe, expect, test } from 'vitest';
import { readSession } from '../../src/bot/session.ts';

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
  expect(readSession(undefined)).toEqual({});
});

test.each(['', 'null', '[]', '1', '"text"', 'no JSON', '{', '{"language":'])(
  'parses %j as an empty session',
  (text) => {
    expect(readSession(text)).toEqual({});
  },
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

test('parses a pending key question of an older version', () => {
  expect(readSession('{"awaitingKey":true}')).toEqual({ awaiting: 'link' });
  expect(readSession('{"awaitingKey":false}')).toEqual({});
  expect(readSession('{"awaitingKey":true,"awaiting":"other"}')).toEqual({ awaiting: 'other' });
});

test('drops unknown fields', () => {
  const session = readSession('{"language":"en","flow":{"step":1}}');
  expect(Object.keys(session)).toEqual(['language']);
});
