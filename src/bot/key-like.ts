import { asSeen, writtenWithForeign } from '../rental-api/address.ts';

/** Matches a word with the length and characters of an API key. */
const WORD = /[A-Za-z0-9_-]{24,}/g;
/** Words of that length that aren't keys: addresses of blockchains (also mistyped ones) and transaction hashes. */
const NO_KEYS = [
  /^T[0-9A-Za-z]{30,37}$/,
  /^t[0-9a-z]{33}$/,
  /^(0x|41)[0-9a-f]{40}$/i,
  /^(0x)?[0-9a-f]{64}$/i,
];
/** Matches a one-time code as authenticator apps show it: in one group or in two. */
const CODE = /^\s*(\d{3,4})[ \u00a0\u202f-]?(\d{3,4})\s*$/;
const LINK = /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|\bwww\.|\bt\.me\/)\S+/gi;

/**
 * Returns whether a text contains what looks like an API key: a word of at least 24 characters with letters and digits.
 */
export function holdsKey(text: string): boolean {
  const seen = asSeen(text.replace(LINK, ' '));
  // Parts of a word between letters of another alphabet don't count as words.
  const words =
    writtenWithForeign(seen)
      .reduce((rest, one) => rest.replace(one, ' '), seen)
      .match(WORD) ?? [];
  return words.some((word) => isKey(word.replace(/^[_-]+|(?<![_-])[_-]+$/g, '')));
}

/**
 * Returns whether a text is a question and therefore no secret: several words, a question mark at the end, and no key.
 */
export function isQuestion(text: string): boolean {
  return /\S\s+\S/.test(text) && /[?？]\s*$/.test(text) && !holdsKey(text);
}

/** Returns the digits of a one-time code if the text contains nothing else. */
export function codeIn(text: string): string | undefined {
  const [, left, right] = CODE.exec(text) ?? [];
  return left === undefined || right === undefined ? undefined : `${left}${right}`;
}

function isKey(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word) && !NO_KEYS.some((other) => other.test(word));
}
