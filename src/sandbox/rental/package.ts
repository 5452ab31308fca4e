import { z } from 'zod';
import { BW_FEE } from './prices.ts';
import { count, defineRecord, time } from './record.ts';
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
const MIN_CUSTOM_SIZE = 1;
const MAX_CUSTOM_SIZE = 10_000;

/** Prepaid bundle of transfers for one address. The specification has no purchase of packages; the seed defines them. */
const transferPackage = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  /** Number of transfers. */
  size: count,
  createdAt: time,
  /** An address can't have both an active package and an active subscription (section 3). */
  active: z.boolean(),
});

export const packages = defineRecord({
  schema: transferPackage,
  view: ({ id, accountId, address, size, active, createdAt }) => ({
    id,
    account_id: accountId,
    address,
    size,
    active,
    created_at: new Date(createdAt).toISOString(),
  }),
  ledgerKinds: [],
});

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
