import { BigNumber } from 'bignumber.js';
import { MINUTE_MS } from '../platform/clock.ts';
import { decodeBase58Check, findOtherChain } from './other-chains.ts';

const CHARACTERS = 34;
const BYTES = 21;
const CHAIN_BYTE = 0x41;

type AddressProblem =
  | ('empty' | 'evm' | 'hex' | 'case' | 'prefix' | 'length' | 'alphabet' | 'checksum')
  /** In several pieces, or without its middle. */
  | ('gap' | 'shortened');
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
  if (/[^0-9A-Za-z]/.test(address)) return { ok: false, problem: isInPieces(address) ? 'gap' : 'prefix' };
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(address)) return { ok: false, problem: 'alphabet' };
  if (address.length !== CHARACTERS) return { ok: false, problem: 'length' };
  const bytes = decodeBase58Check(address);
  if (bytes === undefined) return { ok: false, problem: 'checksum' };
  if (bytes.length !== BYTES || bytes[0] !== CHAIN_BYTE) return { ok: false, problem: 'prefix' };
  return { ok: true, address };
}

/** Valid address for the samples of endpoints and operation kinds. It is the contract of USDT. */
export const SAMPLE_ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

/** Returns whether a text consists of pieces that have about an address's length only together. */
function isInPieces(text: string): boolean {
  const pieces = text.split(/[^0-9A-Za-z]+/);
  const isNearly = (length: number) => Math.abs(length - CHARACTERS) < 4;
  return (
    /\d/.test(text) && isNearly(pieces.join('').length) && !pieces.some(({ length }) => isNearly(length))
  );
}

/** Returns whether a text is an address of TRON, Bitcoin or a similar chain: base58check of 21 bytes. */
export function isBase58Address(text: string): boolean {
  // The first byte is 0, written as `1`, or the text has at least 33 characters.
  const hasLength = text.length >= 26 && text.length <= 35 && (text.startsWith('1') || text.length >= 33);
  return hasLength && decodeBase58Check(text)?.length === BYTES;
}

/**
 * Returns the distinct chain addresses in a text. Finds them in sentences, links and URIs, and despite invisible or full-width
 * characters. Doesn't join parts across spaces or lines.
 */
export function findAddresses(text: string): string[] {
  return addressesIn(normalizeText(text));
}

function addressesIn(seen: string): string[] {
  const found = seen.match(/(?<![0-9A-Za-z])T[1-9A-HJ-NP-Za-km-z]{33}(?![0-9A-Za-z])/g) ?? [];
  return [...new Set(found)].filter((address) => readAddress(address).ok);
}

/** Normalizes a text: removes invisible characters, converts full-width ones and decodes percent-encoding. */
export function normalizeText(text: string): string {
  return percentDecoded(text)
    .replace(ARABIC_PHRASES, ' ')
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** Arabic characters for whole phrases. NFKC would expand them to up to 18 characters each. */
const ARABIC_PHRASES = /[\ufdf0-\ufdfb]/g;

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
 * Returns the non-Latin letters in a normalized text that looks like an address. They are reported but never replaced: the
 * intended letter is unknown, and an attacker may have inserted them to hide a known address.
 */
function foreignLettersIn(seen: string): ForeignLetter[] {
  const [found] = findTextsWithForeignLetters(seen);
  return [...(found ?? '')].flatMap((letter, at) =>
    /[0-9A-Za-z]/.test(letter) ? [] : [{ letter, place: at + 1 }],
  );
}

/** Returns parts of a normalized text that look like addresses but contain non-Latin letters. */
export function findTextsWithForeignLetters(seen: string): string[] {
  return (seen.match(ADDRESS_LIKE) ?? []).filter((written) => {
    const latin = written.match(/[0-9A-Za-z]/g)?.length ?? 0;
    return latin < CHARACTERS && latin >= MIN_LATIN_CHARACTERS;
  });
}

export type AddressInput =
  | { kind: 'address'; address: string }
  | { kind: 'several'; addresses: string[] }
  | { kind: 'foreign'; letters: ForeignLetter[] }
  /** Address of another chain, or a bank account number: see `findOtherChain`. */
  | { kind: 'other-chain'; chain: string }
  /** Contract in a link. `name`: see {@link contractNameOf}. */
  | { kind: 'contract'; address: string; name: string | undefined }
  /** `length`: number of characters of the part that looks most like an address. */
  | { kind: 'none'; problem: AddressProblem; length: number };

/** Part of a text that was probably meant as an address, in base58 or hexadecimal. */
const PROBABLE_ADDRESS =
  /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{19,60}|(?:t[0-9a-z]{33}|0x(?:41)?[0-9a-fA-F]{40}|41[0-9a-fA-F]{40})(?![0-9A-Za-z]))/;
