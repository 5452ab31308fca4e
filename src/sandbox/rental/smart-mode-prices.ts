import { BW_FEE } from './package-prices.ts';
import type { Sun } from './sun.ts';

/** For 24 hours of being active. The specification doesn't show the amounts of either fee. */
export const SUBSCRIPTION_FEE: Sun = 1_500_000n;
const TRANSFER_FEE: Sun = 2_500_000n;

/** What a transfer is charged, BW Guarantee (section 8) included where it is on. */
export function transferFee(bwGuarantee: boolean): Sun {
  return bwGuarantee ? TRANSFER_FEE + BW_FEE : TRANSFER_FEE;
}
