import { z } from 'zod';
import {
  chainAddress,
  numeric,
  optional,
  price,
  recordId,
  status,
  timestamp,
  transactionHash,
} from './fields.ts';

/**
 * Section 2, invoice: `pending`, `paid`, `delegated`, `expired` or `failed`.
 * Fields that only a fetched invoice has are optional, because a created invoice uses the same schema.
 */
export const Invoice = z.looseObject({
  invoice_id: recordId,
  payment_address: chainAddress,
  address: chainAddress,
  energy_amount: numeric,
  duration_hours: numeric,
  price_trx: price,
  price_usdt: price,
  /** Empty if the service sends none that can be read: such an invoice must not count as pending. */
  status: status.catch(''),
  tx_hash: optional(transactionHash),
  paid_at: optional(timestamp),
  delegated_at: optional(timestamp),
  expires_at: timestamp,
  created_at: optional(timestamp),
});

export type Invoice = z.infer<typeof Invoice>;
