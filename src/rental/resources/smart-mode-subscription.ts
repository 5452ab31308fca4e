import { z } from 'zod';
import { chainAddress, createdAt, flag, optional, price, recordId, said, status } from './fields.ts';

/** Section 2, Smart Mode subscription: `active`, `paused` or `deactivated`. Only an activation returns the fees. */
export const SmartModeSubscription = z.looseObject({
  id: recordId,
  address: chainAddress,
  label: optional(said(64)),
  status,
  bw_guarantee: flag,
  subscription_fee_trx: price.catch(undefined),
  transfer_fee_trx: price.catch(undefined),
  created_at: createdAt,
});

export type SmartModeSubscription = z.infer<typeof SmartModeSubscription>;
