import { describe, expect, test } from 'vitest';
import { readSession } from '../../src/bot/session.ts';

const WHOLE = {
  language: 'ru',
  awaiting: 'link',
  question: 12,
  card: { operation: 'ABCD1234', message: 40 },
  draft: { operation: 'ABCD1234', message: 40 },
};

test('a session is read as it was written', () => {
  expect(readSession(JSON.stringify(WHOLE))).toEqual(WHOLE);
  expect(readSession('{}')).toEqual({});
  expect(readSession(undefined)).toEqual({});
});

test.each(['', 'null', '[]', '1', '"text"', 'no JSON', '{', '{"language":'])('%j is nothing', (text) => {
  expect(readSession(text)).toEqual({});
});

describe('one bad field is left out, and the others stay', () => {
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

test('who was asked for a key by an older version still is', () => {
  expect(readSession('{"awaitingKey":true}')).toEqual({ awaiting: 'link' });
  expect(readSession('{"awaitingKey":false}')).toEqual({});
  expect(readSession('{"awaitingKey":true,"awaiting":"other"}')).toEqual({ awaiting: 'other' });
});

test('what no version knows is forgotten, and no gap is written', () => {
  const session = readSession('{"language":"en","flow":{"step":1}}');
  expect(Object.keys(session)).toEqual(['language']);
});
