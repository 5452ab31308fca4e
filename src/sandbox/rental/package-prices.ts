import { type Sun, trxFromSun } from './sun.ts';

/** Prices of a single transfer and, in `TIERS`, of a transfer in a package. The specification shows no prices. */
const SINGLE_TRANSFER: Sun = 2_400_000n;
const TIERS: readonly [size: number, each: Sun][] = [
  [10, 2_350_000n],
  [50, 2_300_000n],
  [100, 2_250_000n],
  [500, 2_150_000n],
  [1_000, 2_050_000n],
];

/** Fee of BW Guarantee per transfer, in sun (section 8). */
export const BW_FEE: Sun = 300_000n;
const MIN_CUSTOM_SIZE = 1;
const MAX_CUSTOM_SIZE = 10_000;

/** Returns the transfer package tiers (section 2). */
export function packageTiers() {
  return {
    tiers: TIERS.map(([size, each]) => ({ size, price_trx: trxFromSun(BigInt(size) * each) })),
    single_transfer_price: trxFromSun(SINGLE_TRANSFER),
    bw_fee_per_transfer: trxFromSun(BW_FEE),
    min_custom_size: MIN_CUSTOM_SIZE,
    max_custom_size: MAX_CUSTOM_SIZE,
  };
}
