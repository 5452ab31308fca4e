import { z } from 'zod';
import { decimal, recordId, said, status, timestamp, transactionHash } from './fields.ts';

/**
 * Section 2, deposit record: `pending`, `confirmed` or `expired`. Nothing else of it is documented: what the live service
 * was seen to send is read where it fits, and left out where it doesn't.
 */
export const DepositRecord = z.looseObject({
  status,
  id: recordId.optional().catch(undefined),
  amount: decimal.optional().catch(undefined),
  currency: said(16).optional().catch(undefined),
  amount_trx: decimal.optional().catch(undefined),
  tx_hash: transactionHash.optional().catch(undefined),
  created_at: timestamp.optional().catch(undefined),
});

export type DepositRecord = z.infer<typeof DepositRecord>;
