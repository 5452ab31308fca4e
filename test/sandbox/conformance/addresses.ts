import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

/**
 * Address that receives what is bought. For a live service it is the account's own address, so that nothing is lost.
 */
export const ADDRESS = process.env.CONFORMANCE_ADDRESS || 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

/** Returns the valid chain address of a label. Each label has its own, unused address. */
export function addressOf(label: string): string {
  return base58check.encode(
    Uint8Array.of(0x41, ...sha256(utf8ToBytes(`conformance ${label}`)).subarray(0, 20)),
  );
}
