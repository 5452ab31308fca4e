import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { readAddress } from './address.ts';
import {
  BANDWIDTH_MAX,
  BANDWIDTH_MIN,
  ENERGY_DURATIONS,
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_TRANSFER,
  INVOICE_TRANSFERS_MAX,
  INVOICE_TRANSFERS_MIN,
  PER_MINUTE,
  parseTrx,
} from './amounts.ts';
import {
  AddressActivation,
  BandwidthOrder,
  DepositInfo,
  DepositRecord,
  EnergyOrder,
  Invoice,
  PackageTiers,
  Prices,
  Profile,
  SmartModeDeactivation,
  SmartModeSubscription,
  WebhookConfiguration,
  WebhookLogEntry,
  Withdrawal,
} from './schemas.ts';

/**
 * Endpoint of section 4.
 *
 * - `read`: retried automatically.
 * - `change`: sent once. Charges nothing.
 * - `money`: sent once. Accepted only if the response matches the request.
 */
export type Endpoint<Request, Value> = EndpointBase<Request, Value> &
  (
    | { kind: 'read'; method: 'GET' }
    | { kind: 'change'; method: 'POST' }
    | { kind: 'money'; method: 'POST'; echoes(request: Request, value: Value): boolean }
  );

interface EndpointBase<Request, Value> {
  /** Name of the client's method. Also used in logs and for rate limits. */
  name: string;
  /** Path below `{base_url}/v1`, with request fields in braces. */
  path: string;
  /** Requests allowed per minute (section 8). */
  perMinute: number;
  /** Schema of path parameters and body, checked before sending. */
  request: z.ZodType<Request>;
  /** Schema of the documented fields. Additional fields are allowed. */
  response: z.ZodType<Value>;
  /** Returns the values of a request, other than the key, that must not appear in messages. */
  secrets?(request: Request): string[];
}

/** Target of a delegation or transfer: a chain address with a valid checksum. */
const targetAddress = z
  .string()
  .trim()
  .refine((text) => readAddress(text).ok, 'not a chain address');

/** Energy of purchases and invoices (section 8). */
const energyAmount = z.int().min(ENERGY_MIN).max(ENERGY_MAX);

/** Hours of energy (section 8). */
const energyDuration = z
  .number()
  .refine((hours) => ENERGY_DURATIONS.some((one) => one === hours), '1 or 24 hours');

/** Path parameter (section 4, path conventions). */
const pathId = z.int().min(0);

/** Request of endpoints 8 and 9. */
export const SubscriptionChoice = z.object({ subscription_id: pathId });

type SubscriptionChoice = z.infer<typeof SubscriptionChoice>;

const ActivationRequest = z.object({ address: targetAddress });

export type ActivationRequest = z.infer<typeof ActivationRequest>;

export const activateAddress: Endpoint<ActivationRequest, AddressActivation> = {
  name: 'activateAddress',
  kind: 'money',
  method: 'POST',
  path: '/energy/activate',
  perMinute: PER_MINUTE.others,
  request: ActivationRequest,
  response: AddressActivation,
  // The response doesn't contain the address, so there is nothing to compare.
  echoes: () => true,
};

const SmartModeActivation = z.object({
  address: targetAddress,
  label: z.string().optional(),
  /** The service's default is true. */
  bw_guarantee: z.boolean().optional(),
});

export type SmartModeActivation = z.infer<typeof SmartModeActivation>;

export const activateSmartMode: Endpoint<SmartModeActivation, SmartModeSubscription> = {
  name: 'activateSmartMode',
  kind: 'money',
  method: 'POST',
  path: '/smart-mode/activate',
  perMinute: PER_MINUTE.activateSmartMode,
  request: SmartModeActivation,
  response: SmartModeSubscription,
  echoes: (request, subscription) => subscription.address === request.address,
};

/** The specification doesn't list the allowed durations (section 4, endpoint 2). The service validates them. */
const BandwidthPurchase = z.object({
  address: targetAddress,
  bandwidth_amount: z.int().min(BANDWIDTH_MIN).max(BANDWIDTH_MAX),
  duration_hours: z.int().positive(),
});

