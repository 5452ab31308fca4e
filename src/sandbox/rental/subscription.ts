/** A Smart Mode subscription (section 2). Times are epoch milliseconds. */
export interface Subscription {
  readonly id: number;
  readonly accountId: number;
  /** Whose USDT transfers are watched. */
  readonly address: string;
  readonly label: string | null;
  readonly bwGuarantee: boolean;
  readonly createdAt: number;
  status: 'active' | 'paused' | 'deactivated';
  /** When the day that was paid last is used up; while paused it stands still, and is moved at the resumption. */
  paidUntil: number;
  pausedAt?: number;
}

/** What section 4.7 answers with. */
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
