import { z } from 'zod';
import { chainAddress, decimal, recordId, said, timestamp } from './fields.ts';

/** Section 2, account profile. */
export const Profile = z.looseObject({
  id: recordId,
  email: said(200),
  chain_address: chainAddress,
  balance_trx: decimal,
  totp_enabled: z.boolean(),
  created_at: timestamp,
});

export type Profile = z.infer<typeof Profile>;
