import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { BigNumber } from 'bignumber.js';

const base58check = createBase58check(sha256);
const CHARACTERS = 34;
const BYTES = 21;
const CHAIN_BYTE = 0x41;

type AddressProblem = 'empty' | 'evm' | 'hex' | 'case' | 'prefix' | 'length' | 'alphabet' | 'checksum';
type AddressReading = { ok: true; address: string } | { ok: false; problem: AddressProblem };

/**
 * Parses a chain address: base58check of the byte 0x41 and 20 more, 34 characters that begin with `T`, case-sensitive.
 * Trims white space. Reports the problem that is most obvious to a user.
 */
export function readAddress(text: string): AddressReading {
  const address = text.trim();
  if (address === '') return { ok: false, problem: 'empty' };
  if (/^0x[0-9a-f]{40}$/i.test(address)) return { ok: false, problem: 'evm' };
  if (/^(0x)?41[0-9a-f]{40}$/i.test(address)) return { ok: false, problem: 'hex' };
  // Some programs convert addresses to lower case.
  if (/^t[0-9a-z]{33}$/.test(address)) return { ok: false, problem: 'case' };
  if (!address.startsWith('T')) return { ok: false, problem: 'prefix' };
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(address)) return { ok: false, problem: 'alphabet' };
  if (address.length !== CHARACTERS) return { ok: false, problem: 'length' };
  const bytes = decode(address);
  if (bytes === undefined) return { ok: false, problem: 'checksum' };
  if (bytes.length !== BYTES || bytes[0] !== CHAIN_BYTE) return { ok: false, problem: 'prefix' };
  return { ok: true, address };
}

/** Returns whether a text is an address of TRON, Bitcoin or a similar chain: base58check of 21 bytes. */
export function isBase58Address(text: string): boolean {
  return text.length <= 35 && decode(text)?.length === BYTES;
}

function decode(address: string): Uint8Array | undefined {
  try {
    return base58check.decode(address);
  } catch {
    return undefined;
  }
}

/**
 * Returns the distinct chain addresses in a text. Finds them in sentences, links and URIs, and despite invisible or full-width
 * characters. Doesn't join parts across spaces or lines.
 */
export function findAddresses(text: string): string[] {
  const found = normalizeText(text).match(/(?<![0-9A-Za-z])T[1-9A-HJ-NP-Za-km-z]{33}(?![0-9A-Za-z])/g) ?? [];
  return [...new Set(found)].filter((address) => readAddress(address).ok);
}

/** Normalizes a text: removes invisible characters, converts full-width ones and decodes percent-encoding. */
export function normalizeText(text: string): string {
  return percentDecoded(text)
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/**
 * Percent-encoded characters in well-formed UTF-8 (RFC 3629, section 4). Matches only valid sequences, because
 * `decodeURIComponent` throws for others, which is slow.
 */
const PERCENT_ENCODED = (() => {
  const tail = '%[89ab][0-9a-f]';
  const characters = [
    '%[0-7][0-9a-f]',
    `%(?:c[2-9a-f]|d[0-9a-f])${tail}`,
    `%(?:e0%[ab][0-9a-f]|e[1-9a-cef]${tail}|ed%[89][0-9a-f])${tail}`,
    `%(?:f0%[9ab][0-9a-f]|f[1-3]${tail}|f4%8[0-9a-f])${tail}${tail}`,
  ];
  return new RegExp(`(?:${characters.join('|')})+`, 'gi');
})();

function percentDecoded(text: string): string {
  return text.replace(PERCENT_ENCODED, decodeURIComponent);
}

/** Non-Latin letter in a text of an address's length. `place` counts from 1. */
interface ForeignLetter {
  letter: string;
  place: number;
}

/** Text that begins like an address and has its length, with letters and digits of any alphabet. */
const ADDRESS_LIKE = /(?<![\p{L}\p{N}])[TТΤ][\p{L}\p{N}]{33}(?![\p{L}\p{N}])/gu;
/** Minimum number of Latin letters and digits. With fewer, the text is a word of another language. */
const MIN_LATIN_CHARACTERS = 17;

/**
 * Returns the non-Latin letters in a text that looks like an address. They are reported but never replaced: the intended letter
 * is unknown, and an attacker may have inserted them to hide a known address.
 */
export function findForeignLetters(text: string): ForeignLetter[] {
  const [found] = findTextsWithForeignLetters(text);
  return [...(found ?? '')].flatMap((letter, at) =>
    /[0-9A-Za-z]/.test(letter) ? [] : [{ letter, place: at + 1 }],
  );
}

/** Returns parts of the normalized text that look like addresses but contain non-Latin letters. */
export function findTextsWithForeignLetters(text: string): string[] {
  return (normalizeText(text).match(ADDRESS_LIKE) ?? []).filter((written) => {
    const latin = written.match(/[0-9A-Za-z]/g)?.length ?? 0;
    return latin < CHARACTERS && latin >= MIN_LATIN_CHARACTERS;
  });
}

/** Result of parsing a user's input as an address. */
export type AddressInput =
  | { kind: 'address'; address: string }
  | { kind: 'several'; addresses: string[] }
  | { kind: 'foreign'; letters: ForeignLetter[] }
  /** `length`: number of characters of the part that looks most like an address. */
  | { kind: 'none'; problem: AddressProblem; length: number };

/** Text in groups of four, as addresses are displayed. A checksum tells an address from other words. */
const GROUPS_OF_FOUR =
  /(?<![0-9A-Za-z])T[0-9A-Za-z]{3}(?:[ \u00a0][0-9A-Za-z]{4}){7}[ \u00a0][0-9A-Za-z]{2}(?![0-9A-Za-z])/g;
/** Part of a text that was probably meant as an address, in base58 or hexadecimal. */
const PROBABLE_ADDRESS =
  /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{19,60}|(?:t[0-9a-z]{33}|0x(?:41)?[0-9a-fA-F]{40}|41[0-9a-fA-F]{40})(?![0-9A-Za-z]))/;
