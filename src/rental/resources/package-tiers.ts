import { z } from 'zod';
import { numeric, price } from './fields.ts';

/** Section 2, transfer package tiers; a tier's `price_trx` is the total. */
export const PackageTiers = z.looseObject({
  tiers: z.array(z.looseObject({ size: numeric, price_trx: price })),
  single_transfer_price: price,
  bw_fee_per_transfer: price,
  min_custom_size: numeric.nullish(),
  max_custom_size: numeric.nullish(),
});

export type PackageTiers = z.infer<typeof PackageTiers>;
