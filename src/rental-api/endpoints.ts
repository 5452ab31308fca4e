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
  SAMPLE_ADDRESS,
  SUN_DECIMALS,
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
  /** Requests that the service allows per minute (section 8). */
  perMinute: number;
  /** Returns the values of a request, other than the key, that must not appear in messages. */
  secrets?(request: Request): string[];
  /** Valid request, and a response to it that the specification allows. Tests and stand-ins use them. */
  sample: { request: Request; response: unknown };
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

const energyDuration = z
  .number()
  .refine((hours) => ENERGY_DURATIONS.some((one) => one === hours), '1 or 24 hours');

/** Path parameter (section 4, path conventions). */
const pathId = z.int().min(0);

const ActivationRequest = z.object({ address: targetAddress });

const SmartModeActivation = z.object({
  address: targetAddress,
  label: z.string().optional(),
  /** The service's default is true. */
  bw_guarantee: z.boolean().optional(),
});

/** The specification doesn't list the allowed durations (section 4, endpoint 2). The service validates them. */
const BandwidthPurchase = z.object({
  address: targetAddress,
  bandwidth_amount: z.int().min(BANDWIDTH_MIN).max(BANDWIDTH_MAX),
  duration_hours: z.int().positive(),
});

const EnergyPurchase = z.object({
  address: targetAddress,
  energy_amount: energyAmount,
  duration_hours: energyDuration,
});

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

/** Requests per minute of an endpoint that section 8 doesn't list. */
const OTHERS_PER_MINUTE = 60;

type Definition<Request, Value> = {
  path: string;
  /** Default: {@link OTHERS_PER_MINUTE}. */
  perMinute?: number;
  request: z.ZodType<Request>;
  response: z.ZodType<Value>;
  secrets?(request: NoInfer<Request>): string[];
  sample: { request: NoInfer<Request>; response: unknown };
};

/** Defines a read without request fields. `sample` is its response. */
function read<Value>(path: string, response: z.ZodType<Value>, sample: unknown) {
  return readOne({
    path,
    request: z.undefined(),
    response,
    sample: { request: undefined, response: sample },
  });
}

function readOne<Request, Value>(definition: Definition<Request, Value>) {
  return { kind: 'read', perMinute: OTHERS_PER_MINUTE, ...definition } as const;
}

function change<Request, Value>(definition: Definition<Request, Value>) {
  return { kind: 'change', perMinute: OTHERS_PER_MINUTE, ...definition } as const;
}

function money<Request, Value>(
  definition: Definition<Request, Value> & {
    echoes(request: NoInfer<Request>, value: NoInfer<Value>): boolean;
  },
) {
  return { kind: 'money', perMinute: OTHERS_PER_MINUTE, ...definition } as const;
}

function withNames<Table extends Record<string, object>>(table: Table) {
  const entries = Object.entries(table).map(([name, definition]) => [name, { ...definition, name }]);
  return Object.fromEntries(entries) as { [Name in keyof Table]: Table[Name] & { name: Name } };
}

