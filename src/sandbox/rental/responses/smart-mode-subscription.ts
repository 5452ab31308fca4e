import { z } from 'zod';
import { chainAddress, recordId, timestamp, trx } from './fields.ts';

export const subscription = z
  .strictObject({
    id: recordId,
    address: chainAddress.describe('Monitored chain address.'),
    label: z.string().nullable(),
    status: z.enum(['active', 'paused']),
    bw_guarantee: z.boolean(),
    created_at: timestamp,
  })
  .describe('Section 2, Smart Mode subscription.');

export const activatedSubscription = subscription
  .extend({
    subscription_fee_trx: trx.describe('The daily fee; the first is charged with the activation.'),
    transfer_fee_trx: trx.describe('The fee of each transfer.'),
  })
  .describe('Section 2, Smart Mode subscription, as its activation returns it.');

export const deactivatedSubscription = z
  .strictObject({
    id: recordId,
    address: chainAddress,
    status: z.literal('deactivated'),
    message: z.string(),
  })
  .describe('Section 4, endpoint 9.');
