import { z } from 'zod';
import { chainAddress, decimal, optional, recordId, said, status, timestamp } from './fields.ts';

/** Section 2, Smart Mode subscription: `active`, `paused` or `deactivated`; the fees come on activation only. */
export const SmartModeSubscription = z.looseObject({
  id: recordId,
  address: chainAddress,
  label: optional(said(64)),
  status,
  bw_guarantee: z.boolean(),
  subscription_fee_trx: optional(decimal),
  transfer_fee_trx: optional(decimal),
  created_at: timestamp,
});

export type SmartModeSubscription = z.infer<typeof SmartModeSubscription>;
