import { BW_FEE } from './prices.ts';
import type { Sun } from './sun.ts';

/** Fee for 24 active hours, in sun. The specification shows neither this nor the transfer fee. */
export const SUBSCRIPTION_FEE: Sun = 1_500_000n;
const TRANSFER_FEE: Sun = 2_500_000n;

/** Returns the fee of a transfer, including BW Guarantee (section 8) if it is on. */
export function transferFee(bwGuarantee: boolean): Sun {
  return bwGuarantee ? TRANSFER_FEE + BW_FEE : TRANSFER_FEE;
}
