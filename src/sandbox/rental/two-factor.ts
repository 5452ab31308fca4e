import { createHmac } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { ApiError, errorDetail } from './api-error.ts';
import type { Account } from './state.ts';
import type { World } from './world.ts';

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

/** Number of steps before and after the current one whose codes are accepted. */
const DRIFT = 1;

interface SecondFactor {
  /**
   * Checks the one-time code of an account with 2FA. Accepts the current, the previous and the next code, each once. Ignores
   * codes of accounts without 2FA.
   * @throws ApiError 403 2FA_REQUIRED, INVALID_2FA_CODE.
   */
  require(account: Account, code: string | undefined): void;
}

export function createSecondFactor(world: World): SecondFactor {
  return {
    require(account, code) {
      if (account.totpSecret === undefined) return;
      if (!code) throw new ApiError(403, errorDetail('2FA_REQUIRED', 'totp_code is needed: 2FA is on'));
      const secret = readTotpSecret(account.totpSecret);
      const now = totpStep(world.clock.now());
      const open = [now - DRIFT, now, now + DRIFT].filter((step) => !account.usedTotpSteps.includes(step));
      const step = open.find((candidate) => totpCode(secret, candidate) === code);
      if (step === undefined) {
        throw new ApiError(
          403,
          errorDetail('INVALID_2FA_CODE', 'The one-time code is wrong, or was used already'),
        );
      }
      account.usedTotpSteps = [...account.usedTotpSteps.filter((used) => used >= now - DRIFT), step];
      world.changed();
    },
  };
}