const SAMPLE_TIME = '2026-02-05T12:00:00Z';
const SAMPLE_HASH = 'ab'.repeat(32);
/** Another address than {@link SAMPLE_ADDRESS}, which was never used in the sandbox. */
const UNUSED_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const ENERGY_SAMPLE = { address: SAMPLE_ADDRESS, energy_amount: 65_000, duration_hours: 1 };
const BANDWIDTH_SAMPLE = { address: SAMPLE_ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const INVOICE_SAMPLE = {
  ...ENERGY_SAMPLE,
  invoice_id: 9,
  payment_address: UNUSED_ADDRESS,
  price_trx: '2.32',
  price_usdt: '0.75',
  status: 'pending',
  expires_at: SAMPLE_TIME,
};
const SUBSCRIPTION_SAMPLE = {
  id: 3,
  address: SAMPLE_ADDRESS,
  label: 'Shop',
  status: 'active',
  bw_guarantee: false,
  created_at: SAMPLE_TIME,
};
const WITHDRAWAL_SAMPLE = {
  id: 4,
  to_address: SAMPLE_ADDRESS,
  amount_trx: '50',
  fee_trx: '1',
  status: 'completed',
  tx_hash: SAMPLE_HASH,
  created_at: SAMPLE_TIME,
};

/** Endpoints of section 4 and `GET /prices`, by the names of the client's methods. */
export const ENDPOINTS = withNames({
  /**
   * Charges 1.1 TRX. An accepted activation may still have failed, so callers check `success`. The response doesn't contain
   * the address, so there is nothing to compare.
   */
  activateAddress: money({
    path: '/energy/activate',
    request: ActivationRequest,
    response: AddressActivation,
    echoes: () => true,
    sample: { request: { address: UNUSED_ADDRESS }, response: { success: true, tx_hash: SAMPLE_HASH } },
  }),
  /** Charges the first daily fee. */
  activateSmartMode: money({
    path: '/smart-mode/activate',
    perMinute: 10,
    request: SmartModeActivation,
    response: SmartModeSubscription,
    echoes: repeats('address'),
    sample: {
      request: { address: SAMPLE_ADDRESS, label: 'Shop', bw_guarantee: false },
      response: { ...SUBSCRIPTION_SAMPLE, subscription_fee_trx: '1.5', transfer_fee_trx: '2.6' },
    },
  }),
  buyBandwidth: money({
    path: '/bandwidth/buy',
    perMinute: 30,
    request: BandwidthPurchase,
    response: BandwidthOrder,
    echoes: repeats('address', 'bandwidth_amount', 'duration_hours'),
    sample: {
      request: BANDWIDTH_SAMPLE,
      response: { ...BANDWIDTH_SAMPLE, order_id: 7, price_trx: '9.80', status: 'pending' },
    },
  }),
  buyEnergy: money({
    path: '/energy/buy',
    perMinute: 30,
    request: EnergyPurchase,
    response: EnergyOrder,
    echoes: repeats('address', 'energy_amount', 'duration_hours'),
    sample: {
      request: ENERGY_SAMPLE,
      response: { ...ENERGY_SAMPLE, order_id: 7, price_trx: '2.32', status: 'pending' },
    },
  }),
  /** Replaces the account's only webhook URL. An empty URL removes it. */
  configureWebhook: change({
    path: '/webhooks/configure',
    request: WebhookTarget,
    response: WebhookConfiguration,
    sample: {
      request: { url: 'https://bot.example/e' },
      response: { url: 'https://bot.example/e', secret: 'whsec_1', active: true, created_at: SAMPLE_TIME },
    },
  }),
  /** Charges nothing, but its kind is `money`, because payers rely on an invoice that matches the request. */
  createInvoice: money({
    path: '/invoices',
    perMinute: 20,
    request: InvoiceRequest,
    response: Invoice,
    echoes: ({ address, energy_amount, transfer_count = 0, duration_hours }, invoice) =>
      invoice.address === address &&
      invoice.energy_amount === (energy_amount ?? transfer_count * ENERGY_PER_TRANSFER) &&
      invoice.duration_hours === duration_hours,
    sample: { request: ENERGY_SAMPLE, response: INVOICE_SAMPLE },
  }),
  /** Can't be undone. */
  deactivateSubscription: change({
    path: '/smart-mode/{subscription_id}/deactivate',
    request: SubscriptionChoice,
    response: SmartModeDeactivation,
    sample: {
      request: { subscription_id: 3 },
      response: { id: 3, address: SAMPLE_ADDRESS, status: 'deactivated', message: 'Done' },
    },
  }),
  depositInfo: read('/account/deposit', DepositInfo, {
    deposit_address: SAMPLE_ADDRESS,
    accepted_currencies: ['TRX', 'USDT'],
    usdt_to_trx_rate: '3.1',
    trx_usd_rate: '0.3',
  }),
  deposits: read('/account/deposits', DepositHistory, [
    { status: 'pending' },
    { status: 'confirmed', amount_trx: '5', created_at: SAMPLE_TIME },
  ]),
  invoice: readOne({
    path: '/invoices/{invoice_id}',
    request: z.object({ invoice_id: pathId }),
    response: Invoice,
    sample: {
      request: { invoice_id: 9 },
      response: {
        ...INVOICE_SAMPLE,
        status: 'delegated',
        tx_hash: SAMPLE_HASH,
        paid_at: SAMPLE_TIME,
        delegated_at: SAMPLE_TIME,
        created_at: SAMPLE_TIME,
      },
    },
  }),
  packageTiers: read('/transfer-packages/tiers', PackageTiers, {
    tiers: [{ size: 10, price_trx: '23.00' }],
    single_transfer_price: '2.40',
    bw_fee_per_transfer: '0.3',
    min_custom_size: 1,
    max_custom_size: 10_000,
  }),
  prices: read('/prices', Prices, { energy_sun: { '1h': 35.68 } }),
  profile: read('/account/profile', Profile, {
    id: 1001,
    email: 'holder@example.com',
    chain_address: SAMPLE_ADDRESS,
    balance_trx: '1000.00',
    totp_enabled: false,
    created_at: SAMPLE_TIME,
  }),
  /**
   * Active and paused subscriptions. An unreadable entry invalidates the list, because a missing entry would count as
   * evidence.
   */
  subscriptions: read('/smart-mode/subscriptions', z.array(SmartModeSubscription), [
    SUBSCRIPTION_SAMPLE,
    { ...SUBSCRIPTION_SAMPLE, id: 5, label: null, status: 'paused' },
  ]),
  /** Pauses or resumes. Not idempotent: a second request reverts the first. */
  toggleSubscription: change({
    path: '/smart-mode/{subscription_id}/toggle',
    request: SubscriptionChoice,
    response: SmartModeSubscription,
    sample: { request: { subscription_id: 3 }, response: { ...SUBSCRIPTION_SAMPLE, status: 'paused' } },
  }),
  /** Unreadable entries are skipped and counted. The client's method returns the others and logs the number. */
  webhookLogs: read('/webhooks/logs', WebhookLog, [
    {
      id: 1,
      event_type: 'order.filled',
      payload: { order_id: 7 },
      response_status: 200,
      attempts: 1,
      created_at: SAMPLE_TIME,
    },
  ]),
  /** Charges the amount and a fee of 1 TRX. `totp_code` is required if 2FA is enabled (section 5). */
  withdraw: money({
    path: '/account/withdrawal',
    perMinute: 1,
    request: WithdrawalRequest,
    response: Withdrawal,
    echoes: (request, withdrawal) =>
      withdrawal.to_address === request.to_address &&
      new BigNumber(withdrawal.amount_trx).eq(request.amount_trx),
    secrets: ({ totp_code }) => (totp_code === undefined ? [] : [totp_code]),
    sample: {
      request: { to_address: SAMPLE_ADDRESS, amount_trx: '50', totp_code: '123456' },
      response: WITHDRAWAL_SAMPLE,
    },
  }),
  /** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
  withdrawals: read('/account/withdrawals', z.array(Withdrawal), [
    WITHDRAWAL_SAMPLE,
    { ...WITHDRAWAL_SAMPLE, id: 5, status: 'pending', tx_hash: null },
  ]),
});

export type Endpoints = typeof ENDPOINTS;
export type EndpointName = keyof Endpoints;

/** Returns the number of requests that the service allows per minute at the endpoint of this name (section 8). */
export function requestsPerMinute(name: string): number {
  return (ENDPOINTS as Partial<Record<string, { perMinute: number }>>)[name]?.perMinute ?? OTHERS_PER_MINUTE;
}
