import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { expect, test } from 'vitest';
import { readAddress } from '../../src/rental/address.ts';

const VALID = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

test.each([VALID, 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4', 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig'])(
  '%s is an address',
  (address) => {
    expect(readAddress(address)).toEqual({ ok: true, address });
  },
);

test('white space around an address is dropped', () => {
  expect(readAddress(`\n ${VALID}\t`)).toEqual({ ok: true, address: VALID });
});

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'prefix'],
  [VALID.toLowerCase(), 'prefix'],
  [VALID.slice(0, -1), 'length'],
  [`${VALID}t`, 'length'],
  [VALID.replace('8', '0'), 'alphabet'],
  [`\u2068${VALID}\u2069`, 'prefix'],
  [`T ${VALID.slice(2)}`, 'alphabet'],
  ['TKVSaJQDWeKFSEXmA44pjxduGTxy999999', 'checksum'],
  ['TRqtXk9mP7vJ2nLcQ8Wy3bFhKzR4ewDUyu', 'checksum'],
  [VALID.replace('Hq', 'hQ'), 'checksum'],
])('%j is refused: %s', (text, problem) => {
  expect(readAddress(text)).toEqual({ ok: false, problem });
});

test('an address of another chain is refused, though its checksum fits and it begins with T', () => {
  const foreign = [...Array(256).keys()]
    .filter((version) => version !== 0x41)
    .flatMap((version) => [0x00, 0xff].map((fill) => new Uint8Array(21).fill(fill).fill(version, 0, 1)))
    .map((bytes) => createBase58check(sha256).encode(bytes))
    .filter((address) => address.startsWith('T') && address.length === 34);
  expect(foreign.length).toBeGreaterThan(0);
  for (const address of foreign) expect(readAddress(address)).toEqual({ ok: false, problem: 'prefix' });
});
