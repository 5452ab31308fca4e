import { z } from 'zod';
import { chainAddress, price, said } from './fields.ts';

/** Section 2, deposit info. */
export const DepositInfo = z.looseObject({
  deposit_address: chainAddress,
  accepted_currencies: z.array(said(16)),
  usdt_to_trx_rate: price,
  trx_usd_rate: price,
});

export type DepositInfo = z.infer<typeof DepositInfo>;
