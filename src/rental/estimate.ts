import { BigNumber } from 'bignumber.js';
import { formatTrx, toWholeSun, trxFromSun } from './money.ts';
import type { Prices } from './resources/prices.ts';

/**
 * What energy would cost, in TRX: amount × sun ÷ 1,000,000, to the sun. The formula isn't in the specification (section 4,
 * gaps), so this is never more than an estimate. `undefined` where the prices don't name this duration.
 */
export function estimateEnergy(
  { amount, hours }: { amount: number; hours: number },
  prices: Prices,
): string | undefined {
  const sun = prices.energySunPerUnit?.[hours];
  return sun === undefined ? undefined : formatTrx(toWholeSun(trxFromSun(new BigNumber(sun).times(amount))));
}
