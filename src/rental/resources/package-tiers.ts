import { z } from 'zod';
import { decimal } from './fields.ts';

/** Section 2, transfer package tiers; a tier's `price_trx` is the total. */
export const PackageTiers = z.looseObject({
  tiers: z.array(z.looseObject({ size: z.number(), price_trx: decimal })),
  single_transfer_price: decimal,
  bw_fee_per_transfer: decimal,
  min_custom_size: z.number(),
  max_custom_size: z.number(),
});

export type PackageTiers = z.infer<typeof PackageTiers>;
