import { type Sun, trxFromSun } from './sun.ts';
import type { Currency } from './wallets.ts';

/** Transfer to an account's deposit address. */
export interface Deposit {
  readonly id: number;
  readonly accountId: number;
  readonly from: string;
  readonly currency: Currency;
  /** Amount in the smallest unit of the currency. */
  readonly amount: bigint;
  /** Amount to credit to the balance. */
  readonly amountTrx: Sun;
  readonly txHash: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  status: 'pending' | 'confirmed' | 'expired';
  confirmedAt?: number;
}

/** Returns a deposit as the API shows it. The specification documents only `status`; the other fields are a choice. */
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
