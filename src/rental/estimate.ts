import { BigNumber } from 'bignumber.js';
import { BANDWIDTH_FEE_TRX, BANDWIDTH_TRX_PER_THOUSAND } from './limits.ts';
import { formatTrx, toWholeSun, trxFromSun } from './money.ts';
import type { Prices } from './resources/prices.ts';

/**
 * Estimates the price of energy in TRX: amount × sun ÷ 1,000,000, rounded to the sun. The formula isn't in the specification
 * (section 4, gaps). Returns `undefined` if no price is known for this duration.
 */
export function estimateEnergy(
  { amount, hours }: { amount: number; hours: number },
  prices: Prices,
): string | undefined {
  const sun = prices.energySunPerUnit?.[hours];
  const price = toWholeSun(trxFromSun(new BigNumber(sun ?? 0).times(amount)));
  return price.gt(0) ? formatTrx(price) : undefined;
}

/**
 * Estimates the price of bandwidth in TRX, rounded to the sun: (volume ÷ 1000) × 9.6 × hours ÷ 24 + 0.2. The formula of section
 * 4, endpoint 2 omits the hours. With them, its sample (1000 for 24 hours) gives the documented 9.80.
 */
export function estimateBandwidth({ amount, hours }: { amount: number; hours: number }): string {
  const rented = new BigNumber(BANDWIDTH_TRX_PER_THOUSAND).times(amount).times(hours).div(24_000);
  return formatTrx(toWholeSun(rented.plus(BANDWIDTH_FEE_TRX)));
}
