import type { Currency } from './wallets.ts';

/** Transaction on the chain. Delegations and activations move no money. */
export interface Transaction {
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: 'transfer' | 'activation' | 'delegation';
  readonly from: string;
  readonly to: string;
  readonly currency: Currency;
  /** Amount in the smallest unit of the currency. */
  readonly amount: bigint;
  readonly memo?: string;
  /** Address for refunds, if it isn't `from`. */
  readonly returnTo?: string;
}
