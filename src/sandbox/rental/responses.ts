// Schemas of responses and of the data of events. Each export is a component of the OpenAPI document.

import { z } from 'zod';

const recordId = z.int().positive().describe('ID of the record.');

const chainAddress = z
  .string()
  .regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)
  .describe('Chain address: 34 characters, starting with T.');

/** Money (section 2): two to six decimals. */
const trx = z
  .string()
  .regex(/^\d+\.\d{2,6}$/)
  .describe('A decimal amount of TRX.');

const usdt = z
  .string()
  .regex(/^\d+\.\d{2,6}$/)
  .describe('A decimal amount of USDT.');

/** Rate or unit price. */
const decimal = z.string().regex(/^\d+(\.\d+)?$/);

const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC.' });

const txHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('A transaction hash.');

const amount = z.int().positive();

export const Activation = z
  .strictObject({
    success: z.boolean(),
    tx_hash: txHash.describe('Activation transaction hash.'),
  })
  .describe('Section 4, endpoint 3.');

export const BandwidthOrder = z
  .strictObject({
    order_id: recordId,
    address: chainAddress.describe('Target chain address.'),
    bandwidth_amount: amount,
    duration_hours: amount.describe('Rental duration.'),
    price_trx: trx.describe('Total cost in TRX.'),
    status: z
      .enum(['pending', 'filled', 'failed'])
      .describe('Not listed in the specification; uses the statuses of an energy order.'),
  })
  .describe('Section 2, Bandwidth order.');

export const DepositInfo = z
  .strictObject({
    deposit_address: chainAddress.describe("The account's personal deposit address."),
    accepted_currencies: z.array(z.enum(['TRX', 'USDT'])),
    usdt_to_trx_rate: decimal.describe('TRX credited for a USDT.'),
    trx_usd_rate: decimal,
  })
  .describe('Section 2, Deposit info.');

export const DepositRecord = z
  .strictObject({
    id: recordId,
    status: z
      .enum(['pending', 'confirmed', 'expired'])
      .describe('The only field that the specification shows.'),
    currency: z.enum(['TRX', 'USDT']),
    amount: decimal.describe('Deposited amount, in its currency.'),
    amount_trx: trx.describe('Credited amount.'),
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

export const EnergyOrder = z
  .strictObject({
    order_id: recordId,
    address: chainAddress.describe('Target chain address.'),
    energy_amount: amount.describe('Delegated energy.'),
    duration_hours: z.literal([1, 24]).describe('Rental duration.'),
    price_trx: trx.describe('Total cost in TRX.'),
    status: z.enum(['pending', 'filled', 'failed']),
  })
  .describe('Section 2, Energy order.');

export const CreatedInvoice = z
  .strictObject({
    invoice_id: recordId,
    payment_address: chainAddress.describe('Unique deposit address for the payment in TRX or USDT.'),
    address: chainAddress.describe('Target chain address receiving energy.'),
    energy_amount: amount,
    duration_hours: z.literal([1, 24]),
    price_trx: trx,
    price_usdt: usdt,
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

export const PackageTiers = z
  .strictObject({
    tiers: z.array(
      z.strictObject({
        size: amount.describe('Number of transfers.'),
        price_trx: trx.describe('Total price.'),
      }),
    ),
    single_transfer_price: trx.describe('TRX per single transfer.'),
    bw_fee_per_transfer: trx.describe('BW Guarantee fee per transfer, TRX.'),
    min_custom_size: z.literal(1),
    max_custom_size: z.literal(10_000),
  })
  .describe('Section 2, Transfer package tiers.');

const byDuration = z.strictObject({ '1h': decimal, '24h': decimal });

export const Prices = z
  .strictObject({
    energy_sun: byDuration.describe('Price in sun per unit of energy.'),
    energy_trx: byDuration.describe('Price in TRX of `energy_volume`.'),
    energy_usd: byDuration,
    energy_volume: amount,
    bandwidth_trx: byDuration.describe('Price in TRX of `bandwidth_volume`.'),
    bandwidth_usd: byDuration,
    bandwidth_volume: amount,
    trx_usd_rate: decimal,
    burn_cost_trx: decimal.describe('Cost of the same energy if TRX is burnt for it.'),
    savings_percent: z.int(),
  })
  .describe('Not shown in the specification (section 4, gaps).');

export const Profile = z
  .strictObject({
    id: recordId,
    email: z.string(),
    chain_address: chainAddress.describe("The account's own chain address."),
    balance_trx: trx,
    totp_enabled: z.boolean().describe('Whether 2FA is enabled.'),
    created_at: timestamp,
  })
  .describe('Section 2, Account profile.');

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

export const ActivatedSubscription = Subscription.extend({
  subscription_fee_trx: trx.describe('Daily fee; the first one is charged on activation.'),
  transfer_fee_trx: trx.describe('Fee per transfer.'),
}).describe('Section 2, Smart Mode subscription, as returned by its activation.');

export const DeactivatedSubscription = z
  .strictObject({
    id: recordId,
    address: chainAddress,
    status: z.literal('deactivated'),
    message: z.string(),
  })
  .describe('Section 4, endpoint 9.');

export const SmartModeTransfer = z
  .strictObject({
    transfer_id: recordId,
    subscription_id: recordId,
    address: chainAddress.describe('Monitored chain address, which sent the USDT.'),
    to_address: chainAddress,
    amount_usdt: usdt,
    energy_amount: amount.describe('131,000 if the recipient held no USDT, otherwise 65,000.'),
    bw_guarantee: z.boolean(),
    fee_trx: trx,
    tx_hash: txHash.describe('Hash of the transfer transaction.'),
    delegation_tx_hash: txHash,
  })
  .describe('Not shown in the specification: data of an event about a transfer that Smart Mode served.');

export const WebhookConfiguration = z
  .strictObject({
    url: z.string().describe('Empty if the webhook was removed.'),
    secret: z.string().describe('Key of the delivery signatures; changes with each URL.'),
    active: z.boolean(),
    created_at: timestamp,
  })
  .describe('Section 2, Webhook configuration.');

export const WebhookLogEntry = z
  .strictObject({
    id: recordId,
    event_type: z.string().describe('Event that triggered the webhook.'),
    payload: z.record(z.string(), z.unknown()).describe('Data that was sent.'),
    response_status: z.int().min(0).describe('HTTP status of the response; 0 if there was none.'),
    attempts: z.int().min(0).describe('Number of delivery attempts.'),
    created_at: timestamp,
  })
  .describe('Section 2, Webhook log entry.');

export const Withdrawal = z
  .strictObject({
    id: recordId,
    to_address: chainAddress.describe('Destination chain address.'),
    amount_trx: trx,
    fee_trx: trx,
    status: z.enum(['pending', 'completed', 'failed']),
    tx_hash: txHash.optional().describe('Present once TRX is sent.'),
    created_at: timestamp,
  })
  .describe('Section 2, Withdrawal.');
