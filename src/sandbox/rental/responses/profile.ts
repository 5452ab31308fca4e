import { z } from 'zod';
import { chainAddress, recordId, timestamp, trx } from './fields.ts';

export const profile = z
  .strictObject({
    id: recordId,
    email: z.string(),
    chain_address: chainAddress.describe("The account's own chain address."),
    balance_trx: trx,
    totp_enabled: z.boolean().describe('Whether 2FA is on.'),
    created_at: timestamp,
  })
  .describe('Section 2, Account profile.');