export type BandwidthPurchase = z.infer<typeof BandwidthPurchase>;

export const buyBandwidth: Endpoint<BandwidthPurchase, BandwidthOrder> = {
  name: 'buyBandwidth',
  kind: 'money',
  method: 'POST',
  path: '/bandwidth/buy',
  perMinute: PER_MINUTE.buyBandwidth,
  request: BandwidthPurchase,
  response: BandwidthOrder,
  echoes: (request, order) =>
    order.address === request.address &&
    order.bandwidth_amount === request.bandwidth_amount &&
    order.duration_hours === request.duration_hours,
};

const EnergyPurchase = z.object({
  address: targetAddress,
  energy_amount: energyAmount,
  duration_hours: energyDuration,
});

export type EnergyPurchase = z.infer<typeof EnergyPurchase>;

export const buyEnergy: Endpoint<EnergyPurchase, EnergyOrder> = {
  name: 'buyEnergy',
  kind: 'money',
  method: 'POST',
  path: '/energy/buy',
  perMinute: PER_MINUTE.buyEnergy,
  request: EnergyPurchase,
  response: EnergyOrder,
  echoes: (request, order) =>
    order.address === request.address &&
    order.energy_amount === request.energy_amount &&
    order.duration_hours === request.duration_hours,
};

/** Https, as the specification requires. Plain http is allowed on loopback. An empty URL removes the webhook. */
const WebhookTarget = z.object({
  url: z.union([
    z.literal(''),
    z.url({ protocol: /^https$/ }),
    z.url({ protocol: /^http$/, hostname: /^(localhost|127\.0\.0\.1|\[::1\])$/ }),
  ]),
});

type WebhookTarget = z.infer<typeof WebhookTarget>;

export const configureWebhook: Endpoint<WebhookTarget, WebhookConfiguration> = {
  name: 'configureWebhook',
  kind: 'change',
  method: 'POST',
  path: '/webhooks/configure',
  perMinute: PER_MINUTE.others,
  request: WebhookTarget,
  response: WebhookConfiguration,
};

const InvoiceRequest = z
  .object({
    address: targetAddress,
    energy_amount: energyAmount.optional(),
    transfer_count: z.int().min(INVOICE_TRANSFERS_MIN).max(INVOICE_TRANSFERS_MAX).optional(),
    duration_hours: energyDuration,
  })
  .refine(
    ({ energy_amount, transfer_count }) => (energy_amount === undefined) !== (transfer_count === undefined),
    { path: ['energy_amount'], message: 'either energy_amount or transfer_count' },
  );

export type InvoiceRequest = z.infer<typeof InvoiceRequest>;

/** Charges nothing, but its kind is `money`, because payers rely on an invoice that matches the request. */
export const createInvoice: Endpoint<InvoiceRequest, Invoice> = {
  name: 'createInvoice',
  kind: 'money',
  method: 'POST',
  path: '/invoices',
  perMinute: PER_MINUTE.createInvoice,
  request: InvoiceRequest,
  response: Invoice,
  echoes: (request, invoice) =>
    invoice.address === request.address &&
    invoice.energy_amount ===
      (request.energy_amount ?? (request.transfer_count ?? 0) * ENERGY_PER_TRANSFER) &&
    invoice.duration_hours === request.duration_hours,
};

export const deactivateSubscription: Endpoint<SubscriptionChoice, SmartModeDeactivation> = {
  name: 'deactivateSubscription',
  kind: 'change',
  method: 'POST',
  path: '/smart-mode/{subscription_id}/deactivate',
  perMinute: PER_MINUTE.others,
  request: SubscriptionChoice,
  response: SmartModeDeactivation,
};

export const depositInfo: Endpoint<undefined, DepositInfo> = {
  name: 'depositInfo',
  kind: 'read',
  method: 'GET',
  path: '/account/deposit',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: DepositInfo,
};

const records = z.array(DepositRecord);

