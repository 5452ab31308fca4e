import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { parseTrx } from '../money.ts';
import { Withdrawal } from '../resources/withdrawal.ts';
import type { Endpoint } from './endpoint.ts';
import { targetAddress } from './request-fields.ts';

const SUN_DECIMALS = 6;

/** Amount above 0 with at most six decimals. The specification documents no minimum or maximum (section 8). */
const amount = z
  .string()
  .trim()
  .refine((text) => {
    const trx = parseTrx(text);
    return trx?.gt(0) && (trx.decimalPlaces() ?? 0) <= SUN_DECIMALS;
  }, 'an amount of TRX above 0 with at most six decimals is expected');

const WithdrawalRequest = z.object({
  to_address: targetAddress,
  amount_trx: amount,
  totp_code: z
    .string()
    .regex(/^\d{6,8}$/, 'the digits of a one-time code are expected')
    .optional(),
});

export type WithdrawalRequest = z.infer<typeof WithdrawalRequest>;

export const withdraw: Endpoint<WithdrawalRequest, Withdrawal> = {
  name: 'withdraw',
  kind: 'money',
  method: 'POST',
  path: '/account/withdrawal',
  perMinute: PER_MINUTE.withdraw,
  request: WithdrawalRequest,
  response: Withdrawal,
  echoes: (asked, withdrawal) =>
    withdrawal.to_address === asked.to_address && new BigNumber(withdrawal.amount_trx).eq(asked.amount_trx),
  secrets: ({ totp_code }) => (totp_code === undefined ? [] : [totp_code]),
};
