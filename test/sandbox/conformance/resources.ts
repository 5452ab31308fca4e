import { z } from 'zod';

/** "Identifiers of records are numbers." */
const id = z.number();
/** "Money amounts are decimal strings denominated in TRX unless a field name says otherwise." */
const amount = z.string().regex(/^\d+(\.\d+)?$/, 'a decimal string');
/** "A chain address is a string beginning with `T`, 34 characters long." */
const chainAddress = z.string().regex(/^T.{33}$/, 'T and 33 more characters');
/** "Timestamps are ISO 8601 strings in UTC." */
const timestamp = z.iso.datetime();
const hash = z.string().min(1);

/** Tables of section 2, field by field. Responses may contain more fields. */
export const AccountProfile = z.looseObject({
  id,
  email: z.email(),
  chain_address: chainAddress,
  balance_trx: amount,
  totp_enabled: z.boolean(),
  created_at: timestamp,
});

export const DepositInfo = z.looseObject({
  deposit_address: chainAddress,
  accepted_currencies: z.array(z.string()),
  usdt_to_trx_rate: amount,
  trx_usd_rate: amount,
});

export const DepositRecord = z.looseObject({ status: z.enum(['pending', 'confirmed', 'expired']) });

/** "`tx_hash`: present once TRX is sent". */
export const Withdrawal = z.looseObject({
  id,
  to_address: chainAddress,
  amount_trx: amount,
  fee_trx: amount,
  status: z.enum(['pending', 'completed', 'failed']),
  tx_hash: hash.nullish(),
  created_at: timestamp,
});
export const CompletedWithdrawal = Withdrawal.extend({ status: z.literal('completed'), tx_hash: hash });

export const EnergyOrder = z.looseObject({
  order_id: id,
  address: chainAddress,
  energy_amount: z.number(),
  duration_hours: z.number(),
  price_trx: amount,
  status: z.enum(['pending', 'filled', 'failed']),
});

/** "The energy order set is the only documented one." */
export const BandwidthOrder = z.looseObject({
  order_id: id,
  address: chainAddress,
  bandwidth_amount: z.number(),
  duration_hours: z.number(),
  price_trx: amount,
  status: z.enum(['pending', 'filled', 'failed']),
});

/** Response to the creation of an invoice (endpoint 4). */
export const NewInvoice = z.looseObject({
  invoice_id: id,
  payment_address: chainAddress,
  address: chainAddress,
  energy_amount: z.number(),
  duration_hours: z.union([z.literal(1), z.literal(24)]),
  price_trx: amount,
  price_usdt: amount,
  status: z.enum(['pending', 'paid', 'delegated', 'expired', 'failed']),
  expires_at: timestamp,
});
/** "Returned when fetching an invoice". Times of events that haven't happened are missing. */
export const Invoice = NewInvoice.extend({
  tx_hash: hash.nullish(),
  paid_at: timestamp.nullish(),
  delegated_at: timestamp.nullish(),
  created_at: timestamp,
});
export const DelegatedInvoice = Invoice.extend({
  status: z.literal('delegated'),
  tx_hash: hash,
  paid_at: timestamp,
  delegated_at: timestamp,
});

export const Subscription = z.looseObject({
  id,
  address: chainAddress,
  label: z.string().nullable(),
  status: z.enum(['active', 'paused', 'deactivated']),
  bw_guarantee: z.boolean(),
  created_at: timestamp,
});
/** "Returned on activation". */
export const NewSubscription = Subscription.extend({
  subscription_fee_trx: amount,
  transfer_fee_trx: amount,
});
export const Deactivation = z.looseObject({
  id,
  address: chainAddress,
  status: z.literal('deactivated'),
  message: z.string(),
});

const PackageTier = z.looseObject({ size: z.number(), price_trx: amount });
export const PackageTiers = z.looseObject({
  tiers: z.array(PackageTier).min(1),
  single_transfer_price: amount,
  bw_fee_per_transfer: amount,
  min_custom_size: z.number(),
  max_custom_size: z.number(),
});

export const WebhookConfiguration = z.looseObject({
  url: z.string(),
  secret: z.string(),
  active: z.boolean(),
  created_at: timestamp,
});

export const WebhookLogEntry = z.looseObject({
  id,
  event_type: z.string().min(1),
  payload: z.record(z.string(), z.unknown()),
  response_status: z.number(),
  attempts: z.number().int().positive(),
  created_at: timestamp,
});

export const Activation = z.looseObject({ success: z.boolean(), tx_hash: hash });

/** Section 7: the only error body that the specification shows. */
export const TooManyRequests = z.looseObject({ detail: z.string() });
