import { z } from 'zod';
import { requireAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text } from '../fields.ts';
import { SUBSCRIPTION_FEE, transferFee } from '../smart-mode-prices.ts';
import { subscriptionRecord } from '../subscription.ts';
import { trxFromSun } from '../sun.ts';

const LONGEST_LABEL = 64;

const label = text('a text of at most 64 characters').max(LONGEST_LABEL, {
  error: 'expected at most 64 characters',
});

const body = z.object({
  address: text('a chain address: T and 33 more characters'),
  /** null means no label, as in the response. */
  label: label.nullish(),
  bw_guarantee: z.boolean({ error: 'expected true or false' }).default(true),
});

export const smartModeActivate = post(
  '/smart-mode/activate',
  { body, perMinute: 10 },
  ({ account, parts, body }) => {
    const subscription = parts.smartMode.activate(account, {
      address: requireAddress(body.address),
      label: body.label ?? null,
      bwGuarantee: body.bw_guarantee,
    });
    return {
      ...subscriptionRecord(subscription),
      subscription_fee_trx: trxFromSun(SUBSCRIPTION_FEE),
      transfer_fee_trx: trxFromSun(transferFee(subscription.bwGuarantee)),
    };
  },
);
