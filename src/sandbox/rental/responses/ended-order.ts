import { z } from 'zod';
import { amount, chainAddress, recordId } from './fields.ts';

export const endedOrder = z
  .strictObject({
    order_id: recordId,
    address: chainAddress,
    energy_amount: amount.optional().describe('Of an energy order.'),
    bandwidth_amount: amount.optional().describe('Of a bandwidth order.'),
  })
  .refine((order) => (order.energy_amount === undefined) !== (order.bandwidth_amount === undefined))
  .describe('Section 6: what is told of an order that has ended.');
