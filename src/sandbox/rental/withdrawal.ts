import { z } from 'zod';
import { count, defineRecord, time, units } from './record.ts';
import { trxFromSun } from './sun.ts';

/** Withdrawal (section 2). */
const withdrawal = z.strictObject({
  id: count,
  accountId: count,
  toAddress: z.string(),
  amount: units,
  fee: units,
  createdAt: time,
  status: z.enum(['pending', 'completed', 'failed']),
  txHash: z.string().optional(),
});

export type Withdrawal = z.output<typeof withdrawal>;

/** `withdrawal_refund`: a failed withdrawal. */
export const withdrawals = defineRecord({
  schema: withdrawal,
  view: (one) => ({ ...withdrawalRecord(one), account_id: one.accountId }),
  ledgerKinds: ['withdrawal', 'withdrawal_refund'],
});

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
