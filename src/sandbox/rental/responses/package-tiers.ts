import { z } from 'zod';
import { amount, trx } from './fields.ts';

export const packageTiers = z
  .strictObject({
    tiers: z.array(
      z.strictObject({ size: amount.describe('Transfers.'), price_trx: trx.describe('Total price.') }),
    ),
    single_transfer_price: trx.describe('TRX per single transfer.'),
    bw_fee_per_transfer: trx.describe('BW Guarantee fee per transfer, TRX.'),
    min_custom_size: z.literal(1),
    max_custom_size: z.literal(10_000),
  })
  .describe('Section 2, Transfer package tiers.');
