import { describe, expect, it } from 'vitest';
import {
  createSecondFactor,
  readTotpSecret,
  totpCode,
  totpStep,
} from '../../../src/sandbox/rental/two-factor.ts';
import { START } from './rental-server.ts';
import { stillWorld } from './still-world.ts';

const SECRET = 'JBSWY3DPEHPK3PXP';

function still() {
  const { world, clock } = stillWorld();
  const { require } = createSecondFactor(world);
  const accepts = (step: number): boolean => {
    const account = world.state.accounts.find(({ totpSecret }) => totpSecret === SECRET);
    if (!account) throw new Error('there is no account with 2FA');
    try {
      require(account, totpCode(readTotpSecret(SECRET), step));
      return true;
    } catch {
      return false;
    }
  };
  return { clock, now: totpStep(START), accepts };
}

describe('the codes of the current and adjacent steps', () => {
  it('are accepted once each, in any order', () => {
    const { now, accepts } = still();
    const order = [now, now + 1, now - 1];
    expect(order.map(accepts)).toEqual([true, true, true]);
    expect(order.map(accepts)).toEqual([false, false, false]);
  });

  it('stay used while they are valid', () => {
    const { clock, now, accepts } = still();
    expect(accepts(now)).toBe(true);
    clock.advance(30_000);
    expect([now, now + 1, now].map(accepts)).toEqual([false, true, false]);
  });
});
