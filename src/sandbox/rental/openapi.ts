import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import {
  activatedSubscription,
  activation,
  bandwidthOrder,
  createdInvoice,
  deactivatedSubscription,
  depositInfo,
  depositRecord,
  endedOrder,
  energyOrder,
  invoice,
  packageTiers,
  prices,
  profile,
  rateLimited,
  refusal,
  smartModeTransfer,
  subscription,
  webhookConfiguration,
  webhookLogEntry,
  withdrawal,
} from './responses.ts';

/** Schemas of responses and event data, by their names in the OpenAPI document. */
export const resources = {
  Activation: activation,
  BandwidthOrder: bandwidthOrder,
  CreatedInvoice: createdInvoice,
  DepositInfo: depositInfo,
  DepositRecord: depositRecord,
  EndedOrder: endedOrder,
  EnergyOrder: energyOrder,
  Invoice: invoice,
  PackageTiers: packageTiers,
  Prices: prices,
  Profile: profile,
  SmartModeTransfer: smartModeTransfer,
  Subscription: subscription,
  ActivatedSubscription: activatedSubscription,
  DeactivatedSubscription: deactivatedSubscription,
  WebhookConfiguration: webhookConfiguration,
  WebhookLogEntry: webhookLogEntry,
  Withdrawal: withdrawal,
  Refusal: refusal,
  RateLimited: rateLimited,
} satisfies Record<string, z.ZodType>;

type ResourceName = keyof typeof resources;

