import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);
const CHARACTERS = 34;
const BYTES = 21;
const CHAIN_BYTE = 0x41;

export type AddressProblem = 'empty' | 'prefix' | 'length' | 'alphabet' | 'checksum';
export type AddressReading = { ok: true; address: string } | { ok: false; problem: AddressProblem };

/**
 * Reads a chain address: base58check of the byte 0x41 and 20 more, 34 characters that begin with `T`, case-sensitive.
 * White space around it is dropped. The problem named is the first that a person would see.
 */
export function readAddress(text: string): AddressReading {
  const address = text.trim();
  if (address === '') return { ok: false, problem: 'empty' };
  if (!address.startsWith('T')) return { ok: false, problem: 'prefix' };
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(address)) return { ok: false, problem: 'alphabet' };
  if (address.length !== CHARACTERS) return { ok: false, problem: 'length' };
  const bytes = decode(address);
  if (bytes === undefined) return { ok: false, problem: 'checksum' };
  if (bytes.length !== BYTES || bytes[0] !== CHAIN_BYTE) return { ok: false, problem: 'prefix' };
  return { ok: true, address };
}

function decode(address: string): Uint8Array | undefined {
  try {
    return base58check.decode(address);
  } catch {
    return undefined;
  }
}
