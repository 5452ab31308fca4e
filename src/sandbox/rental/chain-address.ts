import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import { ApiError, errorDetail } from './api-error.ts';

const base58check = createBase58check(sha256);
const PREFIX = 0x41;

/** Returns whether `text` is a chain address: base58check of byte 0x41 and 20 bytes. */
export function isChainAddress(text: string): boolean {
  try {
    const bytes = base58check.decode(text);
    return bytes.length === 21 && bytes[0] === PREFIX;
  } catch {
    return false;
  }
}

/** Returns a valid address unchanged. @throws ApiError 400 INVALID_ADDRESS. */
export function requireAddress(text: string): string {
  if (isChainAddress(text)) return text;
  throw new ApiError(400, errorDetail('INVALID_ADDRESS', `${text} is not a chain address`));
}

/** Derives a valid address from `label`. The same label always gives the same address. */
export function chainAddressOf(label: string): string {
  return base58check.encode(Uint8Array.of(PREFIX, ...sha256(utf8ToBytes(label)).subarray(0, 20)));
}
