import { createHmac } from 'node:crypto';
import { base32nopad } from '@scure/base';

/** Validity of a one-time code, in milliseconds (RFC 6238 default). */
export const STEP_MS = 30_000;

/** Returns the six digits of RFC 6238 (SHA-1, 30 seconds) for a base32 secret. `at` is in epoch milliseconds. */
export function oneTimeCode(secret: string, at: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const mac = createHmac('sha1', base32nopad.decode(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
