import { z } from 'zod';
import { chainAddress, decimal, recordId, status, timestamp, transactionHash } from './fields.ts';

/**
 * Section 2, invoice: `pending`, `paid`, `delegated`, `expired` or `failed`.
 * What only a fetched invoice has is optional, because a created one is the same resource.
 */
export const Invoice = z.looseObject({
  invoice_id: recordId,
  payment_address: chainAddress,
  address: chainAddress,
  energy_amount: z.number(),
  duration_hours: z.number(),
  price_trx: decimal,
  price_usdt: decimal,
  status,
  tx_hash: transactionHash.nullish(),
  paid_at: timestamp.nullish(),
  delegated_at: timestamp.nullish(),
  expires_at: timestamp,
  created_at: timestamp.nullish(),
});

export type Invoice = z.infer<typeof Invoice>;
