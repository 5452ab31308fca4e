import { z } from 'zod';
import { count, defineRecord, time, units } from './record.ts';
import { trxFromSun } from './sun.ts';
import { currencySchema } from './wallets.ts';

/** Transfer to an account's deposit address. */
const deposit = z.strictObject({
  id: count,
  accountId: count,
  from: z.string(),
  currency: currencySchema,
  amount: units,
  /** Amount to credit to the balance. */
  amountTrx: units,
  txHash: z.string(),
  createdAt: time,
  status: z.enum(['pending', 'confirmed', 'expired']),
  confirmedAt: time.optional(),
});

export type Deposit = z.output<typeof deposit>;

export const deposits = defineRecord({
  schema: deposit,
  view: (one) => ({ ...depositRecord(one), account_id: one.accountId, from: one.from }),
  ledgerKinds: ['deposit'],
});

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