/** Like `PROBABLE_ADDRESS`, with a length close to an address's. Distinguishes miscopied addresses from other words in a link. */
const MISCOPIED_ADDRESS =
  /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{31,36}|t[0-9a-z]{33}|0x(?:41)?[0-9a-fA-F]{40}|41[0-9a-fA-F]{40})(?![0-9A-Za-z])/;

/** Parses a user's input as an address: alone, in a sentence, in a link or in groups of four. */
export function readAddressInput(text: string): AddressInput {
  const whole = joinGroupsOfFour(text.trim());
  const letters = findForeignLetters(whole);
  if (letters.length > 0) return { kind: 'foreign', letters };
  const addresses = findAddresses(whole);
  const [address] = addresses;
  if (address !== undefined && addresses.length === 1) return { kind: 'address', address };
  if (address !== undefined) return { kind: 'several', addresses };
  // Reports the problem of the part that looks most like an address.
  const meant = PROBABLE_ADDRESS.exec(whole)?.[0] ?? whole;
  const read = readAddress(meant);
  return { kind: 'none', problem: read.ok ? 'checksum' : read.problem, length: meant.length };
}

/** Removes the spaces of addresses in groups of four. */
export function joinGroupsOfFour(text: string): string {
  return text.replace(GROUPS_OF_FOUR, (fours) => {
    const read = readAddress(fours.replace(/\s/g, ''));
    return read.ok ? read.address : fours;
  });
}

/** Like `readAddressInput`, for texts that needn't contain an address. Returns `undefined` if nothing looks like one. */
export function findAddressInput(text: string): AddressInput | undefined {
  const given = readAddressInput(text);
  return given.kind !== 'none' || MISCOPIED_ADDRESS.test(normalizeText(text)) ? given : undefined;
}

/** Well-known addresses of TRON's main network that aren't wallets: tokens, the SunSwap router, the burn address. */
const CONTRACTS = new Map([
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT'],
  ['TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', 'USDC'],
  ['TXDk8mbtRbXeYuMNS83CfKPaYYT8XWv9Hz', 'USDD'],
  ['TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDn', 'USDD'],
  ['TMwFHYXLJaRUPeW6421aqXL4ZEzPRFGkGT', 'USDJ'],
  ['TUpMhErZL2fhh4sVNULAbNKLokS4GjC1F4', 'TUSD'],
  ['TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR', 'WTRX'],
  ['TAFjULxiVgT4qWk6UZwjqwZXTSaGaqnVp4', 'BTT'],
  ['TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9', 'JST'],
  ['TSSMHYeV2uE9qYH95DqyoCuNCzEL1NvU3S', 'SUN'],
  ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'WIN'],
  ['TFczxzPhnThNSqr5by8tvxsdCFRRz6cPNq', 'NFT'],
  ['TXF1xDbVGdxFGbovmmmXvBGu8ZiE3Lq4mR', 'SunSwap'],
  ['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'TRON'],
]);

