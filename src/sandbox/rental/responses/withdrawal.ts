import { z } from 'zod';
import { chainAddress, recordId, timestamp, trx, txHash } from './fields.ts';

export const withdrawal = z
  .strictObject({
    id: recordId,
    to_address: chainAddress.describe('Destination chain address.'),
    amount_trx: trx,
    fee_trx: trx,
    status: z.enum(['pending', 'completed', 'failed']),
    tx_hash: txHash.optional().describe('Present once TRX is sent.'),
    created_at: timestamp,
  })
  .describe('Section 2, Withdrawal.');
