import type { Currency } from './purses.ts';

/** What happened on the chain. Delegations and activations move no money. */
export interface Transaction {
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: 'transfer' | 'activation' | 'delegation';
  readonly from: string;
  readonly to: string;
  readonly currency: Currency;
  /** In the smallest unit of the currency. */
  readonly amount: bigint;
  readonly memo?: string;
  /** Where money is sent back to, when that isn't where it came from. */
  readonly returnTo?: string;
}