/** Like `PROBABLE_ADDRESS`, with a length close to an address's. Distinguishes miscopied addresses from other words in a link. */
const MISCOPIED_ADDRESS =
  /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{31,36}|t[0-9a-z]{33}|0x(?:41)?[0-9a-fA-F]{40}|41[0-9a-fA-F]{40})(?![0-9A-Za-z])/;

/** Address with up to four other characters between its own. The lookahead captures it, because matches can overlap. */
const IN_PIECES = /(?<![0-9A-Za-z])(?=(T(?:[^\p{L}\p{N}]{0,4}[1-9A-HJ-NP-Za-km-z]){33})(?![0-9A-Za-z]))/gu;
/** Maximum number of checksums that are calculated to find an address in pieces. */
const MAX_JOINED = 20;
/**
 * Address without its middle or its end, as lists show it. Contains a capital or a digit, unlike most words before dots.
 * Normalization turns an ellipsis into three dots.
 */
const SHORTENED =
  /(?<![0-9A-Za-z])T(?=\S{0,60}[0-9A-Z])[1-9A-HJ-NP-Za-km-z]{1,24}(?:\.{2,}|\*+|•+|_{2,}|-{2,})(?:[1-9A-HJ-NP-Za-km-z]{2,24}(?![0-9A-Za-z])|(?!\S))/;

/** Parses a user's input as an address: alone, in a sentence, in a link or in pieces. */
export function readAddressInput(text: string): AddressInput {
  return readNormalized(normalizeText(text));
}

function readNormalized(seen: string): AddressInput {
  const whole = joinAddressPieces(seen.trim());
  const letters = foreignLettersIn(whole);
  if (letters.length > 0) return { kind: 'foreign', letters };
  const addresses = addressesIn(whole);
  const [address] = addresses;
  if (address !== undefined && addresses.length > 1) return { kind: 'several', addresses };
  if (address !== undefined)
    return isContractInLink(whole, address)
      ? { kind: 'contract', address, name: contractNameOf(address) }
      : { kind: 'address', address };
  const chain = findOtherChain(whole);
  if (chain !== undefined) return { kind: 'other-chain', chain };
  // Reports the problem of the part that looks most like an address.
  const { length } = whole;
  if (SHORTENED.test(whole)) return { kind: 'none', problem: 'shortened', length };
  const meant =
    (whole.startsWith('T') && isInPieces(whole) ? undefined : PROBABLE_ADDRESS.exec(whole)?.[0]) ?? whole;
  const read = readAddress(meant);
  return { kind: 'none', problem: read.ok ? 'checksum' : read.problem, length: meant.length };
}

/** Parameter of a link with a token or its contract. */
const TOKEN_PARAMETER = /[?&](?:token|asset|contract)(?:[_-]?(?:address|id))?=/i;
/** End of a link before the address of a contract: the path of a page about it, or a parameter. */
const NAMES_CONTRACT = new RegExp(
  `(?:/(?:token\\d*|trc\\d+|contract)/|${TOKEN_PARAMETER.source})$`,
  TOKEN_PARAMETER.flags,
);

/** Returns whether the word with this address is a link that names it as a contract, or a payment link to a token. */
function isContractInLink(seen: string, address: string): boolean {
  const at = seen.indexOf(address);
  const before = seen.slice(0, at).split(/\s/).at(-1) ?? '';
  if (NAMES_CONTRACT.test(before)) return true;
  const [after = ''] = seen.slice(at + address.length).split(/\s/);
  const isPayment = /^\W*tron:/i.test(before) && TOKEN_PARAMETER.test(after);
  return isPayment && contractNameOf(address) !== undefined;
}

/**
 * Joins the pieces of addresses in a text: groups of four, as addresses are displayed, or lines. The checksum tells an
 * address from other words, and shows that no piece is missing.
 */
export function joinAddressPieces(text: string): string {
  let joined = text;
  for (const [, pieces = ''] of [...text.matchAll(IN_PIECES)].slice(0, MAX_JOINED)) {
    const read = readAddress(pieces.replace(/[^0-9A-Za-z]/g, ''));
    if (read.ok) joined = joined.replace(pieces, read.address);
  }
  return joined;
}

