import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { describe, expect, test, vi } from 'vitest';
import {
  findAddresses,
  findAddressInput,
  normalizeText,
  readAddress,
  readAddressInput,
} from '../../src/rental-api/tron.ts';
import { createRandom } from '../support/random.ts';
import { OTHER_ADDRESS as OTHER, ADDRESS as VALID } from './fixture.ts';

function findForeignLetters(text: string) {
  const found = findAddressInput(text);
  return found?.kind === 'foreign' ? found.letters : [];
}

const base58check = createBase58check(sha256);
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

test.each([VALID, OTHER, 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig'])('accepts %s', (address) => {
  expect(readAddress(address)).toEqual({ ok: true, address });
});

test('ignores white space around an address', () => {
  expect(readAddress(`\n ${VALID}\t`)).toEqual({ ok: true, address: VALID });
});

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'evm'],
  ['41a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'hex'],
  ['0x41a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'hex'],
  [VALID.toLowerCase(), 'case'],
  [VALID.slice(0, -1), 'length'],
  [`${VALID}t`, 'length'],
  [VALID.replace('8', '0'), 'alphabet'],
  [`\u2068${VALID}\u2069`, 'prefix'],
  [`T ${VALID.slice(2)}`, 'prefix'],
  ['Tell me more', 'prefix'],
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
    .map((bytes) => base58check.encode(bytes))
    .filter((address) => address.startsWith('T') && address.length === 34);
  expect(foreign.length).toBeGreaterThan(0);
  for (const address of foreign) expect(readAddress(address)).toEqual({ ok: false, problem: 'prefix' });
});

describe('addresses in a text', () => {
  test.each([
    ['in a sentence', `send it to ${VALID}, please.`],
    ['in Russian', `на ${VALID}, пожалуйста`],
    ['next to words that are not Latin', `адрес${VALID}конец`],
    ['between marks', `_${VALID}_ or *${VALID}* or \`${VALID}\``],
    ['in a query', `https://example.com/?to=${VALID}&amount=1`],
    ['after badly encoded characters', `%ff%zz%${VALID}`],
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
    let typos = 0;
    for (const [at, right] of [...VALID].entries()) {
      for (const wrong of ALPHABET) {
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

function draws(seed: number) {
  const { below, pick } = createRandom(seed);
  return { below, one: <T>(of: readonly T[]) => pick(of) as T };
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
  ...['0xdAC17F958D2ee523', 'https://example.com/T/1?x=%20y%zz', '@somebody', '#T34'],
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

/** Letters of other alphabets that look like letters of an address. */
const ALIKE = { T: 'Т', H: 'Н', K: 'К', C: 'С', o: 'о', p: 'р', x: 'х', e: 'е' } as const;

test.each(Object.entries(ALIKE))(
  'reports a Cyrillic letter in place of %s with its position and does not replace it',
  (latin, cyrillic) => {
    const address = OTHER.includes(latin) ? OTHER : VALID;
    const place = address.indexOf(latin);
    const text = `to ${address.slice(0, place)}${cyrillic}${address.slice(place + 1)}, please`;
    const letters = [{ letter: cyrillic, place: place + 1 }];
    expect(findAddresses(text)).toEqual([]);
    expect(readAddressInput(text)).toEqual({ kind: 'foreign', letters });
    expect(findAddressInput(text)).toEqual({ kind: 'foreign', letters });
  },
);

test('reports each foreign letter of any alphabet', () => {
  const text = `\u0422${VALID.slice(1, 10)}\u0391${VALID.slice(11, 20)}\u0561${VALID.slice(21)}`;
  expect(findForeignLetters(text)).toEqual([
    { letter: 'Т', place: 1 },
    { letter: 'Α', place: 11 },
    { letter: 'ա', place: 21 },
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

test('joins the pieces of each address among words, but not other words of four letters', () => {
  const fours = (address: string) => address.replace(/.{4}(?=.)/g, '$& ');
  expect(readAddressInput(`Yours: ${fours(VALID)} please`)).toEqual({ kind: 'address', address: VALID });
  expect(findAddressInput(`${fours(VALID)}\n${fours(OTHER)}`)).toEqual({
    kind: 'several',
    addresses: [VALID, OTHER],
  });
  expect(findAddressInput('This here from what will then have been made ab')).toBeUndefined();
});

const [BEGIN, END] = [OTHER.slice(0, 17), OTHER.slice(17)];

test.each([
  ...[' ', '\n', '\r\n> ', '-', ' - ', '–', '\u2011', '…', '...', '_', '.', "'", ' \u00a0'].map(
    (gap) => `${BEGIN}${gap}${END}`,
  ),
  OTHER.replace(/.{4}(?=.)/g, '$&-'),
  OTHER.replace(/.{17}(?=.)/g, '$& '),
  [...OTHER].join(' '),
  `T ${OTHER.slice(1)}`,
  `Transfer To ${BEGIN} ${END} Today`,
  `${OTHER.slice(0, 28)}\n${OTHER.slice(28)} 65000 1h`,
])('joins the pieces of the address in %j', (text) => {
  for (const read of [readAddressInput, findAddressInput])
    expect(read(text)).toEqual({ kind: 'address', address: OTHER });
});

test('joins no pieces that are not a valid address', () => {
  expect(readAddressInput(`${BEGIN} ${END.slice(0, -1)}`)).toMatchObject({ kind: 'none', problem: 'gap' });
  expect(findAddressInput(`${BEGIN} ${[...END].reverse().join('')}`)).toBeUndefined();
  expect(findAddresses(`${BEGIN} ${END}`)).toEqual([]);
});

test.each(['TR7N…jLj6t', 'TR7NHq...jLj6t', 'TR7N..6t', '(TR7N****jLj6t)', 'to TLx8h8…iLGg4?', 'TR7NHqjeKQ…'])(
  'names the shortened address %j',
  (text) => {
    for (const read of [readAddressInput, findAddressInput])
      expect(read(text)).toMatchObject({ kind: 'none', problem: 'shortened' });
  },
);

test.each(['Thanks...', 'That...is it', 'T...', 'Trust wallet', 'Tell me - is it 100 000?'])(
  'takes %j neither for an address in pieces nor for a shortened one',
  (text) => {
    expect(readAddressInput(text)).toMatchObject({ problem: 'prefix' });
    expect(findAddressInput(text)).toBeUndefined();
  },
);

test.each([
  [`tron:${VALID}?token=USDT&amount=5`, 'USDT'],
  [`https://tronscan.org/#/token20/${VALID}`, 'USDT'],
  [`tronscan.org/#/token20/${VALID}/transfers`, 'USDT'],
  [`see https://tronscan.org/#/contract/${VALID}/code please`, 'USDT'],
  [`https://www.oklink.com/tron/token/${VALID}`, 'USDT'],
  [`https://example.com/?amount=1&contractAddress=${VALID}`, 'USDT'],
  [`https://tronscan.org/#/token20/${OTHER}`, undefined],
])('names the contract in the link %j', (text, name) => {
  expect(readAddressInput(text)).toMatchObject({ kind: 'contract', name });
});

test.each([
  VALID,
  `tron:${VALID}`,
  `tron:${OTHER}?token=USDT&amount=5`,
  `https://tronscan.org/#/address/${OTHER}/token-transfers`,
])('takes %j for an address', (text) => {
  expect(readAddressInput(text)).toMatchObject({ kind: 'address' });
});