/** The specification doesn't show whether the records are wrapped in an object (section 4, endpoint 13). Accepts both. */
const history = z.preprocess(
  (json) =>
    typeof json === 'object' && json !== null && !Array.isArray(json)
      ? Object.values(json).find(Array.isArray)
      : json,
  records,
);

export const deposits: Endpoint<undefined, DepositRecord[]> = {
  name: 'deposits',
  kind: 'read',
  method: 'GET',
  path: '/account/deposits',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: history,
};

const InvoiceChoice = z.object({ invoice_id: pathId });

export const invoice: Endpoint<z.infer<typeof InvoiceChoice>, Invoice> = {
  name: 'invoice',
  kind: 'read',
  method: 'GET',
  path: '/invoices/{invoice_id}',
  perMinute: PER_MINUTE.others,
  request: InvoiceChoice,
  response: Invoice,
};

export const packageTiers: Endpoint<undefined, PackageTiers> = {
  name: 'packageTiers',
  kind: 'read',
  method: 'GET',
  path: '/transfer-packages/tiers',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: PackageTiers,
};

export const prices: Endpoint<undefined, Prices> = {
  name: 'prices',
  kind: 'read',
  method: 'GET',
  path: '/prices',
  perMinute: PER_MINUTE.prices,
  request: z.undefined(),
  response: Prices,
};

export const profile: Endpoint<undefined, Profile> = {
  name: 'profile',
  kind: 'read',
  method: 'GET',
  path: '/account/profile',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: Profile,
};

/** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
export const subscriptions: Endpoint<undefined, SmartModeSubscription[]> = {
  name: 'subscriptions',
  kind: 'read',
  method: 'GET',
  path: '/smart-mode/subscriptions',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: z.array(SmartModeSubscription),
};

export const toggleSubscription: Endpoint<SubscriptionChoice, SmartModeSubscription> = {
  name: 'toggleSubscription',
  kind: 'change',
  method: 'POST',
  path: '/smart-mode/{subscription_id}/toggle',
  perMinute: PER_MINUTE.others,
  request: SubscriptionChoice,
  response: SmartModeSubscription,
};

/** Skips and counts unreadable entries, so that the others stay usable. */
const entries = z.array(z.unknown()).transform((list) => {
  const read = list.flatMap((entry) => WebhookLogEntry.safeParse(entry).data ?? []);
  return { entries: read, unreadable: list.length - read.length };
});

export const webhookLogs: Endpoint<undefined, { entries: WebhookLogEntry[]; unreadable: number }> = {
  name: 'webhookLogs',
  kind: 'read',
  method: 'GET',
  path: '/webhooks/logs',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: entries,
};

const SUN_DECIMALS = 6;

/** Amount above 0 with at most six decimals. The specification documents no minimum or maximum (section 8). */
const amount = z
  .string()
  .trim()
  .refine((text) => {
    const trx = parseTrx(text);
    return trx?.gt(0) && (trx.decimalPlaces() ?? 0) <= SUN_DECIMALS;
  }, 'an amount of TRX above 0 with at most six decimals is expected');

const WithdrawalRequest = z.object({
  to_address: targetAddress,
  amount_trx: amount,
  totp_code: z
    .string()
    .regex(/^\d{6,8}$/, 'the digits of a one-time code are expected')
    .optional(),
});

export type WithdrawalRequest = z.infer<typeof WithdrawalRequest>;

export const withdraw: Endpoint<WithdrawalRequest, Withdrawal> = {
  name: 'withdraw',
  kind: 'money',
  method: 'POST',
  path: '/account/withdrawal',
  perMinute: PER_MINUTE.withdraw,
  request: WithdrawalRequest,
  response: Withdrawal,
  echoes: (request, withdrawal) =>
    withdrawal.to_address === request.to_address &&
    new BigNumber(withdrawal.amount_trx).eq(request.amount_trx),
  secrets: ({ totp_code }) => (totp_code === undefined ? [] : [totp_code]),
};

/** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
export const withdrawals: Endpoint<undefined, Withdrawal[]> = {
  name: 'withdrawals',
  kind: 'read',
  method: 'GET',
  path: '/account/withdrawals',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: z.array(Withdrawal),
};
