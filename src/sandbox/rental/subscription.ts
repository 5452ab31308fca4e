/** Smart Mode subscription (section 2). Times are epoch milliseconds. */
export interface Subscription {
  readonly id: number;
  readonly accountId: number;
  /** Watched address. */
  readonly address: string;
  readonly label: string | null;
  readonly bwGuarantee: boolean;
  readonly createdAt: number;
  status: 'active' | 'paused' | 'deactivated';
  /** End of the paid day. A pause doesn't change it; resuming moves it. */
  paidUntil: number;
  pausedAt?: number;
}

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
