import { describe, expect, test } from 'vitest';
import { containsKey, isQuestion } from '../../src/bot/secrets.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const HASH = '0123456789abcdef'.repeat(4);
const KEY = 'sk_live_4f9a8b7c6d5e4f3a2b1c';

describe('detects a key in a message', () => {
  test.each(
    [
      KEY,
      ` ${KEY}\n`,
      `my key: ${KEY}`,
      `is ${KEY} right?`,
      `"${KEY}",`,
      `(${KEY})`,
      `${ADDRESS} ${KEY}`,
      `https://rental.example/keys ${KEY}`,
      'a1'.repeat(12),
      'ABCDEFGHIJKLMNOPQRSTUVW1',
      '550e8400-e29b-41d4-a716-446655440000',
      '0123456789abcdef0123456789abcdef',
      `${HASH}${HASH}`,
    ].filter((text) => text.length >= 24),
  )('%j', (text) => {
    expect(containsKey(text)).toBe(true);
  });
});

test.each([
  ['word parts', 'a-'.repeat(500_000)],
  ['protocols without a host', 'a://'.repeat(250_000)],
  ['dashes between letters', `a1${'-'.repeat(1_000_000)}b2`],
  ['blanks', `a${' '.repeat(1_000_000)}?`],
])('checks a megabyte of %s', (_what, text) => {
  expect(typeof containsKey(text)).toBe('boolean');
  expect(typeof isQuestion(text)).toBe('boolean');
});

describe('detects no key in a message', () => {
  test.each([
    ['nothing', ''],
    ['an address', ADDRESS],
    ['an address in a sentence', `buy 65000 for ${ADDRESS}, please`],
    ['two addresses', `${ADDRESS}\n${ADDRESS}`],
    ['an address that lacks a character', ADDRESS.slice(0, -1)],
    ['an address with one too many', `${ADDRESS}x`],
    ['an address with a wrong character', ADDRESS.replace('8', '0')],
    ['an address with a Cyrillic letter', ADDRESS.replace('H', 'Н')],
    ['an address with two Cyrillic letters near its end', `${ADDRESS.slice(0, 26)}оо${ADDRESS.slice(28)}`],
    ['an address of another chain', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['an address in hexadecimal', `41${'0a'.repeat(20)}`],
    ['a hash', HASH],
    ['a hash with a prefix', `0x${HASH}`],
    ['a link', `https://tronscan.org/#/address/${ADDRESS}`],
    ['a link with a long part', `see https://rental.example/x/${'a1'.repeat(20)}`],
    ['a link to Telegram', `t.me/somebody?start=${'a1'.repeat(20)}`],
    ['a long word', 'Donaudampfschifffahrtsgesellschaft'],
    ['a long number', '123456789012345678901234'],
    ['23 characters', `${'a1'.repeat(11)}a`],
    ['words', 'how much energy do I need for 10 transfers of USDT per day'],
    ['a command', '/start'],
  ])('%s', (_, text) => {
    expect(containsKey(text)).toBe(false);
  });
});

describe('a message that is a question', () => {
  test.each(['where do I find it?', 'Где его взять?', 'what is that ？', 'is it\nsafe?  '])('%j', (text) => {
    expect(isQuestion(text)).toBe(true);
  });

  test.each(['', '?', 'what?', 'abcd?', `is it ${KEY}?`, 'where do I find it', 'a ? b'])(
    '%j is not a question',
    (text) => {
      expect(isQuestion(text)).toBe(false);
    },
  );
});