/** Returns a reference to a resource. */
function reference(name: ResourceName) {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the JSON Schema of a resource for OpenAPI 3.1. */
function resourceSchema(name: ResourceName) {
  return withoutDialect(z.toJSONSchema(resources[name]));
}

/** Returns the JSON Schema of a request body, before it is transformed. */
function bodySchema(body: z.ZodType) {
  return withoutDialect(z.toJSONSchema(body, { io: 'input' }));
}

function withoutDialect({ $schema: _, ...schema }: z.core.JSONSchema.JSONSchema) {
  return schema;
}

/** Events with their cause and the type of `data`. Section 6 documents only the first. */
export const events: Readonly<Record<string, { when: string; data: ResourceName }>> = {
  'order.filled': { when: 'An order becomes filled.', data: 'EndedOrder' },
  'order.failed': { when: 'An order becomes failed and is refunded.', data: 'EndedOrder' },
  'deposit.confirmed': { when: 'A deposit is credited.', data: 'DepositRecord' },
  'invoice.paid': { when: 'An invoice is paid in full.', data: 'Invoice' },
  'invoice.delegated': { when: 'The energy of an invoice is delegated.', data: 'Invoice' },
  'smart_mode.transfer': { when: 'Smart Mode served a transfer.', data: 'SmartModeTransfer' },
  'withdrawal.completed': { when: 'A withdrawal is sent.', data: 'Withdrawal' },
};

const signature = {
  name: 'X-Webhook-Signature',
  in: 'header',
  required: true,
  description: 'Lower-case hexadecimal HMAC-SHA256 of the raw body, keyed with the secret.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};

/** Returns the `webhooks` object of the OpenAPI 3.1 document. */
function webhooks() {
  return Object.fromEntries(
    Object.entries(events).map(([name, { when, data }]) => [
      name,
      { post: { summary: when, parameters: [signature], requestBody: delivery(name, data), responses } },
    ]),
  );
}

const responses = { '2XX': { description: 'Accepted. Any other response is retried up to three times.' } };

function delivery(name: string, data: ResourceName) {
  const schema = {
    type: 'object',
    properties: {
      event: { const: name },
      data: reference(data),
      timestamp: { type: 'string', format: 'date-time' },
    },
    required: ['event', 'data', 'timestamp'],
  };
  return { required: true, content: { 'application/json': { schema } } };
}

/** Documentation of an endpoint, in addition to its path, rate limit and body. */
interface Operation {
  id: string;
  tag: 'Energy' | 'Bandwidth' | 'Invoices' | 'Smart Mode' | 'Transfer packages' | 'Account' | 'Webhooks';
  summary: string;
  description?: string;
  answer: ResourceName;
  /** Set if the response is an array of `answer`. */
  list?: true;
  /** Error codes by status, in addition to those of every endpoint. */
  refusals?: Partial<Record<400 | 403 | 404 | 409, readonly Code[]>>;
}

/** Error codes and their causes. */
export const codes = {
  INVALID_ADDRESS: 'an address is not a valid chain address in base58check',
  INSUFFICIENT_BALANCE: 'the balance is too low',
  ADDRESS_ALREADY_ACTIVE: 'the address is already active on the chain',
  INVOICE_NOT_FOUND: 'the account has no such invoice',
  SUBSCRIPTION_NOT_FOUND: 'the account has no such subscription',
  SMART_MODE_CONFLICT: 'the address already has a subscription',
  PACKAGE_CONFLICT: 'the address has an active transfer package',
  INVALID_STATE: 'the state of the record does not allow it',
  '2FA_REQUIRED': '2FA is enabled and totp_code is missing',
  INVALID_2FA_CODE: 'totp_code is wrong, or was used before',
} as const;

type Code = keyof typeof codes;

/** Operations by endpoint name. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /energy/buy': {
    id: 'buyEnergy',
    tag: 'Energy',
    summary: 'Buy energy',
    description: 'Delegates energy to a chain address; the cost is deducted from the account balance.',
    answer: 'EnergyOrder',
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'] },
  },
  'POST /bandwidth/buy': {
    id: 'buyBandwidth',
    tag: 'Bandwidth',
    summary: 'Buy bandwidth',
    description: 'Delegates bandwidth to a chain address; the cost is deducted from the account balance.',
    answer: 'BandwidthOrder',
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'] },
  },
  'POST /energy/activate': {
    id: 'activateAddress',
    tag: 'Energy',
    summary: 'Activate a chain address',
    description: 'Activates a chain address that has never received any transaction, for 1.1 TRX.',
    answer: 'Activation',
    refusals: { 400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'], 409: ['ADDRESS_ALREADY_ACTIVE'] },
  },
  'POST /invoices': {
    id: 'createInvoice',
    tag: 'Invoices',
    summary: 'Create invoice',
    description:
      'Requires either `energy_amount` or `transfer_count`; each transfer equals 65,000 energy. The invoice expires after 30 minutes.',
    answer: 'CreatedInvoice',
    refusals: { 400: ['INVALID_ADDRESS'] },
  },
  'GET /invoices/{invoice_id}': {
    id: 'getInvoice',
    tag: 'Invoices',
    summary: 'Get invoice',
    answer: 'Invoice',
    refusals: { 404: ['INVOICE_NOT_FOUND'] },
  },
  'POST /smart-mode/activate': {
    id: 'activateSmartMode',
    tag: 'Smart Mode',
    summary: 'Create Smart Mode subscription',
    description:
      'Starts automatic energy delivery for an address; the first daily fee is charged immediately.',
    answer: 'ActivatedSubscription',
    refusals: {
      400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'],
      409: ['SMART_MODE_CONFLICT', 'PACKAGE_CONFLICT'],
    },
  },
  'GET /smart-mode/subscriptions': {
    id: 'listSubscriptions',
    tag: 'Smart Mode',
    summary: 'List subscriptions',
    description: 'All active and paused subscriptions.',
    answer: 'Subscription',
    list: true,
  },
  'POST /smart-mode/{subscription_id}/toggle': {
    id: 'toggleSubscription',
    tag: 'Smart Mode',
    summary: 'Pause or resume',
    description: 'Pauses an active subscription, resumes a paused one; no fee is charged while paused.',
    answer: 'Subscription',
    refusals: {
      400: ['INSUFFICIENT_BALANCE'],
      404: ['SUBSCRIPTION_NOT_FOUND'],
      409: ['INVALID_STATE', 'PACKAGE_CONFLICT'],
    },
  },
  'POST /smart-mode/{subscription_id}/deactivate': {
    id: 'deactivateSubscription',
    tag: 'Smart Mode',
    summary: 'Deactivate permanently',
    answer: 'DeactivatedSubscription',
    refusals: { 404: ['SUBSCRIPTION_NOT_FOUND'], 409: ['INVALID_STATE'] },
  },
  'GET /transfer-packages/tiers': {
    id: 'getPackageTiers',
    tag: 'Transfer packages',
    summary: 'Package tiers',
    answer: 'PackageTiers',
  },
  'GET /account/profile': {
    id: 'getProfile',
    tag: 'Account',
    summary: 'Account profile',
    answer: 'Profile',
  },
  'GET /account/deposit': {
    id: 'getDepositInfo',
    tag: 'Account',
    summary: 'Deposit address info',
    answer: 'DepositInfo',
  },
  'GET /account/deposits': {
    id: 'listDeposits',
    tag: 'Account',
    summary: 'Deposit history',
    answer: 'DepositRecord',
    list: true,
  },
  'POST /account/withdrawal': {
    id: 'withdraw',
    tag: 'Account',
    summary: 'Create withdrawal',
    description:
      'Withdraws TRX to any chain address; the fee is 1 TRX. `totp_code` is required if 2FA is enabled.',
    answer: 'Withdrawal',
    refusals: {
      400: ['INVALID_ADDRESS', 'INSUFFICIENT_BALANCE'],
      403: ['2FA_REQUIRED', 'INVALID_2FA_CODE'],
    },
  },
  'GET /account/withdrawals': {
    id: 'listWithdrawals',
    tag: 'Account',
    summary: 'Withdrawal history',
    answer: 'Withdrawal',
    list: true,
  },
  'POST /webhooks/configure': {
    id: 'configureWebhook',
    tag: 'Webhooks',
    summary: 'Set webhook URL',
    description: 'One URL per account; an empty one removes the webhook.',
    answer: 'WebhookConfiguration',
  },
  'GET /webhooks/logs': {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'Webhook delivery logs',
    answer: 'WebhookLogEntry',
    list: true,
  },
  'GET /prices': { id: 'getPrices', tag: 'Energy', summary: 'Prices', answer: 'Prices' },
};

const integer = { type: 'integer', minimum: 0 };

/** Headers of every response (section 8). */
const headers = {
  'X-RateLimit-Limit': { description: 'Requests allowed in a minute.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in this minute.', schema: integer },
  'X-RateLimit-Reset': { description: 'Seconds until the minute ends.', schema: integer },
};

/** Creates the OpenAPI 3.1 document. @throws RangeError if an endpoint has no entry in `operations`. */
export function openApiDocument(endpoints: readonly Endpoint[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const operation = operations[endpoint.name];
    if (!operation) throw new RangeError(`${endpoint.name} isn't among the operations`);
    const path = `/api/v1${pathOf(endpoint)}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describe(endpoint, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Energy and bandwidth rental service (sandbox)',
      version: '1',
      description:
        'API of the simulated service. docs/sandbox.md lists what the specification does not show.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: webhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers,
      schemas: Object.fromEntries(
        Object.keys(resources).map((name) => [name, resourceSchema(name as ResourceName)]),
      ),
    },
  };
}

function describe(endpoint: Endpoint, { id, tag, summary, description, answer, list, refusals }: Operation) {
  const params = [...pathOf(endpoint).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: integer,
  }));
  const schema = reference(answer);
  const refused = Object.entries(refusals ?? {}).map(([status, reasons]) => [
    status,
    response('Refusal', reasons.map((code) => `\`${code}\`: ${codes[code]}`).join('; ')),
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    'x-requests-per-minute': endpoint.perMinute,
    ...(params.length > 0 && { parameters: params }),
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: bodySchema(endpoint.body) } } },
    }),
    responses: {
      200: answerOf(list ? { type: 'array', items: schema } : schema, 'Done'),
      ...Object.fromEntries(refused),
      401: response('Refusal', '`INVALID_API_KEY`: the key is missing or unknown'),
      ...((endpoint.body || params.length > 0) && {
        422: response('Refusal', 'A field is missing or invalid; the message names it'),
      }),
      429: response('RateLimited', 'The rate limit of this minute is exceeded'),
    },
  };
}

function response(name: ResourceName, description: string) {
  return answerOf(reference(name), description);
}

function answerOf(schema: object, description: string) {
  return {
    description,
    headers: Object.fromEntries(
      Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { 'application/json': { schema } },
  };
}

/** Returns the endpoint's path with parameters in braces. */
function pathOf({ name, method }: Endpoint): string {
  return name.slice(method.length + 1);
}
