import {
  type AddressProblem,
  asSeen,
  type ForeignLetter,
  findAddresses,
  foreignLetters,
  readAddress,
} from './address.ts';

/** What somebody gave as an address: the one that is in it, or why none was taken. */
export type GivenAddress =
  | { kind: 'address'; address: string }
  | { kind: 'several'; addresses: string[] }
  | { kind: 'foreign'; letters: ForeignLetter[] }
  /** `length`: of what looks most like one, in characters. */
  | { kind: 'none'; problem: AddressProblem; length: number };

/** An address in groups of four, as it is shown where the eye must compare: a checksum away from any other words. */
const IN_FOURS =
  /(?<![0-9A-Za-z])T[0-9A-Za-z]{3}(?:[ \u00a0][0-9A-Za-z]{4}){7}[ \u00a0][0-9A-Za-z]{2}(?![0-9A-Za-z])/g;
/** What was meant as an address, though it is none. */
const MEANT = /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{19,60}|t[0-9a-z]{33}(?![0-9A-Za-z]))/;
/** So much of a link was meant as an address rather than as any other word. */
const MISCOPIED = /(?<![0-9A-Za-z])(?:T[0-9A-Za-z]{31,36}|t[0-9a-z]{33})(?![0-9A-Za-z])/;

/** Reads what somebody gave as an address: alone, in a sentence, in a link or in groups of four. */
export function readGivenAddress(text: string): GivenAddress {
  const whole = joinedFours(text.trim());
  const letters = foreignLetters(whole);
  if (letters.length > 0) return { kind: 'foreign', letters };
  const addresses = findAddresses(whole);
  const [address] = addresses;
  if (address !== undefined && addresses.length === 1) return { kind: 'address', address };
  if (address !== undefined) return { kind: 'several', addresses };
  // What looks most like one, so that what is said is about that.
  const meant = MEANT.exec(whole)?.[0] ?? whole;
  const read = readAddress(meant);
  return { kind: 'none', problem: read.ok ? 'checksum' : read.problem, length: meant.length };
}

/** The text with addresses in groups of four written in one. */
export function joinedFours(text: string): string {
  return text.replace(IN_FOURS, (fours) => {
    const read = readAddress(fours.replace(/\s/g, ''));
    return read.ok ? read.address : fours;
  });
}

/** The same of words in which nobody asked for one: `undefined` where nothing in them was meant as an address. */
export function addressAmongWords(text: string): GivenAddress | undefined {
  const given = readGivenAddress(text);
  return given.kind !== 'none' || MISCOPIED.test(asSeen(text)) ? given : undefined;
}
