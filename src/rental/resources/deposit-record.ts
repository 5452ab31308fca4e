import { z } from 'zod';
import { decimal, recordId, said, status, timestamp, transactionHash } from './fields.ts';

/**
 * Section 2, deposit record: `pending`, `confirmed` or `expired`. Other fields are undocumented. They were observed at the live
 * service and are ignored if they don't fit.
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
