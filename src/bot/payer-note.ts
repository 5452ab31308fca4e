import { asSeen, isBase58Address } from '../rental-api/address.ts';

/**
 * Forms that a payer, Telegram or a browser reads as a link: a scheme, a domain of any alphabet, an IPv4 address, a
 * mention.
 */
const LINKS = [
  /:\/\//,
  /\bwww\./i,
  /\S\.[\p{L}\p{M}]{2}/u,
  /\d{1,3}(?:\.\d{1,3}){3}/,
  /(?<![\p{L}\p{N}_])@\w/u,
];
/** Browsers read the ideographic full stop in a domain as a dot. */
const FULL_STOP = /。/g;

/** Addresses of Bitcoin and its relatives, and of TRON, in base58check. */
const BASE58_LENGTHS = { min: 26, max: 35 };
/** An account address of TRON without its `41`, or of an EVM chain. */
const HEX_LENGTH = 40;
/** An address of TON: two characters for its kind, then base64url. */
const TON = /(?<![\w-])[EUk0]Q[\w-]{46}(?![\w-])/;
/**
 * Minimum length of a word that is treated as an address. Words, order numbers and IBANs of most countries are shorter.
 */
const LONG_WORD = 25;

/**
 * Returns why a merchant's note can't be shown to a payer, or `undefined` if it can. A note is rejected if it contains
 * a link. It is also rejected if it contains an address, even in pieces, because the payer could send money there by
 * mistake.
 */
export function payerNoteProblem(note: string): 'link' | 'address' | undefined {
  const seen = asSeen(note).replace(FULL_STOP, '.');
  if (holdsAddress(seen)) return 'address';
  return LINKS.some((link) => link.test(seen)) ? 'link' : undefined;
}

function holdsAddress(seen: string): boolean {
  const words = seen.match(/[0-9A-Za-z]+/g) ?? [];
  const joined = words.join('');
  const pairs = words.flatMap((word, at) => words.slice(at + 1).map((later) => word + later));
  return (
    TON.test(seen) ||
    words.some((word) => word.length >= LONG_WORD && isMixed(word)) ||
    (joined.match(/[0-9a-f]+/gi) ?? []).some((run) => run.length >= HEX_LENGTH && isMixed(run)) ||
    pairs.some(isBase58Address) ||
    partsOf(joined).some(isBase58Address)
  );
}

/** Returns all substrings that are as long as an address. */
function partsOf(text: string): string[] {
  const { min, max } = BASE58_LENGTHS;
  const parts: string[] = [];
  for (let from = 0; from + min <= text.length; from++)
    for (let length = min; length <= max && from + length <= text.length; length++)
      parts.push(text.slice(from, from + length));
  return parts;
}

function isMixed(text: string): boolean {
  return /[A-Za-z]/.test(text) && /\d/.test(text);
}
