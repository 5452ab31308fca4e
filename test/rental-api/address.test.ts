import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { describe, expect, test, vi } from 'vitest';
import { findAddresses, normalizeText, readAddress } from '../../src/rental-api/address.ts';

const VALID = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

test.each([VALID, 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4', 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig'])(
  'accepts %s',
  (address) => {
    expect(readAddress(address)).toEqual({ ok: true, address });
  },
);

test('ignores white space around an address', () => {
  expect(readAddress(`\n ${VALID}\t`)).toEqual({ ok: true, address: VALID });
});

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'prefix'],
  [VALID.toLowerCase(), 'case'],
  [VALID.slice(0, -1), 'length'],
  [`${VALID}t`, 'length'],
  [VALID.replace('8', '0'), 'alphabet'],
  [`\u2068${VALID}\u2069`, 'prefix'],
  [`T ${VALID.slice(2)}`, 'alphabet'],
  ['TKVSaJQDWeKFSEXmA44pjxduGTxy999999', 'checksum'],
  ['TRqtXk9mP7vJ2nLcQ8Wy3bFhKzR4ewDUyu', 'checksum'],
  [VALID.replace('Hq', 'hQ'), 'checksum'],
])('rejects %j: %s', (text, problem) => {
  expect(readAddress(text)).toEqual({ ok: false, problem });
});

test('rejects addresses of other chains that start with T and have a valid checksum', () => {
  const foreign = [...Array(256).keys()]
    .filter((version) => version !== 0x41)
    .flatMap((version) => [0x00, 0xff].map((fill) => new Uint8Array(21).fill(fill).fill(version, 0, 1)))
    .map((bytes) => createBase58check(sha256).encode(bytes))
    .filter((address) => address.startsWith('T') && address.length === 34);
  expect(foreign.length).toBeGreaterThan(0);
  for (const address of foreign) expect(readAddress(address)).toEqual({ ok: false, problem: 'prefix' });
});

describe('addresses in a text', () => {
  const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
  const fullWidth = [...VALID]
    .map((sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0))
    .join('');
  const between = (sign: string) => [...VALID].join(sign);

  test.each([
    ['if alone', VALID],
    ['in a sentence', `send it to ${VALID}, please.`],
    ['in Russian', `на ${VALID}, пожалуйста`],
    ['next to words that are not Latin', `адрес${VALID}конец`],
    ['in brackets', `(${VALID})`],
    ['between marks', `_${VALID}_ or *${VALID}* or \`${VALID}\``],
    ['in a link', `https://tronscan.org/#/address/${VALID}`],
    ['in a longer link', `https://tronscan.org/address/${VALID}/transfers?page=2`],
    ['in a query', `https://example.com/?to=${VALID}&amount=1`],
    ['after encoded characters', `https://example.com/?q=to%3A%20${VALID}%0A`],
    ['after badly encoded characters', `%ff%zz%${VALID}`],
    ['in a URI', `tron:${VALID}?amount=1`],
    ['written full-width', fullWidth],
    ['with a zero width space after each character', between('\u200b')],
    ['with joiners', between('\u200d')],
    ['with a soft hyphen', `${VALID.slice(0, 17)}\u00ad${VALID.slice(17)}`],
    ['between isolates', `\u2068${VALID}\u2069`],
    ['with a byte order mark', `\ufeff${VALID}`],
    ['with a variation selector', `${VALID}\ufe0f`],
    ['twice', `${VALID}\n${VALID}`],
  ])('are found %s', (_, text) => {
    expect(findAddresses(text)).toEqual([VALID]);
  });

  test('are both found if there are two', () => {
    expect(findAddresses(`from ${VALID} to ${OTHER}`)).toEqual([VALID, OTHER]);
  });

  test.each([
    ['in an empty text', ''],
    ['in words', 'Hello, how much is it?'],
    ['inside a longer word', `x${VALID}`],
    ['with an extra letter', `${VALID}t`],
    ['with a missing letter', VALID.slice(0, -1)],
    ['across a space', `${VALID.slice(0, 17)} ${VALID.slice(17)}`],
    ['across lines', `${VALID.slice(0, 17)}\n${VALID.slice(17)}`],
    ['in lower case', VALID.toLowerCase()],
    ['of another chain', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ])('are not found %s', (_, text) => {
    expect(findAddresses(text)).toEqual([]);
  });

  test('are not found if any one character is wrong', () => {
    const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    let typos = 0;
    for (const [at, right] of [...VALID].entries()) {
      for (const wrong of alphabet) {
        if (wrong === right) continue;
        typos += 1;
        expect(findAddresses(VALID.slice(0, at) + wrong + VALID.slice(at + 1))).toEqual([]);
      }
    }
    expect(typos).toBe(34 * 57);
  });

  test('are not found if two adjacent characters are swapped', () => {
    for (let at = 1; at < VALID.length - 1; at++) {
      const [one = '', other = ''] = VALID.slice(at, at + 2);
      if (one === other) continue;
      expect(findAddresses(VALID.slice(0, at) + other + one + VALID.slice(at + 2))).toEqual([]);
    }
  });
});

test.each(['T', '%41', '%f0', '\u200b', 'T\u200b', ' '])('finds no address in a megabyte of %j', (part) => {
  const text = part.repeat(1_000_000 / part.length);
  expect(findAddresses(text)).toEqual([]);
  expect(readAddress(text).ok).toBe(false);
});

describe('percent-encoded text', () => {
  const encoded = (text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

  test.each([
    ['%ff', 4096],
    ['%ff ', 4096],
    ['%e2%82 ', 4096],
    ['%c0%80x', 4096],
    ['%ed%a0%80 ', 4096],
    ['%f5%80%80%80 ', 4096],
  ])('is not decoded if it is invalid UTF-8: %j', (piece, length) => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent');
    const text = piece.repeat(length / piece.length);
    expect(normalizeText(text)).toBe(text);
    expect(decode).not.toHaveBeenCalled();
    decode.mockRestore();
  });

  test('is decoded in one call, for all lengths of UTF-8 characters', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent');
    const text = 'Aя€😀\u{10ffff}';
    expect(normalizeText(encoded(text))).toBe(text);
    expect(decode).toHaveBeenCalledTimes(1);
    decode.mockRestore();
  });

  test('is searched for addresses beside invalid UTF-8', () => {
    expect(findAddresses(`%ff${encoded(` ${VALID} `)}%ff`)).toEqual([VALID]);
  });
});