/** Returns the name of a well-known contract, or `undefined` for any other address. */
export function contractNameOf(address: string): string | undefined {
  return CONTRACTS.get(address);
}

/** Section 8 of the specification: value limits and constants. Amounts of TRX are decimal strings. */
export const ENERGY_MIN = 32_000;
export const ENERGY_MAX = 5_000_000;
export const ENERGY_DURATIONS = [1, 24] as const;
export const ENERGY_PER_TRANSFER = 65_000;
export const ENERGY_PER_FIRST_TRANSFER = 131_000;
export const BANDWIDTH_MIN = 350;
export const BANDWIDTH_MAX = 100_000;
export const INVOICE_TRANSFERS_MIN = 1;
export const INVOICE_TRANSFERS_MAX = 100;
export const INVOICE_LIFETIME_MS = 30 * 60_000;
export const PACKAGE_SIZE_MIN = 1;
export const PACKAGE_SIZE_MAX = 10_000;
export const WITHDRAWAL_FEE_TRX = '1';
export const ACTIVATION_COST_TRX = '1.1';
const BANDWIDTH_FEE_TRX = '0.2';
/** Price of 1,000 bandwidth for a day (section 4, endpoint 2). */
const BANDWIDTH_TRX_PER_THOUSAND = '9.6';
export const BW_GUARANTEE_FEE_TRX = '0.3';

const PER_MINUTE: Partial<Record<string, number>> = {
  buyEnergy: 30,
  buyBandwidth: 30,
  createInvoice: 20,
  activateSmartMode: 10,
  withdraw: 1,
};
const OTHERS_PER_MINUTE = 60;

/** Returns the number of requests allowed per minute at an endpoint (section 8), by its name. */
export function requestsPerMinute(endpoint: string): number {
  return PER_MINUTE[endpoint] ?? OTHERS_PER_MINUTE;
}

const SUN_DECIMALS = 6;

/** Parses a decimal amount of TRX exactly, as the service writes it. Returns `undefined` for exponents, commas, units or more than 40 characters. */
export function parseDecimalTrx(text: string): BigNumber | undefined {
  const trimmed = text.trim();
  return trimmed.length <= 40 && /^-?\d+(\.\d+)?$/.test(trimmed) ? new BigNumber(trimmed) : undefined;
}

/** Formats TRX with at least two decimals: `2.32`, `9.80`, `2.3192`. */
export function formatTrx(amount: BigNumber): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces() ?? 0));
}

/** Converts sun to TRX exactly: 1 TRX is 1,000,000 sun. */
export function trxFromSun(sun: BigNumber.Value): BigNumber {
  return new BigNumber(sun).shiftedBy(-SUN_DECIMALS);
}

/** Rounds TRX down to whole sun. */
export function downToWholeSun(trx: BigNumber): BigNumber {
  return trx.decimalPlaces(SUN_DECIMALS, BigNumber.ROUND_DOWN);
}

/** Rounds TRX half up to whole sun, the smallest unit. */
export function toWholeSun(trx: BigNumber): BigNumber {
  return trx.decimalPlaces(SUN_DECIMALS, BigNumber.ROUND_HALF_UP);
}

/**
 * Estimates the price of energy in TRX: amount × sun ÷ 1,000,000, rounded to the sun. The formula isn't in the specification
 * (section 4, gaps). Returns `undefined` if no price is known for this duration.
 */
export function estimateEnergy(
  { amount, hours }: { amount: number; hours: number },
  prices: { energySunPerUnit?: Readonly<Record<string, string>> },
): string | undefined {
  const sun = prices.energySunPerUnit?.[hours];
  const price = toWholeSun(trxFromSun(new BigNumber(sun ?? 0).times(amount)));
  return price.gt(0) ? formatTrx(price) : undefined;
}

/**
 * Estimates the price of bandwidth in TRX, rounded to the sun: (volume ÷ 1000) × 9.6 × hours ÷ 24 + 0.2. The formula of section
 * 4, endpoint 2 omits the hours. With them, its sample (1000 for 24 hours) gives the documented 9.80.
 */
export function estimateBandwidth({ amount, hours }: { amount: number; hours: number }): string {
  const rented = new BigNumber(BANDWIDTH_TRX_PER_THOUSAND).times(amount).times(hours).div(24_000);
  return formatTrx(toWholeSun(rented.plus(BANDWIDTH_FEE_TRX)));
}
