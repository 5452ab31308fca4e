import { z } from 'zod';
import { count, defineRecord, time } from './record.ts';

/** Smart Mode subscription (section 2). */
const subscription = z.strictObject({
  id: count,
  accountId: count,
  /** Watched address. */
  address: z.string(),
  label: z.string().nullable(),
  bwGuarantee: z.boolean(),
  createdAt: time,
  status: z.enum(['active', 'paused', 'deactivated']),
  /** End of the paid day. A pause doesn't change it; resuming moves it. */
  paidUntil: time,
  pausedAt: time.optional(),
});

export type Subscription = z.output<typeof subscription>;

/** `smart_mode_day`, `smart_mode_transfer`: fees. The others are changes of a subscription. */
export const subscriptions = defineRecord({
  schema: subscription,
  view: (one) => ({
    ...subscriptionRecord(one),
    account_id: one.accountId,
    paid_until: new Date(one.paidUntil).toISOString(),
    paused_at: one.pausedAt === undefined ? null : new Date(one.pausedAt).toISOString(),
  }),
  ledgerKinds: [
    'smart_mode_day',
    'smart_mode_transfer',
    'smart_mode_pause',
    'smart_mode_resumption',
    'smart_mode_end',
  ],
});

/** Returns a subscription as the API shows it (section 4.7). */
export function subscriptionRecord(subscription: Subscription) {
  return {
    id: subscription.id,
    address: subscription.address,
    label: subscription.label,
    status: subscription.status,
    bw_guarantee: subscription.bwGuarantee,
    created_at: new Date(subscription.createdAt).toISOString(),
  };
}
