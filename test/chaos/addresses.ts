import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

/** Returns the valid chain address of a label. Each label has its own. */
export function addressOf(label: string): string {
  return base58check.encode(Uint8Array.of(0x41, ...sha256(utf8ToBytes(`chaos ${label}`)).subarray(0, 20)));
}
