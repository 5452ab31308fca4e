import { blake2b } from '@noble/hashes/blake2.js';
import { sha256, sha512_256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base32nopad, base58, base58xmr, base58xrp, bech32, bech32m } from '@scure/base';

/** Name of a chain, `other` for a chain without a name here, or `bank` for a bank account number (IBAN). */
type OtherChain = string;

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;

/**
 * Decodes base58check. Returns `undefined` for other texts: an exception for each word of a long text would be slow.
 */
export function decodeBase58Check(text: string, { decode }: typeof base58 = base58): Uint8Array | undefined {
  if (!BASE58.test(text)) return undefined;
  const bytes = decode(text);
  return endsWith(bytes, sha256(sha256(bytes.subarray(0, -4))), 4) ? bytes.subarray(0, -4) : undefined;
}

/** Returns whether the last `length` bytes are the first ones of `checksum`. */
function endsWith(bytes: Uint8Array, checksum: Uint8Array, length: number): boolean {
  return bytes.length > length && bytes.subarray(-length).every((byte, at) => byte === checksum[at]);
}

type Read = (word: string) => OtherChain | undefined;

/** Names of chains by the first byte of a base58check address. `0x41` is TRON. */
const BY_VERSION: Partial<Record<number, OtherChain>> = {
  0: 'Bitcoin',
  5: 'Bitcoin',
  48: 'Litecoin',
  50: 'Litecoin',
  30: 'Dogecoin',
  22: 'Dogecoin',
  76: 'Dash',
  16: 'Dash',
};
const TRON_VERSION = 0x41;

/** Private keys have more bytes. */
const readBase58Check: Read = (word) => {
  const payload = decodeBase58Check(word) ?? new Uint8Array();
  const { length, 0: version = TRON_VERSION } = payload;
  if (length === 21 && version !== TRON_VERSION) return BY_VERSION[version] ?? 'other';
  if (length === 22) return 'Zcash';
  return length === 23 ? 'Tezos' : undefined;
};

const readRipple: Read = (word) => (decodeBase58Check(word, base58xrp)?.length === 21 ? 'Ripple' : undefined);

/** Human-readable parts of bech32 that name a secret, such as `nsec`. */
const SECRET_PART = /sec|priv|seed|sk$/;
const BY_BECH32_PART = new Map([
  ['bc', 'Bitcoin'],
  ['ltc', 'Litecoin'],
  ['addr', 'Cardano'],
  ['stake', 'Cardano'],
  ['cosmos', 'Cosmos'],
]);

/** Reads bech32 and bech32m (BIP 173, BIP 350), of any length. */
const readBech32: Read = (word) => {
  const { prefix } = bech32.decodeUnsafe(word, false) ?? bech32m.decodeUnsafe(word, false) ?? {};
  return prefix === undefined || SECRET_PART.test(prefix)
    ? undefined
    : (BY_BECH32_PART.get(prefix) ?? 'other');
};

const CASH_CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** Each generator has 40 bits, here in two halves. */
const CASH_GENERATORS = [
  [0x98f2b, 0xc8e61],
  [0x79b76, 0xd99e2],
  [0xf33e5, 0xfb3c4],
  [0xae2ea, 0xbe2a8],
  [0x1e4f4, 0x3e470],
] as const;

/** Reads an address of Bitcoin Cash without its prefix (CashAddr). */
const readCashAddress: Read = (word) => {
  const values = [
    ...[...'bitcoincash'].map((letter) => letter.charCodeAt(0) & 31),
    0,
    ...[...word].map((letter) => CASH_CHARACTERS.indexOf(letter)),
  ];
  let [high, low] = [0, 1];
  for (const value of values) {
    const top = high >> 15;
    high = ((high & 0x7fff) << 5) | (low >> 15);
    low = ((low & 0x7fff) << 5) ^ value;
    CASH_GENERATORS.forEach(([highPart, lowPart], bit) => {
      if (((top >> bit) & 1) === 0) return;
      high ^= highPart;
      low ^= lowPart;
    });
  }
  return high === 0 && low === 1 ? 'Bitcoin Cash' : undefined;
};

/** CRC16 of XMODEM, as TON and Stellar use it. */
function crc16(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => {
    let next = sum ^ (byte << 8);
    for (let bit = 0; bit < 8; bit++) next = (next << 1) ^ (next & 0x8000 ? 0x1021 : 0);
    return next & 0xffff;
  }, 0);
}

/** First bytes of TON's user-friendly addresses: bounceable or not, of the main or a test network. */
const TON_TAGS = [0x11, 0x51, 0x91, 0xd1];