/** Like `readAddressInput`, for texts that needn't contain an address. Returns `undefined` if nothing looks like one. */
export function findAddressInput(text: string): AddressInput | undefined {
  const seen = normalizeText(text);
  const given = readNormalized(seen);
  const isAttempt =
    given.kind !== 'none' ||
    MISCOPIED_ADDRESS.test(seen) ||
    // Without a digit, dots between words.
    /\d/.test(SHORTENED.exec(seen)?.[0] ?? '');
  return isAttempt ? given : undefined;
}

/** Well-known addresses of TRON's main network that aren't wallets: tokens, the SunSwap router, the burn address. */
const CONTRACTS = new Map([
  [SAMPLE_ADDRESS, 'USDT'],
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
export const INVOICE_LIFETIME_MS = 30 * MINUTE_MS;
export const PACKAGE_SIZE_MIN = 1;
export const PACKAGE_SIZE_MAX = 10_000;
export const WITHDRAWAL_FEE_TRX = '1';
export const ACTIVATION_COST_TRX = '1.1';
const BANDWIDTH_FEE_TRX = '0.2';
/** Price of 1,000 bandwidth for a day (section 4, endpoint 2). */
const BANDWIDTH_TRX_PER_THOUSAND = '9.6';
export const BW_GUARANTEE_FEE_TRX = '0.3';

/** Decimals of TRX in whole sun. */
export const SUN_DECIMALS = 6;

/**
 * Parses a decimal amount of TRX exactly, as the service writes it. Returns `undefined` for exponents, commas, units or
 * more than 40 characters.
 */
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

/** Returns an amount of TRX (decimal) in sun, rounded to the sun; `undefined` if it is missing or too large for a number. */
export function sunOf(trx: string | undefined): number | undefined {
  const sun = toWholeSun(new BigNumber(trx ?? Number.NaN))
    .shiftedBy(SUN_DECIMALS)
    .toNumber();
  return Number.isSafeInteger(sun) ? sun : undefined;
}

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

/** The service shows prices to two decimals (docs/facts.md). */
const PRICE_DECIMALS = 2;

/** Rounds a price in TRX (decimal) as the service shows it. */
export function roundPrice(price: string): string {
  return formatTrx(new BigNumber(price).decimalPlaces(PRICE_DECIMALS, BigNumber.ROUND_HALF_UP));
}

/**
 * Compares a price of energy in TRX with burning TRX, which costs `burnTrx` for one transfer. Rounded down. Returns
 * `undefined` if the price saves nothing.
 */
export function savingOver(
  burnTrx: string,
  { energy, price }: { energy: number; price: string },
): { trx: string; percent: string } | undefined {
  const burnt = new BigNumber(burnTrx).times(transferEnergyIn(energy)).div(ENERGY_PER_TRANSFER);
  const saved = burnt.minus(price);
  const trx = saved.decimalPlaces(2, BigNumber.ROUND_DOWN);
  const percent = saved.times(100).div(burnt).decimalPlaces(0, BigNumber.ROUND_DOWN);
  return trx.gt(0) && percent.gt(0) ? { trx: trx.toFixed(), percent: percent.toFixed() } : undefined;
}

/** Returns how much of this energy whole USDT transfers can use. The rest saves nothing. */
function transferEnergyIn(energy: number): number {
  const transfers = Math.floor(energy / ENERGY_PER_TRANSFER);
  const used = transfers * ENERGY_PER_TRANSFER;
  // A transfer to a wallet without USDT uses a little more than two others.
  const more = ENERGY_PER_FIRST_TRANSFER - 2 * ENERGY_PER_TRANSFER;
  return used + more * Math.min(Math.floor(transfers / 2), Math.floor((energy - used) / more));
}

/**
 * Estimates the price of bandwidth in TRX, rounded to the sun: (volume ÷ 1000) × 9.6 × hours ÷ 24 + 0.2. The formula of section
 * 4, endpoint 2 omits the hours. With them, its sample (1000 for 24 hours) gives the documented 9.80.
 */
export function estimateBandwidth({ amount, hours }: { amount: number; hours: number }): string {
  const rented = new BigNumber(BANDWIDTH_TRX_PER_THOUSAND).times(amount).times(hours).div(24_000);
  return formatTrx(toWholeSun(rented.plus(BANDWIDTH_FEE_TRX)));
}
