import { z } from 'zod';
import { decimal, recordId, timestamp, trx, txHash } from './fields.ts';

export const depositRecord = z
  .strictObject({
    id: recordId,
    status: z
      .enum(['pending', 'confirmed', 'expired'])
      .describe('The only field that the specification shows.'),
    currency: z.enum(['TRX', 'USDT']),
    amount: decimal.describe('What came in, in its currency.'),
    amount_trx: trx.describe('What is credited for it.'),
    tx_hash: txHash,
    created_at: timestamp,
    confirmed_at: timestamp.optional().describe('Absent until it is credited.'),
  })
  .describe('Section 2, Deposit record.');
