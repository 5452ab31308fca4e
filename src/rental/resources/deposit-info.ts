import { z } from 'zod';
import { chainAddress, decimal } from './fields.ts';

/** Section 2, deposit info. */
export const DepositInfo = z.looseObject({
  deposit_address: chainAddress,
  accepted_currencies: z.array(z.string()),
  usdt_to_trx_rate: decimal,
  trx_usd_rate: decimal,
});

export type DepositInfo = z.infer<typeof DepositInfo>;
