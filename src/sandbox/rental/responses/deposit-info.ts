import { z } from 'zod';
import { chainAddress, decimal } from './fields.ts';

export const depositInfo = z
  .strictObject({
    deposit_address: chainAddress.describe("The account's personal deposit address."),
    accepted_currencies: z.array(z.enum(['TRX', 'USDT'])),
    usdt_to_trx_rate: decimal.describe('TRX credited for a USDT.'),
    trx_usd_rate: decimal,
  })
  .describe('Section 2, Deposit info.');
