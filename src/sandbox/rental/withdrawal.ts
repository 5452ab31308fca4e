import { type Sun, trxFromSun } from './sun.ts';

/** Withdrawal (section 2). */
export interface Withdrawal {
  readonly id: number;
  readonly accountId: number;
  readonly toAddress: string;
  readonly amount: Sun;
  readonly fee: Sun;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  status: 'pending' | 'completed' | 'failed';
  txHash?: string;
}

/** Returns a withdrawal as the API shows it (section 2). */
export function withdrawalRecord(withdrawal: Withdrawal) {
  return {
    id: withdrawal.id,
    to_address: withdrawal.toAddress,
    amount_trx: trxFromSun(withdrawal.amount),
    fee_trx: trxFromSun(withdrawal.fee),
    status: withdrawal.status,
    tx_hash: withdrawal.txHash,
    created_at: new Date(withdrawal.createdAt).toISOString(),
  };
}
