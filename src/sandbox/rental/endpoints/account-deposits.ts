import { get } from '../endpoint.ts';
import { trxFromSun } from '../sun.ts';

/** Beyond `status` the fields of a deposit record are not shown; these are what its reader would look for. */
export const accountDeposits = get('/account/deposits', ({ account, parts }) =>
  parts.deposits.of(account).map((deposit) => ({
    id: deposit.id,
    amount: trxFromSun(deposit.amount),
    currency: 'TRX',
    amount_trx: trxFromSun(deposit.amount),
    status: 'confirmed',
    tx_hash: deposit.txHash,
    created_at: new Date(deposit.createdAt).toISOString(),
  })),
);
