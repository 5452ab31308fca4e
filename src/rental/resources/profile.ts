import { z } from 'zod';
import { chainAddress, createdAt, decimal, flag, recordId, said } from './fields.ts';

/**
 * Section 2, account profile.
 *
 * `totp_enabled` null is read as *off*. This is the safe reading: withdrawals then get the bot's limits for accounts
 * without two-factor codes, and the service still refuses a withdrawal that lacks a code it requires. If it were read as
 * *on*, any six digits could lift those limits on an account without codes.
 */
export const Profile = z.looseObject({
  id: recordId,
  email: said(200).nullish(),
  chain_address: chainAddress.nullish(),
  balance_trx: decimal,
  totp_enabled: flag,
  created_at: createdAt,
});

export type Profile = z.infer<typeof Profile>;
