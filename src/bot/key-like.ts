import { asSeen, writtenWithForeign } from '../rental/address.ts';

/** One word of letters and digits, as keys are. */
const WORD = /[A-Za-z0-9_-]{24,}/g;
/** What is as long and no key: addresses of chains, also mistyped ones, and hashes of transactions. */
const NO_KEYS = [
  /^T[0-9A-Za-z]{30,37}$/,
  /^t[0-9a-z]{33}$/,
  /^(0x|41)[0-9a-f]{40}$/i,
  /^(0x)?[0-9a-f]{64}$/i,
];
/** As authenticators show them: in one, or in two groups. */
const CODE = /^\s*(\d{3,4})[ \u00a0\u202f-]?(\d{3,4})\s*$/;
const LINK = /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|\bwww\.|\bt\.me\/)\S+/gi;

/** Whether a message holds what looks like an API key: 24 characters or more, letters and digits in one word. */
export function holdsKey(text: string): boolean {
  const seen = asSeen(text.replace(LINK, ' '));
  // Their parts between two letters of another alphabet are no words.
  const words =
    writtenWithForeign(seen)
      .reduce((rest, one) => rest.replace(one, ' '), seen)
      .match(WORD) ?? [];
  return words.some((word) => isKey(word.replace(/^[_-]+|(?<![_-])[_-]+$/g, '')));
}

/** Whether it is plainly a question, and so no secret: several words that end with a question mark. */
export function isQuestion(text: string): boolean {
  return /\S\s+\S/.test(text) && /[?？]\s*$/.test(text) && !holdsKey(text);
}

/** The digits of a one-time code, where a message is nothing else. */
export function codeIn(text: string): string | undefined {
  const [, left, right] = CODE.exec(text) ?? [];
  return left === undefined || right === undefined ? undefined : `${left}${right}`;
}

function isKey(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word) && !NO_KEYS.some((other) => other.test(word));
}
