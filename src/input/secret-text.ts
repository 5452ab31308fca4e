import { withoutOtherChains } from '../rental-api/other-chains.ts';
import { findTextsWithForeignLetters, joinAddressPieces, normalizeText } from '../rental-api/tron.ts';

/** A word with the length and characters of an API key. */
const LONG_WORD = /[A-Za-z0-9_-]{24,}/g;
/** Words of that length that aren't keys: blockchain addresses (also mistyped) and transaction hashes. */
const NOT_KEYS = [
  /^T[0-9A-Za-z]{30,37}$/,
  /^t[0-9a-z]{33}$/,
  /^(0x|41)[0-9a-f]{40}$/i,
  /^0x[0-9a-f]+$/i,
  /^[0-9a-f]{64}$/i,
];
/** A one-time code as authenticator apps show it: in one group or in two. */
const CODE = /^\s*(\d{3,4})[ \u00a0\u202f-]?(\d{3,4})\s*$/;
const LINK = /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|\bwww\.|\bt\.me\/)\S+/gi;
/** Link without a scheme, and email address. */
const LINK_WORD = /^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?[/?#]|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/i;
/** Extensions after a file's name, in lower case or in capitals. A sentence would begin with one capital. */
const EXTENSIONS =
  /^(?:(?:\.(?=\d?[a-z])[a-z0-9]{1,5}){1,3}|(?:\.(?=\d?[A-Z])[A-Z0-9]{1,5}){1,3})(?![A-Za-z0-9_.-]*\w)/;

/** Returns whether a text contains a word of at least 24 characters that looks like an API key. */
export function containsKey(text: string): boolean {
  const seen = withoutOtherChains(joinAddressPieces(normalizeText(text.replace(LINK, ' '))));
  // Parts of a word between letters of another alphabet don't count as words.
  const latin = findTextsWithForeignLetters(seen).reduce((rest, one) => rest.replace(one, ' '), seen);
  return (latin.match(/\S{24,}/g) ?? []).some(wordContainsKey);
}

/** A short key, such as those of a test account: `demo-key`, `rk_live_12`. */
const SHORT_KEY = /^(?=.{6,23}$)(?:[a-z0-9]+[-_])+key(?:[-_][a-z0-9]+)*$|^(?=.{6,23}$)[rs]k_[\w-]+$/i;

/** Returns whether a text is a single short word in the form of an API key. It may also be a name. */
export function mayBeShortKey(text: string): boolean {
  return SHORT_KEY.test(text.trim());
}

/** Returns whether a part of a word looks like a key, and nothing around it shows that it is something else. */
function wordContainsKey(word: string): boolean {
  if (LINK_WORD.test(word.replace(/^\W+|(?<!\W)\W+$/g, ''))) return false;
  return [...word.matchAll(LONG_WORD)].some(({ 0: part, index }) => {
    const isNamed = word[index - 1] === '@' || word[index - 1] === '#';
    const isFile = EXTENSIONS.test(word.slice(index + part.length));
    return !isNamed && !isFile && looksLikeKey(part.replace(/^[_-]+|(?<![_-])[_-]+$/g, ''));
  });
}

/** Returns whether a text is a question: several words, a question mark at the end, and no key. */
export function isQuestion(text: string): boolean {
  return /\S\s+\S/.test(text) && /[?？]\s*$/.test(text) && !containsKey(text);
}

/** Returns the digits of a one-time code if the text contains nothing else. */
export function parseOneTimeCode(text: string): string | undefined {
  const [, left, right] = CODE.exec(text) ?? [];
  return left === undefined || right === undefined ? undefined : `${left}${right}`;
}

function looksLikeKey(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word) && !NOT_KEYS.some((other) => other.test(word));
}

/** Characters that may surround a key in a sentence or in a line of a configuration. */
const PUNCTUATION_AROUND = /[=:,;"'`«»„“”<>()[\]{}]+/;
const PUNCTUATION_AT_END = /[.!?…]+$/;

/** Returns whether a text contains the operator's API key, as a word or between punctuation. */
export function containsOperatorKey({ isKey }: { isKey(word: string): boolean }, text: string): boolean {
  const words = new Set([text, normalizeText(text)].flatMap((one) => one.split(/\s+/)));
  const parts = new Set([...words].flatMap((word) => [word, ...word.split(PUNCTUATION_AROUND)]));
  return [...parts].some((one) => isKey(one) || isKey(one.replace(PUNCTUATION_AT_END, '')));
}
