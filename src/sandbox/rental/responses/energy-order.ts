import { z } from 'zod';
import { amount, chainAddress, recordId, trx } from './fields.ts';

export const energyOrder = z
  .strictObject({
    order_id: recordId,
    address: chainAddress.describe('Target chain address.'),
    energy_amount: amount.describe('Delegated energy.'),
    duration_hours: z.literal([1, 24]).describe('Rental duration.'),
    price_trx: trx.describe('Total cost in TRX.'),
    status: z.enum(['pending', 'filled', 'failed']),
  })
  .describe('Section 2, Energy order.');
