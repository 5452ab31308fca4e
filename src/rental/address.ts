import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);
const CHARACTERS = 34;
const BYTES = 21;
const CHAIN_BYTE = 0x41;

export type AddressProblem = 'empty' | 'case' | 'prefix' | 'length' | 'alphabet' | 'checksum';
export type AddressReading = { ok: true; address: string } | { ok: false; problem: AddressProblem };

/**
 * Reads a chain address: base58check of the byte 0x41 and 20 more, 34 characters that begin with `T`, case-sensitive.
 * White space around it is dropped. The problem named is the first that a person would see.
 */
export function readAddress(text: string): AddressReading {
  const address = text.trim();
  if (address === '') return { ok: false, problem: 'empty' };
  // As they come out of programs that take them for names.
  if (/^t[0-9a-z]{33}$/.test(address)) return { ok: false, problem: 'case' };
  if (!address.startsWith('T')) return { ok: false, problem: 'prefix' };
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(address)) return { ok: false, problem: 'alphabet' };
  if (address.length !== CHARACTERS) return { ok: false, problem: 'length' };
  const bytes = decode(address);
  if (bytes === undefined) return { ok: false, problem: 'checksum' };
  if (bytes.length !== BYTES || bytes[0] !== CHAIN_BYTE) return { ok: false, problem: 'prefix' };
  return { ok: true, address };
}

/** Whether a text is an address of TRON, Bitcoin or a chain like it: base58check of 21 bytes. */
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
 * The chain addresses in a text, each once: also inside a sentence, a link or another's URI, and with characters around
 * or in them that nobody sees or that are written full-width. Nothing is joined across spaces or lines.
 */
export function findAddresses(text: string): string[] {
  const found = asSeen(text).match(/(?<![0-9A-Za-z])T[1-9A-HJ-NP-Za-km-z]{33}(?![0-9A-Za-z])/g) ?? [];
  return [...new Set(found)].filter((address) => readAddress(address).ok);
}

/** A text as its author sees it: without characters that nobody sees, full-width ones narrow, links decoded. */
export function asSeen(text: string): string {
  return percentDecoded(text)
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/**
 * Percent-encoded characters, as well-formed UTF-8 (RFC 3629, section 4). Only what decodes is matched: a failed attempt
 * throws, which costs far more than plain text.
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

/** A letter that isn't Latin, in what is as long as an address: its place counts from 1. */
export interface ForeignLetter {
  letter: string;
  place: number;
  script: 'cyrillic' | 'greek' | 'other';
}

/** What begins like an address and is as long, of letters and digits of any alphabet. */
const WRITTEN_LIKE_ONE = /(?<![\p{L}\p{N}])[TТΤ][\p{L}\p{N}]{33}(?![\p{L}\p{N}])/gu;
/** Fewer Latin letters and digits are a word of another language. */
const LATIN_AT_LEAST = 17;

/**
 * The letters of other alphabets in what looks like an address to the eye. Nobody knows which letter was meant, or
 * whether somebody put it there so that the address is never found among known ones: so they are named, never replaced.
 */
export function foreignLetters(text: string): ForeignLetter[] {
  const [found] = writtenWithForeign(text);
  return [...(found ?? '')].flatMap((letter, at) =>
    /[0-9A-Za-z]/.test(letter) ? [] : [{ letter, place: at + 1, script: scriptOf(letter) }],
  );
}

/** What looks like addresses, as its author sees it, but has letters of other alphabets. */
export function writtenWithForeign(text: string): string[] {
  return (asSeen(text).match(WRITTEN_LIKE_ONE) ?? []).filter((written) => {
    const latin = written.match(/[0-9A-Za-z]/g)?.length ?? 0;
    return latin < CHARACTERS && latin >= LATIN_AT_LEAST;
  });
}

function scriptOf(letter: string): ForeignLetter['script'] {
  if (/\p{Script=Cyrillic}/u.test(letter)) return 'cyrillic';
  return /\p{Script=Greek}/u.test(letter) ? 'greek' : 'other';
}
