import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { expect, test } from 'vitest';
import { findAddresses, foreignLetters } from '../../src/rental/address.ts';
import { addressAmongWords, readGivenAddress } from '../../src/rental/given-address.ts';

const base58check = createBase58check(sha256);
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The same sequence in every run (mulberry32). */
function draws(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  return { below, one };
}

const WORDS = [
  ...['please', 'send', '65000', 'to', 'my', 'wallet', 'USDT', 'T', 'TRX', 'Trust', 'the', 'address', 'is'],
  ...[
    'пожалуйста',
    'на',
    'адрес',
    'кошелёк',
    'перевод',
    '能量',
    '送ってください',
    '⚡️',
    '👉',
    '—',
    '12.5',
    '…',
  ],
  ...['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'https://example.com/T/1?x=%20y%zz', '@somebody', '#T34'],
  ...['f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16', '50%', 'T'.repeat(34)],
];
const BETWEEN = [' ', '\n', ', ', ': ', ' \u00a0', '; ', ' | '];
const UNSEEN = ['\u200b', '\u200d', '\u00ad', '\u2060', '\ufeff', '\ufe0f', '\u2066'];

/** The same address as people and programs write it. */
const FORMS: ((address: string, draw: ReturnType<typeof draws>) => string)[] = [
  (address) => address,
  (address) => `(${address})`,
  (address) => `«${address}».`,
  (address) => `_${address}_`,
  (address) => `\`${address}\``,
  (address) => `tron:${address}?amount=5`,
  (address) => `https://tronscan.org/#/address/${address}`,
  (address) => `https://tronscan.org/address/${address}/transfers?page=2#top`,
  (address) => `https://example.com/?q=to%3A%20${address}%0A`,
  (address) => `https://example.com/?to=%54${address.slice(1)}`,
  (address) => `https://t.me/share/url?url=${encodeURIComponent(`tron:${address}`)}`,
  (address) => [...address].map((sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0)).join(''),
  (address, { below, one }) => {
    const at = below(33) + 1;
    return address.slice(0, at) + one(UNSEEN) + address.slice(at);
  },
  (address, { one }) => [...address].join(one(UNSEEN)),
];

/** What looks like an address, and is none. */
const NEARLY: ((address: string, draw: ReturnType<typeof draws>) => string)[] = [
  (address, { below, one }) => {
    const at = below(33) + 1;
    const wrong = [...ALPHABET].filter((sign) => sign !== address[at]);
    return address.slice(0, at) + one(wrong) + address.slice(at + 1);
  },
  (address) => address.slice(0, -1),
  (address) => `${address}a`,
  (address) => `x${address}`,
  (address) => address.toLowerCase(),
  (address, { below }) => {
    const at = below(32) + 1;
    return `${address.slice(0, at)} ${address.slice(at)}`;
  },
  (address, { below }) => {
    const at = below(32) + 1;
    return `${address.slice(0, at)}\n${address.slice(at)}`;
  },
];

function addressFrom({ below }: ReturnType<typeof draws>): string {
  const bytes = Uint8Array.from({ length: 21 }, (_, at) => (at === 0 ? 0x41 : below(256)));
  return base58check.encode(bytes);
}

function sentence(draw: ReturnType<typeof draws>, inside: string[]): string {
  const words = Array.from({ length: 1 + draw.below(9) }, () => draw.one(WORDS));
  for (const part of inside) words.splice(draw.below(words.length + 1), 0, part);
  return words.reduce((text, word) => text + draw.one(BETWEEN) + word);
}

test('of a thousand random sentences, each holds the addresses that were put into it, and no other', () => {
  const draw = draws(20_261_123);
  const seen = { none: 0, one: 0, two: 0 };
  for (let count = 0; count < 1_000; count++) {
    const put = Array.from({ length: draw.below(3) }, () => addressFrom(draw));
    const written = put.map((address) => draw.one(FORMS)(address, draw));
    const nearly = Array.from({ length: draw.below(2) }, () => draw.one(NEARLY)(addressFrom(draw), draw));
    const text = sentence(draw, [...written, ...nearly]);
    expect(findAddresses(text).toSorted(), text).toEqual(put.toSorted());
    expect(foreignLetters(text), text).toEqual([]);
    seen[put.length === 0 ? 'none' : put.length === 1 ? 'one' : 'two'] += 1;
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(250);
});

test('a sentence without anything meant as an address is nobody’s address', () => {
  const draw = draws(7);
  for (let count = 0; count < 1_000; count++) {
    const text = sentence(draw, []).replaceAll('T'.repeat(34), 'Tttt');
    expect(addressAmongWords(text), text).toBeUndefined();
  }
});

const VALID = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
/** Letters of other alphabets that look like those of an address. */
const ALIKE = { T: 'Т', H: 'Н', K: 'К', C: 'С', o: 'о', p: 'р', x: 'х', e: 'е' } as const;

test.each(Object.entries(ALIKE))(
  'a Cyrillic letter in place of %s is named with its place, and not replaced',
  (latin, cyrillic) => {
    const address = OTHER.includes(latin) ? OTHER : VALID;
    const place = address.indexOf(latin);
    const text = `to ${address.slice(0, place)}${cyrillic}${address.slice(place + 1)}, please`;
    const letters = [{ letter: cyrillic, place: place + 1, script: 'cyrillic' }];
    expect(findAddresses(text)).toEqual([]);
    expect(readGivenAddress(text)).toEqual({ kind: 'foreign', letters });
    expect(addressAmongWords(text)).toEqual({ kind: 'foreign', letters });
  },
);

test('each of several letters is named, of whatever alphabet', () => {
  const text = `\u0422${VALID.slice(1, 10)}\u0391${VALID.slice(11, 20)}\u0561${VALID.slice(21)}`;
  expect(foreignLetters(text)).toEqual([
    { letter: 'Т', place: 1, script: 'cyrillic' },
    { letter: 'Α', place: 11, script: 'greek' },
    { letter: 'ա', place: 21, script: 'other' },
  ]);
});

test('beside an address that is one, one with such a letter is named all the same', () => {
  const text = `${OTHER} ${VALID.replace('H', 'Н')}`;
  expect(readGivenAddress(text)).toMatchObject({ kind: 'foreign', letters: [{ letter: 'Н', place: 5 }] });
});

test.each([
  ['a long word of another language', 'Тысячедевятьсотвосьмидесятидевятый'],
  ['a word of the length of an address in Latin letters', 'Tttttttttttttttttttttttttttttttttt'],
  ['an address amid words without spaces', `адрес${VALID}конец`],
])('in %s no letter is foreign', (_, text) => {
  expect(foreignLetters(text)).toEqual([]);
});

test.each([
  ['one', `please ${VALID}`, { kind: 'address', address: VALID }],
  ['the same twice', `${VALID} ${VALID}`, { kind: 'address', address: VALID }],
  ['two', `${VALID}\n${OTHER}`, { kind: 'several', addresses: [VALID, OTHER] }],
  ['groups of four', VALID.replace(/(.{4})/g, '$1 '), { kind: 'address', address: VALID }],
  ['a typing error', VALID.replace('Hq', 'hQ'), { kind: 'none', problem: 'checksum', length: 34 }],
  ['a character too few', VALID.slice(0, -1), { kind: 'none', problem: 'length', length: 33 }],
  ['nothing', 'hello', { kind: 'none', problem: 'prefix', length: 5 }],
])('what is given as an address with %s in it', (_, text, given) => {
  expect(readGivenAddress(text)).toEqual(given);
});

test.each([
  ['a typing error', VALID.replace('Hq', 'hQ')],
  ['a character too few', `buy for ${VALID.slice(0, -1)}`],
  ['a character that no address has', VALID.replace('8', '0')],
])('among words %s is taken for an attempt at one', (_, text) => {
  expect(addressAmongWords(text)).toMatchObject({ kind: 'none' });
});

test('half of an address may be letters of another alphabet to be taken for one, and no more', () => {
  const written = (foreign: number) => `T${'о'.repeat(foreign)}${'x'.repeat(33 - foreign)}`;
  expect(foreignLetters(written(17))).toHaveLength(17);
  expect(foreignLetters(written(18))).toEqual([]);
});

test('groups of four are read back, also among words and beside others; what only looks so is left alone', () => {
  const fours = (address: string) => address.replace(/.{4}(?=.)/g, '$& ');
  expect(readGivenAddress(`Yours: ${fours(VALID)} please`)).toEqual({ kind: 'address', address: VALID });
  expect(addressAmongWords(`${fours(VALID)}\n${fours(OTHER)}`)).toEqual({
    kind: 'several',
    addresses: [VALID, OTHER],
  });
  expect(addressAmongWords('This here from what will then have been made ab')).toBeUndefined();
});
