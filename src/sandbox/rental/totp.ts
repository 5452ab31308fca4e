import { createHmac } from 'node:crypto';
import { base32nopad } from '@scure/base';

const STEP_MS = 30_000;
const DIGITS = 6;

/** The step of time that is counted (RFC 6238), of 30 seconds since the epoch. */
export function totpStep(epochMs: number): number {
  return Math.floor(epochMs / STEP_MS);
}

/** The one-time code of a step: HOTP (RFC 4226) with SHA-1 and six digits. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Reads a secret as authenticator apps take it: base32, without padding. @throws Error when it isn't. */
export function readTotpSecret(base32: string): Uint8Array {
  return base32nopad.decode(base32);
}

/** Whether `text` is such a secret. */
export function isTotpSecret(text: string): boolean {
  try {
    return readTotpSecret(text).length > 0;
  } catch {
    return false;
  }
}
