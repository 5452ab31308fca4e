import { isBase58Address, normalizeText } from '../../rental-api/tron.ts';

/** Text that payers, Telegram or browsers treat as a link: schemes, domains, IPv4 addresses, mentions. */
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
/** Minimum length of a word treated as an address. Order numbers and most IBANs are shorter. */
const LONG_WORD = 25;

/**
 * Returns why a merchant's note can't be shown to a payer, or `undefined` if it can. Links are rejected, and
 * addresses even in pieces: the payer could send money there by mistake.
 */
export function payerNoteProblem(note: string): 'link' | 'address' | undefined {
  const seen = normalizeText(note).replace(FULL_STOP, '.');
  if (containsAddress(seen)) return 'address';
  return LINKS.some((link) => link.test(seen)) ? 'link' : undefined;
}

function containsAddress(seen: string): boolean {
  const words = seen.match(/[0-9A-Za-z]+/g) ?? [];
  const joined = words.join('');
  const pairs = words.flatMap((word, at) => words.slice(at + 1).map((later) => word + later));
  return (
    TON.test(seen) ||
    words.some((word) => word.length >= LONG_WORD && hasLettersAndDigits(word)) ||
    (joined.match(/[0-9a-f]+/gi) ?? []).some((run) => run.length >= HEX_LENGTH && hasLettersAndDigits(run)) ||
    pairs.some(isBase58Address) ||
    addressLengthParts(joined).some(isBase58Address)
  );
}

function addressLengthParts(text: string): string[] {
  const { min, max } = BASE58_LENGTHS;
  const parts: string[] = [];
  for (let from = 0; from + min <= text.length; from++)
    for (let length = min; length <= max && from + length <= text.length; length++)
      parts.push(text.slice(from, from + length));
  return parts;
}

function hasLettersAndDigits(text: string): boolean {
  return /[A-Za-z]/.test(text) && /\d/.test(text);
}
