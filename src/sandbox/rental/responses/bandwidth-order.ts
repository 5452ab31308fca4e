import { z } from 'zod';
import { amount, chainAddress, recordId, trx } from './fields.ts';

export const bandwidthOrder = z
  .strictObject({
    order_id: recordId,
    address: chainAddress.describe('Target chain address.'),
    bandwidth_amount: amount,
    duration_hours: amount.describe('Rental duration.'),
    price_trx: trx.describe('Total cost in TRX.'),
    status: z
      .enum(['pending', 'filled', 'failed'])
      .describe("Not enumerated in the specification: here the energy order's set."),
  })
  .describe('Section 2, Bandwidth order.');
