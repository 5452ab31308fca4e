// Schemas that several responses or events share. Each export is a component of the OpenAPI document.

import { z } from 'zod';
import {
  amount,
  chainAddress,
  decimal,
  recordId,
  timestamp,
  trxText,
  txHash,
  usdtText,
} from './response-fields.ts';

export const DepositRecord = z
  .strictObject({
    id: recordId,
    status: z
      .enum(['pending', 'confirmed', 'expired'])
      .describe('The only field that the specification shows.'),
    currency: z.enum(['TRX', 'USDT']),
    amount: decimal.describe('Deposited amount, in its currency.'),
    amount_trx: trxText.describe('Credited amount.'),
    tx_hash: txHash,
    created_at: timestamp,
    confirmed_at: timestamp.optional().describe('Absent until the deposit is credited.'),
  })
  .describe('Section 2, Deposit record.');

export const EndedOrder = z
  .strictObject({
    order_id: recordId,
    address: chainAddress,
    energy_amount: amount.optional().describe('Only for energy orders.'),
    bandwidth_amount: amount.optional().describe('Only for bandwidth orders.'),
  })
  .refine((order) => (order.energy_amount === undefined) !== (order.bandwidth_amount === undefined))
  .describe('Section 6, data of an event about a filled or failed order.');

export const CreatedInvoice = z
  .strictObject({
    invoice_id: recordId,
    payment_address: chainAddress.describe('Unique deposit address for the payment in TRX or USDT.'),
    address: chainAddress.describe('Target chain address receiving energy.'),
    energy_amount: amount,
    duration_hours: z.literal([1, 24]),
    price_trx: trxText,
    price_usdt: usdtText,
    status: z.enum(['pending', 'paid', 'delegated', 'expired', 'failed']),
    expires_at: timestamp.describe('30 minutes after creation.'),
  })
  .describe('Section 2, Invoice, as returned by its creation.');

export const Invoice = CreatedInvoice.extend({
  tx_hash: txHash.optional().describe('Delegation transaction hash; absent before the delegation.'),
  paid_at: timestamp.optional().describe('Absent before the payment.'),
  delegated_at: timestamp.optional().describe('Absent before the delegation.'),
  created_at: timestamp,
}).describe('Section 2, Invoice, as returned when it is read.');

export const Refusal = z
  .strictObject({
    detail: z.union([
      z.string(),
      z.strictObject({
        error: z.strictObject({ code: z.string().regex(/^[A-Z0-9_]+$/), message: z.string() }),
      }),
    ]),
  })
  .describe('Message, or error code with a message. Section 7 only shows the body of a 429.');

export const RateLimited = z
  .strictObject({ detail: z.string().describe('A message with a wait time in seconds.') })
  .describe('Section 7.');

export const Subscription = z
  .strictObject({
    id: recordId,
    address: chainAddress.describe('Monitored chain address.'),
    label: z.string().nullable(),
    status: z.enum(['active', 'paused']),
    bw_guarantee: z.boolean(),
    created_at: timestamp,
  })
  .describe('Section 2, Smart Mode subscription.');

export const SmartModeTransfer = z
  .strictObject({
    transfer_id: recordId,
    subscription_id: recordId,
    address: chainAddress.describe('Monitored chain address, which sent the USDT.'),
    to_address: chainAddress,
    amount_usdt: usdtText,
    energy_amount: amount.describe('131,000 if the recipient held no USDT, otherwise 65,000.'),
    bw_guarantee: z.boolean(),
    fee_trx: trxText,
    tx_hash: txHash.describe('Hash of the transfer transaction.'),
    delegation_tx_hash: txHash,
  })
  .describe('Not shown in the specification: data of an event about a transfer that Smart Mode served.');

export const Withdrawal = z
  .strictObject({
    id: recordId,
    to_address: chainAddress.describe('Destination chain address.'),
    amount_trx: trxText,
    fee_trx: trxText,
    status: z.enum(['pending', 'completed', 'failed']),
    tx_hash: txHash.optional().describe('Present once TRX is sent.'),
    created_at: timestamp,
  })
  .describe('Section 2, Withdrawal.');
