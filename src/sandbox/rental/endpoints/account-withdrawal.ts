import { z } from 'zod';
import { requireAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text, trx } from '../fields.ts';
import { withdrawalRecord } from '../withdrawal.ts';

/** The specification doesn't state a minimum amount. The sandbox requires one sun. */
const body = z.object({
  to_address: text('a chain address: T and 33 more characters'),
  amount_trx: trx.refine((sun) => sun > 0n, { error: 'expected more than 0' }),
  totp_code: text('a one-time code of six digits').optional(),
});

export const accountWithdrawal = post(
  '/account/withdrawal',
  { body, perMinute: 1 },
  ({ account, parts, body }) => {
    const toAddress = requireAddress(body.to_address);
    parts.secondFactor.require(account, body.totp_code);
    return withdrawalRecord(parts.withdrawals.create(account, { toAddress, amount: body.amount_trx }));
  },
);
