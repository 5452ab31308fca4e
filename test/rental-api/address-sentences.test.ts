import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { expect, test } from 'vitest';
import {
  findAddresses,
  findAddressInput,
  findForeignLetters,
  readAddressInput,
} from '../../src/rental-api/address.ts';

const base58check = createBase58check(sha256);
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns a deterministic random source (mulberry32). */
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

/** One address as users and programs write it. */
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

/** Texts that look like addresses but aren't. */
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

test('finds exactly the addresses in a thousand random sentences', () => {
  const draw = draws(20_261_123);
  const seen = { none: 0, one: 0, two: 0 };
  for (let count = 0; count < 1_000; count++) {
    const put = Array.from({ length: draw.below(3) }, () => addressFrom(draw));
    const written = put.map((address) => draw.one(FORMS)(address, draw));
    const nearly = Array.from({ length: draw.below(2) }, () => draw.one(NEARLY)(addressFrom(draw), draw));
    const text = sentence(draw, [...written, ...nearly]);
    expect(findAddresses(text).toSorted(), text).toEqual(put.toSorted());
    expect(findForeignLetters(text), text).toEqual([]);
    seen[put.length === 0 ? 'none' : put.length === 1 ? 'one' : 'two'] += 1;
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(250);
});

test('does not take a sentence without an address for an attempt at one', () => {
  const draw = draws(7);
  for (let count = 0; count < 1_000; count++) {
    const text = sentence(draw, []).replaceAll('T'.repeat(34), 'Tttt');
    expect(findAddressInput(text), text).toBeUndefined();
  }
});

const VALID = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
/** Letters of other alphabets that look like letters of an address. */
const ALIKE = { T: 'Т', H: 'Н', K: 'К', C: 'С', o: 'о', p: 'р', x: 'х', e: 'е' } as const;

test.each(Object.entries(ALIKE))(
  'reports a Cyrillic letter in place of %s with its position and does not replace it',
  (latin, cyrillic) => {
    const address = OTHER.includes(latin) ? OTHER : VALID;
    const place = address.indexOf(latin);
    const text = `to ${address.slice(0, place)}${cyrillic}${address.slice(place + 1)}, please`;
    const letters = [{ letter: cyrillic, place: place + 1, script: 'cyrillic' }];
    expect(findAddresses(text)).toEqual([]);
    expect(readAddressInput(text)).toEqual({ kind: 'foreign', letters });
    expect(findAddressInput(text)).toEqual({ kind: 'foreign', letters });
  },
);

test('reports each foreign letter of any alphabet', () => {
  const text = `\u0422${VALID.slice(1, 10)}\u0391${VALID.slice(11, 20)}\u0561${VALID.slice(21)}`;
  expect(findForeignLetters(text)).toEqual([
    { letter: 'Т', place: 1, script: 'cyrillic' },
    { letter: 'Α', place: 11, script: 'greek' },
    { letter: 'ա', place: 21, script: 'other' },
  ]);
});

test('reports a foreign letter even beside a valid address', () => {
  const text = `${OTHER} ${VALID.replace('H', 'Н')}`;
  expect(readAddressInput(text)).toMatchObject({ kind: 'foreign', letters: [{ letter: 'Н', place: 5 }] });
});

test.each([
  ['a long word of another language', 'Тысячедевятьсотвосьмидесятидевятый'],
  ['a Latin word of the length of an address', 'Tttttttttttttttttttttttttttttttttt'],
  ['an address between words without spaces', `адрес${VALID}конец`],
])('reports no foreign letter in %s', (_, text) => {
  expect(findForeignLetters(text)).toEqual([]);
});

test.each([
  ['one address', `please ${VALID}`, { kind: 'address', address: VALID }],
  ['the same address twice', `${VALID} ${VALID}`, { kind: 'address', address: VALID }],
  ['two addresses', `${VALID}\n${OTHER}`, { kind: 'several', addresses: [VALID, OTHER] }],
  ['groups of four', VALID.replace(/(.{4})/g, '$1 '), { kind: 'address', address: VALID }],
  ['a typing error', VALID.replace('Hq', 'hQ'), { kind: 'none', problem: 'checksum', length: 34 }],
  ['a missing character', VALID.slice(0, -1), { kind: 'none', problem: 'length', length: 33 }],
  ['no address', 'hello', { kind: 'none', problem: 'prefix', length: 5 }],
])('reads a text with %s', (_, text, given) => {
  expect(readAddressInput(text)).toEqual(given);
});

test.each([
  ['a typing error', VALID.replace('Hq', 'hQ')],
  ['a missing character', `buy for ${VALID.slice(0, -1)}`],
  ['a character that no address has', VALID.replace('8', '0')],
])('recognizes an address with %s among words as an attempt', (_, text) => {
  expect(findAddressInput(text)).toMatchObject({ kind: 'none' });
});

test('takes a word for an address if at most half of its letters are foreign', () => {
  const written = (foreign: number) => `T${'о'.repeat(foreign)}${'x'.repeat(33 - foreign)}`;
  expect(findForeignLetters(written(17))).toHaveLength(17);
  expect(findForeignLetters(written(18))).toEqual([]);
});

test('joins groups of four among words, but not other words of four letters', () => {
  const fours = (address: string) => address.replace(/.{4}(?=.)/g, '$& ');
  expect(readAddressInput(`Yours: ${fours(VALID)} please`)).toEqual({ kind: 'address', address: VALID });
  expect(findAddressInput(`${fours(VALID)}\n${fours(OTHER)}`)).toEqual({
    kind: 'several',
    addresses: [VALID, OTHER],
  });
  expect(findAddressInput('This here from what will then have been made ab')).toBeUndefined();
});
