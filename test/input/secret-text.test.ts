import { describe, expect, test, vi } from 'vitest';
import { createOperator } from '../../src/accounts/operator.ts';
import {
  containsKey,
  containsOperatorKey,
  isQuestion,
  parseOneTimeCode,
} from '../../src/input/secret-text.ts';
import { controlWordOf } from '../../src/input/words.ts';
import { findAddressInput } from '../../src/rental-api/tron.ts';
import { LONG_TEXTS } from '../support/long-texts.ts';
import { KEYS, NO_KEYS, OTHER_CHAINS } from '../support/other-words.ts';

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const HASH = '0123456789abcdef'.repeat(4);
const OPERATOR_KEY = 'operator-key';
const OPERATOR = createOperator({ operatorKey: OPERATOR_KEY, rental: { profile: vi.fn() } });
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

describe.each([
  ['alone', (text: string) => text],
  ['in a sentence', (text: string) => `Send it to ${text} please`],
  ['in bold', (text: string) => `**${text}**`],
  ['in quotes after a colon', (text: string) => `wallet: "${text}",`],
  ['at the end of a long text', (text: string) => `${'1 '.repeat(2_000)}${text}`],
])('%s,', (_where, write) => {
  test.each([...NO_KEYS, ...OTHER_CHAINS])('%s is no key: %s', (_, text) => {
    expect(containsKey(write(text))).toBe(false);
  });

  test.each(KEYS)('%s counts as a key', (_, text) => {
    expect(containsKey(write(text))).toBe(true);
  });
});

test.each(Object.entries(LONG_TEXTS))(
  'reads 256 KB of %s, which takes minutes in quadratic time',
  (_what, part) => {
    const text = part.repeat(Math.ceil(256_000 / part.length));
    expect(containsKey(text)).toBe(false);
    expect(containsKey(`${text} ${KEY}`)).toBe(true);
    expect(containsOperatorKey(OPERATOR, text)).toBe(false);
    expect(containsOperatorKey(OPERATOR, `${text} ${OPERATOR_KEY}`)).toBe(true);
    expect(isQuestion(`is ${text} it?`)).toBe(true);
    expect(parseOneTimeCode(text)).toBeUndefined();
    expect(controlWordOf(text)).toBeUndefined();
    expect(findAddressInput(`${text} ${ADDRESS}`)).toMatchObject({ kind: 'address' });
  },
);

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
