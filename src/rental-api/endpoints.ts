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
  PER_MINUTE,
  parseTrx,
  readAddress,
} from './tron.ts';

/**
 * Endpoint of section 4.
 *
 * - `read`: a GET. Retried automatically.
 * - `change`: a POST that charges nothing. Sent once.
 * - `money`: a POST. Sent once, and accepted only if the response `echoes` the request.
 */
type EndpointDefinition<Request, Value> = {
  /** Path below `{base_url}/v1`, with request fields in braces. */
  path: string;
  /** Requests allowed per minute (section 8). `PER_MINUTE.others` by default. */
  perMinute?: number;
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

export type Endpoint<Request, Value> = EndpointDefinition<Request, Value> & {
  /** Name of the client's method. Also used in logs and for rate limits. */
  name: string;
};

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

const InvoiceChoice = z.object({ invoice_id: pathId });
const SubscriptionChoice = z.object({ subscription_id: pathId });

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

/** Infers the types of a definition from its schemas. */
function endpoint<Request, Value>(definition: EndpointDefinition<Request, Value>) {
  return definition;
}

/** Returns a function that checks whether a response repeats these fields of its request. */
function repeats(...fields: string[]) {
  return (request: object, value: object) =>
    fields.every((field) => Reflect.get(value, field) === Reflect.get(request, field));
}

function read<Value>(path: string, response: z.ZodType<Value>, perMinute?: number) {
  return endpoint({ kind: 'read', path, request: z.undefined(), response, ...(perMinute && { perMinute }) });
}

function withNames<Table extends Record<string, object>>(table: Table) {
  const entries = Object.entries(table).map(([name, definition]) => [name, { ...definition, name }]);
  return Object.fromEntries(entries) as { [Name in keyof Table]: Table[Name] & { name: string } };
}

/** Endpoints of section 4 and `GET /prices`, by the names of the client's methods. */
export const ENDPOINTS = withNames({
  /** Charges 1.1 TRX. An accepted activation may still have failed, so callers check `success`. */
  activateAddress: endpoint({
    kind: 'money',
    path: '/energy/activate',
    request: ActivationRequest,
    response: AddressActivation,
    // The response doesn't contain the address, so there is nothing to compare.
    echoes: () => true,
  }),
  /** Charges the first daily fee. */
  activateSmartMode: endpoint({
    kind: 'money',
    path: '/smart-mode/activate',
    perMinute: PER_MINUTE.activateSmartMode,
    request: SmartModeActivation,
    response: SmartModeSubscription,
    echoes: repeats('address'),
  }),
  buyBandwidth: endpoint({
    kind: 'money',
    path: '/bandwidth/buy',
    perMinute: PER_MINUTE.buyBandwidth,
    request: BandwidthPurchase,
    response: BandwidthOrder,
    echoes: repeats('address', 'bandwidth_amount', 'duration_hours'),
  }),
  buyEnergy: endpoint({
    kind: 'money',
    path: '/energy/buy',
    perMinute: PER_MINUTE.buyEnergy,
    request: EnergyPurchase,
    response: EnergyOrder,
    echoes: repeats('address', 'energy_amount', 'duration_hours'),
  }),
  /** Replaces the account's only webhook URL. An empty URL removes it. */
  configureWebhook: endpoint({
    kind: 'change',
    path: '/webhooks/configure',
    request: WebhookTarget,
    response: WebhookConfiguration,
  }),
  /** Charges nothing, but its kind is `money`, because payers rely on an invoice that matches the request. */
  createInvoice: endpoint({
    kind: 'money',
    path: '/invoices',
    perMinute: PER_MINUTE.createInvoice,
    request: InvoiceRequest,
    response: Invoice,
    echoes: (request, invoice) =>
      invoice.address === request.address &&
      invoice.energy_amount ===
        (request.energy_amount ?? (request.transfer_count ?? 0) * ENERGY_PER_TRANSFER) &&
      invoice.duration_hours === request.duration_hours,
  }),
  /** Can't be undone. */
  deactivateSubscription: endpoint({
    kind: 'change',
    path: '/smart-mode/{subscription_id}/deactivate',
    request: SubscriptionChoice,
    response: SmartModeDeactivation,
  }),
  depositInfo: read('/account/deposit', DepositInfo),
  deposits: read('/account/deposits', DepositHistory),
  invoice: endpoint({
    kind: 'read',
    path: '/invoices/{invoice_id}',
    request: InvoiceChoice,
    response: Invoice,
  }),
  packageTiers: read('/transfer-packages/tiers', PackageTiers),
  prices: read('/prices', Prices, PER_MINUTE.prices),
  profile: read('/account/profile', Profile),
  /**
   * Active and paused subscriptions. An unreadable entry invalidates the list, because a missing entry would count as
   * evidence.
   */
  subscriptions: read('/smart-mode/subscriptions', z.array(SmartModeSubscription)),
  /** Pauses or resumes. Not idempotent: a second request reverts the first. */
  toggleSubscription: endpoint({
    kind: 'change',
    path: '/smart-mode/{subscription_id}/toggle',
    request: SubscriptionChoice,
    response: SmartModeSubscription,
  }),
  webhookLogs: read('/webhooks/logs', WebhookLog),
  /** Charges the amount and a fee of 1 TRX. `totp_code` is required if 2FA is enabled (section 5). */
  withdraw: endpoint({
    kind: 'money',
    path: '/account/withdrawal',
    perMinute: PER_MINUTE.withdraw,
    request: WithdrawalRequest,
    response: Withdrawal,
    echoes: (request, withdrawal) =>
      withdrawal.to_address === request.to_address &&
      new BigNumber(withdrawal.amount_trx).eq(request.amount_trx),
    secrets: ({ totp_code }) => (totp_code === undefined ? [] : [totp_code]),
  }),
  /** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
  withdrawals: read('/account/withdrawals', z.array(Withdrawal)),
});
