import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
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
import {
  BANDWIDTH_MAX,
  BANDWIDTH_MIN,
  ENERGY_DURATIONS,
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_TRANSFER,
  INVOICE_TRANSFERS_MAX,
  INVOICE_TRANSFERS_MIN,
  parseDecimalTrx,
  readAddress,
} from './tron.ts';

/**
 * Endpoint of section 4.
 *
 * - `read`: a GET. Retried automatically.
 * - `change`: a POST that charges nothing. Sent once.
 * - `money`: a POST. Sent once, and accepted only if the response `echoes` the request.
 */
export type Endpoint<Request, Value> = {
  /** Name of the client's method. Also used in logs and for rate limits. */
  name: string;
  /** Path below `{base_url}/v1`, with request fields in braces. */
  path: string;
  /** Schema of path parameters and body, checked before sending. */
  request: z.ZodType<Request>;
  /** Schema of the documented fields. Additional fields are allowed. */
  response: z.ZodType<Value>;
  /** Returns the values of a request, other than the key, that must not appear in messages. */
  secrets?(request: Request): string[];
} & (
  | { kind: 'read' | 'change' }
  | { kind: 'money'; echoes(request: NoInfer<Request>, value: NoInfer<Value>): boolean }
);

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

const ActivationRequest = z.object({ address: targetAddress });
export type ActivationRequest = z.infer<typeof ActivationRequest>;

const SmartModeActivation = z.object({
  address: targetAddress,
  label: z.string().optional(),
  /** The service's default is true. */
  bw_guarantee: z.boolean().optional(),
});
export type SmartModeActivation = z.infer<typeof SmartModeActivation>;

/** The specification doesn't list the allowed durations (section 4, endpoint 2). The service validates them. */
const BandwidthPurchase = z.object({
  address: targetAddress,
  bandwidth_amount: z.int().min(BANDWIDTH_MIN).max(BANDWIDTH_MAX),
  duration_hours: z.int().positive(),
});
export type BandwidthPurchase = z.infer<typeof BandwidthPurchase>;

const EnergyPurchase = z.object({
  address: targetAddress,
  energy_amount: energyAmount,
  duration_hours: energyDuration,
});
export type EnergyPurchase = z.infer<typeof EnergyPurchase>;

/** Https, as the specification requires. Plain http is allowed on loopback. An empty URL removes the webhook. */
const WebhookTarget = z.object({
  url: z.union([
    z.literal(''),
    z.url({ protocol: /^https$/ }),
    z.url({ protocol: /^http$/, hostname: /^(localhost|127\.0\.0\.1|\[::1\])$/ }),
  ]),
});

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

const SubscriptionChoice = z.object({ subscription_id: pathId });

const SUN_DECIMALS = 6;

