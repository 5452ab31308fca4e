import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

/** For whom things are bought here. Elsewhere that is the account's own address, so that nothing is given away. */
export const ADDRESS = process.env.CONFORMANCE_ADDRESS || 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

/** The valid chain address that `label` always gets, and nobody else has used. */
export function addressOf(label: string): string {
  return base58check.encode(
    Uint8Array.of(0x41, ...sha256(utf8ToBytes(`conformance ${label}`)).subarray(0, 20)),
  );
}
