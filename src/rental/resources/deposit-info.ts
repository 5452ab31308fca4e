import { z } from 'zod';
import { chainAddress, decimal, said } from './fields.ts';

/** Section 2, deposit info. */
export const DepositInfo = z.looseObject({
  deposit_address: chainAddress,
  accepted_currencies: z.array(said(16)),
  usdt_to_trx_rate: decimal,
  trx_usd_rate: decimal,
});

export type DepositInfo = z.infer<typeof DepositInfo>;