/** Amount above 0 with at most six decimals. The specification documents no minimum or maximum (section 8). */
const amount = z
  .string()
  .trim()
  .refine((text) => {
    const trx = parseDecimalTrx(text);
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

/** The specification doesn't show whether the records are wrapped in an object (section 4, endpoint 13). Accepts both. */
const DepositHistory = z.preprocess(
  (json) =>
    typeof json === 'object' && json !== null && !Array.isArray(json)
      ? Object.values(json).find(Array.isArray)
      : json,
  z.array(DepositRecord),
);

/** Skips and counts unreadable entries, so that the others stay usable. */
const WebhookLog = z.array(z.unknown()).transform((list) => {
  const read = list.flatMap((entry) => WebhookLogEntry.safeParse(entry).data ?? []);
  return { entries: read, unreadable: list.length - read.length };
});

/** Returns a function that checks whether a response repeats these fields of its request. */
function repeats(...fields: string[]) {
  return (request: object, value: object) =>
    fields.every((field) => Reflect.get(value, field) === Reflect.get(request, field));
}

function read<Value>(path: string, response: z.ZodType<Value>) {
  return { kind: 'read', path, request: z.undefined(), response } as const;
}

function change<Request, Value>(path: string, request: z.ZodType<Request>, response: z.ZodType<Value>) {
  return { kind: 'change', path, request, response } as const;
}

function money<Request, Value>(
  path: string,
  request: z.ZodType<Request>,
  response: z.ZodType<Value>,
  echoes: (request: NoInfer<Request>, value: NoInfer<Value>) => boolean,
) {
  return { kind: 'money', path, request, response, echoes } as const;
}

function withNames<Table extends Record<string, object>>(table: Table) {
  const entries = Object.entries(table).map(([name, definition]) => [name, { ...definition, name }]);
  return Object.fromEntries(entries) as { [Name in keyof Table]: Table[Name] & { name: string } };
}

/** Endpoints of section 4 and `GET /prices`, by the names of the client's methods. */
export const ENDPOINTS = withNames({
  /**
   * Charges 1.1 TRX. An accepted activation may still have failed, so callers check `success`. The response doesn't contain
   * the address, so there is nothing to compare.
   */
  activateAddress: money('/energy/activate', ActivationRequest, AddressActivation, () => true),
  /** Charges the first daily fee. */
  activateSmartMode: money(
    '/smart-mode/activate',
    SmartModeActivation,
    SmartModeSubscription,
    repeats('address'),
  ),
  buyBandwidth: money(
    '/bandwidth/buy',
    BandwidthPurchase,
    BandwidthOrder,
    repeats('address', 'bandwidth_amount', 'duration_hours'),
  ),
  buyEnergy: money(
    '/energy/buy',
    EnergyPurchase,
    EnergyOrder,
    repeats('address', 'energy_amount', 'duration_hours'),
  ),
  /** Replaces the account's only webhook URL. An empty URL removes it. */
  configureWebhook: change('/webhooks/configure', WebhookTarget, WebhookConfiguration),
  /** Charges nothing, but its kind is `money`, because payers rely on an invoice that matches the request. */
  createInvoice: money(
    '/invoices',
    InvoiceRequest,
    Invoice,
    ({ address, energy_amount, transfer_count = 0, duration_hours }, invoice) =>
      invoice.address === address &&
      invoice.energy_amount === (energy_amount ?? transfer_count * ENERGY_PER_TRANSFER) &&
      invoice.duration_hours === duration_hours,
  ),
  /** Can't be undone. */
  deactivateSubscription: change(
    '/smart-mode/{subscription_id}/deactivate',
    SubscriptionChoice,
    SmartModeDeactivation,
  ),
  depositInfo: read('/account/deposit', DepositInfo),
  deposits: read('/account/deposits', DepositHistory),
  invoice: { ...read('/invoices/{invoice_id}', Invoice), request: z.object({ invoice_id: pathId }) },
  packageTiers: read('/transfer-packages/tiers', PackageTiers),
  prices: read('/prices', Prices),
  profile: read('/account/profile', Profile),
  /**
   * Active and paused subscriptions. An unreadable entry invalidates the list, because a missing entry would count as
   * evidence.
   */
  subscriptions: read('/smart-mode/subscriptions', z.array(SmartModeSubscription)),
  /** Pauses or resumes. Not idempotent: a second request reverts the first. */
  toggleSubscription: change(
    '/smart-mode/{subscription_id}/toggle',
    SubscriptionChoice,
    SmartModeSubscription,
  ),
  webhookLogs: read('/webhooks/logs', WebhookLog),
  /** Charges the amount and a fee of 1 TRX. `totp_code` is required if 2FA is enabled (section 5). */
  withdraw: {
    ...money(
      '/account/withdrawal',
      WithdrawalRequest,
      Withdrawal,
      (request, withdrawal) =>
        withdrawal.to_address === request.to_address &&
        new BigNumber(withdrawal.amount_trx).eq(request.amount_trx),
    ),
    secrets: ({ totp_code }: WithdrawalRequest) => (totp_code === undefined ? [] : [totp_code]),
  },
  /** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
  withdrawals: read('/account/withdrawals', z.array(Withdrawal)),
});
