import { createHmac } from 'node:crypto';
import { base32nopad } from '@scure/base';

const STEP_MS = 30_000;
const DIGITS = 6;

/** Returns the time step (RFC 6238): the number of 30-second periods since the epoch. */
export function totpStep(epochMs: number): number {
  return Math.floor(epochMs / STEP_MS);
}

/** Returns the one-time code of a step: HOTP (RFC 4226) with SHA-1 and six digits. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Decodes a secret: base32 without padding. @throws Error if it is invalid. */
export function readTotpSecret(base32: string): Uint8Array {
  return base32nopad.decode(base32);
}

/** Returns whether `text` is a valid, non-empty secret. */
export function isTotpSecret(text: string): boolean {
  try {
    return readTotpSecret(text).length > 0;
  } catch {
    return false;
  }
}
