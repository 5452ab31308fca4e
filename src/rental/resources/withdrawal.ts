import { z } from 'zod';
import {
  chainAddress,
  createdAt,
  decimal,
  optional,
  price,
  recordId,
  status,
  transactionHash,
} from './fields.ts';

/** Section 2, withdrawal: `pending`, `completed` or `failed`. Has a `tx_hash` after TRX is sent. */
export const Withdrawal = z.looseObject({
  id: recordId,
  to_address: chainAddress,
  amount_trx: decimal,
  fee_trx: price,
  status,
  tx_hash: optional(transactionHash),
  created_at: createdAt,
});

export type Withdrawal = z.infer<typeof Withdrawal>;
