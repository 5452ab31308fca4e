import { coded, Refusal } from './refusal.ts';
import type { Account } from './state.ts';
import { readTotpSecret, totpCode, totpStep } from './totp.ts';
import type { World } from './world.ts';

/** Number of steps before and after the current one whose codes are accepted. */
const DRIFT = 1;

export interface SecondFactor {
  /**
   * Checks the one-time code of an account with 2FA. Accepts the current, the previous and the next code, each once. Ignores
   * codes of accounts without 2FA.
   * @throws Refusal 403 2FA_REQUIRED, INVALID_2FA_CODE.
   */
  require(account: Account, code: string | undefined): void;
}

export function createSecondFactor(world: World): SecondFactor {
  return {
    require(account, code) {
      if (account.totpSecret === undefined) return;
      if (!code) throw new Refusal(403, coded('2FA_REQUIRED', 'totp_code is needed: 2FA is on'));
      const secret = readTotpSecret(account.totpSecret);
      const now = totpStep(world.clock.now());
      const open = [now - DRIFT, now, now + DRIFT].filter((step) => !account.usedTotpSteps.includes(step));
      const step = open.find((candidate) => totpCode(secret, candidate) === code);
      if (step === undefined) {
        throw new Refusal(403, coded('INVALID_2FA_CODE', 'The one-time code is wrong, or was used already'));
      }
      account.usedTotpSteps = [...account.usedTotpSteps.filter((used) => used >= now - DRIFT), step];
      world.changed();
    },
  };
}
