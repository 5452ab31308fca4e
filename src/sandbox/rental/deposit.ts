import type { Currency } from './purses.ts';
import { type Sun, trxFromSun } from './sun.ts';

/** Money that came to an account's deposit address. */
export interface Deposit {
  readonly id: number;
  readonly accountId: number;
  readonly from: string;
  readonly currency: Currency;
  /** In the smallest unit of its currency. */
  readonly amount: bigint;
  /** What is credited for it. */
  readonly amountTrx: Sun;
  readonly txHash: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  status: 'pending' | 'confirmed' | 'expired';
  confirmedAt?: number;
}

/** The deposit as the service shows it. Beyond `status` its fields are not shown; these are what a reader would look for. */
export function depositRecord(deposit: Deposit) {
  return {
    id: deposit.id,
    status: deposit.status,
    currency: deposit.currency,
    amount: trxFromSun(deposit.amount),
    amount_trx: trxFromSun(deposit.amountTrx),
    tx_hash: deposit.txHash,
    created_at: new Date(deposit.createdAt).toISOString(),
    confirmed_at: deposit.confirmedAt && new Date(deposit.confirmedAt).toISOString(),
  };
}