/** Also accepts a checksum of the same account with another tag: users change the first letter. */
const readTon: Read = (word) => {
  const bytes = Buffer.from(word, 'base64');
  const checksum = bytes.readUInt16BE(34);
  return TON_TAGS.some((tag) => crc16(bytes.subarray(0, 34).fill(tag, 0, 1)) === checksum)
    ? 'TON'
    : undefined;
};

const readStellar: Read = (word) => {
  const bytes = Buffer.from(base32nopad.decode(word));
  return crc16(bytes.subarray(0, 33)) === bytes.readUInt16LE(33) ? 'Stellar' : undefined;
};

const readAlgorand: Read = (word) => {
  const bytes = base32nopad.decode(word);
  return endsWith(bytes, sha512_256(bytes.subarray(0, -4)).subarray(-4), 4) ? 'Algorand' : undefined;
};

const SS58_PREFIX = new TextEncoder().encode('SS58PRE');

const readPolkadot: Read = (word) => {
  const bytes = base58.decode(word);
  if (bytes.length !== 35 && bytes.length !== 36) return undefined;
  const hash = blake2b.create().update(SS58_PREFIX).update(bytes.subarray(0, -2)).digest();
  return endsWith(bytes, hash, 2) ? 'Polkadot' : undefined;
};

const readMonero: Read = (word) => {
  try {
    const bytes = base58xmr.decode(word);
    return endsWith(bytes, keccak_256(bytes.subarray(0, -4)), 4) ? 'Monero' : undefined;
  } catch {
    return undefined;
  }
};

/** Reads an IBAN (ISO 13616): the number with its first four characters at the end is 1 modulo 97. */
const readBankAccount: Read = (word) => {
  const digits = [...(word.slice(4) + word.slice(0, 4))].map((sign) => parseInt(sign, 36)).join('');
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1 ? 'bank' : undefined;
};

/** Forms of addresses. Each contains a checksum, which distinguishes it from an API key. */
const FORMS: readonly (readonly [RegExp, Read])[] = [
  [/^[EUk0]Q[\w+/-]{46}$/, readTon],
  [/^[A-Z]{2}\d{2}[0-9A-Z]{11,30}$/, readBankAccount],
  [/^G[A-Z2-7]{55}$/, readStellar],
  [/^[A-Z2-7]{58}$/, readAlgorand],
  [/^[qp][02-9ac-hj-np-z]{41}$/, readCashAddress],
  [/^(?:[a-z]{1,20}1[02-9ac-hj-np-z]{20,120}|[A-Z]{1,20}1[02-9AC-HJ-NP-Z]{20,120})$/, readBech32],
  [/^[1-9A-HJ-NP-Za-km-z]{24,38}$/, readBase58Check],
  [/^r[1-9A-HJ-NP-Za-km-z]{23,34}$/, readRipple],
  [/^[1-9A-HJ-NP-Za-km-z]{46,50}$/, readPolkadot],
  [/^[48][1-9A-HJ-NP-Za-km-z]{94}(?:[1-9A-HJ-NP-Za-km-z]{11})?$/, readMonero],
];

/** Length of the longest form with marks around it. Longer words would only cost time. */
const LONGEST_WORD = 150;

/** Returns the chain of a word that is another chain's address by its checksum, or `bank` for a bank account number. */
function otherChainOf(word: string): OtherChain | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const readers = FORMS.flatMap(([form, read]) => (form.test(word) ? [read] : []));
  for (const read of readers) {
    const chain = read(word);
    if (chain !== undefined) return chain;
  }
  // Without the marks of bold or italic text.
  const inside = word.replace(/^[_-]{1,3}|[_-]{1,3}$/g, '');
  return inside === word ? undefined : otherChainOf(inside);
}

/** Words that may be addresses: in base64 with `+` and `/`, in any other form, and in TON's raw form. */
const CANDIDATES = [/(?<![\w+/-])[EUk0]Q[\w+/-]{46}(?![\w+/-])/g, /[\w-]{24,}/g];
const RAW_TON = /(?<![\w-])(?:-1|0):[0-9a-f]{64}(?!\w)/i;

/** Returns the chain of the first address of another chain in a normalized text, or `bank` for a bank account number. */
export function findOtherChain(text: string): OtherChain | undefined {
  if (RAW_TON.test(text)) return 'TON';
  for (const candidates of CANDIDATES) {
    for (const [word] of text.matchAll(candidates)) {
      const chain = otherChainOf(word);
      if (chain !== undefined) return chain;
    }
  }
  return undefined;
}

/** Removes the addresses of other chains and the bank account numbers from a normalized text. */
export function withoutOtherChains(text: string): string {
  return CANDIDATES.reduce(
    (rest, candidates) => rest.replace(candidates, (word) => (otherChainOf(word) === undefined ? word : ' ')),
    text,
  );
}
