import { z } from 'zod';
import { amount, chainAddress, recordId, timestamp, trx, txHash, usdt } from './fields.ts';

export const createdInvoice = z
  .strictObject({
    invoice_id: recordId,
    payment_address: chainAddress.describe('Unique deposit address; TRX or USDT is sent here.'),
    address: chainAddress.describe('Target chain address receiving energy.'),
    energy_amount: amount,
    duration_hours: z.literal([1, 24]),
    price_trx: trx,
    price_usdt: usdt,
    status: z.enum(['pending', 'paid', 'delegated', 'expired', 'failed']),
    expires_at: timestamp.describe('30 minutes after creation.'),
  })
  .describe('Section 2, Invoice, as its creation returns it.');

export const invoice = createdInvoice
  .extend({
    tx_hash: txHash.optional().describe('Delegation transaction hash; absent before the delegation.'),
    paid_at: timestamp.optional().describe('Absent before the payment.'),
    delegated_at: timestamp.optional().describe('Absent before the delegation.'),
    created_at: timestamp,
  })
  .describe('Section 2, Invoice, as fetching returns it.');
