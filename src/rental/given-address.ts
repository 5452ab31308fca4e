import {
  type AddressProblem,
  asSeen,
  type ForeignLetter,
  findAddresses,
  foreignLetters,
  readAddress,
} from './address.ts';

/** Result of parsing a user's input as an address. */
export type GivenAddress =
  | { kind: 'address'; address: string }
  | { kind: 'several'; addresses: string[] }
  | { kind: 'foreign'; letters: ForeignLetter[] }
  /** `length`: number of characters of the part that looks most like an address. */
  | { kind: 'none'; problem: AddressProblem; length: number };

/** Text in groups of four, as addresses are displayed. A checksum tells an address from other words. */
const IN_FOURS =
  /(?<![0-9A-Za-z])T[0-9A-Za-z]{3}(?:[ \u00a0][0-9A-Za-z]{4}){7}[ \u00a0][0-9A-Za-z]{2}(?![0-9A-Za-z])/g;
/** Part of a text that was probably meant as an address. */
const MEANT = /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{19,60}|t[0-9a-z]{33}(?![0-9A-Za-z]))/;
/** Like `MEANT`, with a length close to an address's. Distinguishes miscopied addresses from other words in a link. */
const MISCOPIED = /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{31,36}|t[0-9a-z]{33})(?![0-9A-Za-z])/;

/** Parses a user's input as an address: alone, in a sentence, in a link or in groups of four. */
export function readGivenAddress(text: string): GivenAddress {
  const whole = joinedFours(text.trim());
  const letters = foreignLetters(whole);
  if (letters.length > 0) return { kind: 'foreign', letters };
  const addresses = findAddresses(whole);
  const [address] = addresses;
  if (address !== undefined && addresses.length === 1) return { kind: 'address', address };
  if (address !== undefined) return { kind: 'several', addresses };
  // Reports the problem of the part that looks most like an address.
  const meant = MEANT.exec(whole)?.[0] ?? whole;
  const read = readAddress(meant);
  return { kind: 'none', problem: read.ok ? 'checksum' : read.problem, length: meant.length };
}

/** Removes the spaces of addresses in groups of four. */
export function joinedFours(text: string): string {
  return text.replace(IN_FOURS, (fours) => {
    const read = readAddress(fours.replace(/\s/g, ''));
    return read.ok ? read.address : fours;
  });
}

/** Like `readGivenAddress`, for texts that needn't contain an address. Returns `undefined` if nothing looks like one. */
export function addressAmongWords(text: string): GivenAddress | undefined {
  const given = readGivenAddress(text);
  return given.kind !== 'none' || MISCOPIED.test(asSeen(text)) ? given : undefined;
}
