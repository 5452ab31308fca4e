import { describe, expect, test } from 'vitest';
import { json } from '../support/rental-server.ts';
import {
  ADDRESS,
  AT,
  callMethod,
  clientOf,
  invoice,
  KEY,
  type Method,
  methodsOf,
  OTHER_ADDRESS,
  order,
  profile,
  purchase,
} from './fixture.ts';

const BAD_CHECKSUM = 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999';
const withoutAmount = { address: ADDRESS, duration_hours: 1 };
const bandwidthPurchase = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const withdrawalRequest = { to_address: ADDRESS, amount_trx: '50' };
const activation = { address: ADDRESS, label: 'Shop', bw_guarantee: false };

const subscription = { ...activation, id: 3, status: 'active', created_at: AT };
const withdrawal = { ...withdrawalRequest, id: 4, fee_trx: '1', status: 'pending', created_at: AT };

interface Call {
  name: Method;
  /** Argument after the key. The body, unless `body` is given. */
  argument?: unknown;
  /** Method and path, as in section 4. */
  request: string;
  body?: object;
  answer: unknown;
  /** Other values that the specification allows. An object is merged into `answer`. */
  alsoAllowed?: unknown[];
}

const moreFields = { added_later: { a: [1] }, note: null };
const ended = [{ status: 'filled' }, { status: 'failed' }, { status: 'in_review' }, moreFields];

/** Each endpoint of section 4 and `GET /prices`, with an example response from the specification. */
const calls: Call[] = [
  {
    name: 'buyEnergy',
    argument: purchase,
    request: 'POST /energy/buy',
    answer: order,
    alsoAllowed: ended,
  },
  {
    name: 'buyBandwidth',
    argument: bandwidthPurchase,
    request: 'POST /bandwidth/buy',
    answer: { ...bandwidthPurchase, order_id: 8, price_trx: '9.80', status: 'pending' },
    alsoAllowed: ended,
  },
  {
    name: 'activateAddress',
    argument: { address: ADDRESS },
    request: 'POST /energy/activate',
    answer: { success: true, tx_hash: 'ab12' },
    alsoAllowed: [
      { success: false, tx_hash: null },
      { tx_hash: undefined },
      { address: '41a614f8', ...moreFields },
    ],
  },
  {
    name: 'createInvoice',
    argument: purchase,
    request: 'POST /invoices',
    answer: invoice,
    alsoAllowed: [{ tx_hash: null, paid_at: null, delegated_at: null, created_at: null }, moreFields],
  },
  {
    name: 'invoice',
    argument: 9,
    request: 'GET /invoices/9',
    answer: {
      ...invoice,
      tx_hash: 'ab12',
      paid_at: AT,
      delegated_at: AT,
      created_at: AT,
      status: 'delegated',
    },
    alsoAllowed: [
      { tx_hash: null, paid_at: null, delegated_at: null, status: 'pending' },
      { tx_hash: undefined, paid_at: undefined, delegated_at: undefined, status: 'expired' },
      { status: 'underpaid', ...moreFields },
    ],
  },
  {
    name: 'activateSmartMode',
    argument: activation,
    request: 'POST /smart-mode/activate',
    answer: { ...subscription, subscription_fee_trx: '1.5', transfer_fee_trx: '2.6' },
    alsoAllowed: [
      { label: null },
      { label: undefined },
      { bw_guarantee: true },
      { status: 'new' },
      moreFields,
    ],
  },
  {
    name: 'subscriptions',
    request: 'GET /smart-mode/subscriptions',
    answer: [subscription, { ...subscription, id: 5, label: null, status: 'paused', ...moreFields }],
    alsoAllowed: [[]],
  },
  {
    name: 'toggleSubscription',
    argument: 3,
    request: 'POST /smart-mode/3/toggle',
    answer: { ...subscription, status: 'paused' },
    alsoAllowed: [{ label: null, ...moreFields }],
  },
  {
    name: 'deactivateSubscription',
    argument: 3,
    request: 'POST /smart-mode/3/deactivate',
    answer: { id: 3, address: ADDRESS, status: 'deactivated', message: 'Done' },
    alsoAllowed: [{ message: '' }, moreFields],
  },
  {
    name: 'packageTiers',
    request: 'GET /transfer-packages/tiers',
    answer: {
      tiers: [{ size: 10, price_trx: '25', ...moreFields }],
      single_transfer_price: '2.6',
      bw_fee_per_transfer: '0.3',
      min_custom_size: 1,
      max_custom_size: 10_000,
    },
    alsoAllowed: [{ tiers: [] }, moreFields],
  },
  {
    name: 'profile',
    request: 'GET /account/profile',
    answer: profile,
    alsoAllowed: [{ totp_enabled: true, email: '' }, moreFields],
  },
  {
    name: 'depositInfo',
    request: 'GET /account/deposit',
    answer: {
      deposit_address: ADDRESS,
      accepted_currencies: ['TRX', 'USDT'],
      usdt_to_trx_rate: '3.1',
      trx_usd_rate: '0.3',
    },
    alsoAllowed: [{ accepted_currencies: ['TRX', 'USDT', 'USDD'] }, moreFields],
  },
  {
    name: 'deposits',
    request: 'GET /account/deposits',
    answer: [{ status: 'pending' }, { status: 'confirmed', amount_trx: '5', created_at: AT, ...moreFields }],
    alsoAllowed: [[], [{ status: 'expired' }, { status: 'on_hold' }]],
  },
  {
    name: 'withdraw',
    argument: { ...withdrawalRequest, totp_code: '123456' },
    request: 'POST /account/withdrawal',
    answer: { ...withdrawal, status: 'completed', tx_hash: 'ab12' },
    alsoAllowed: [
      { status: 'pending', tx_hash: null },
      { status: 'failed', tx_hash: undefined, amount_trx: '50.000000' },
      { status: 'queued', ...moreFields },
    ],
  },
  {
    name: 'withdrawals',
    request: 'GET /account/withdrawals',
    answer: [withdrawal, { ...withdrawal, id: 5, tx_hash: null, ...moreFields }],
    alsoAllowed: [[]],
  },
  {
    name: 'configureWebhook',
    argument: 'https://bot.example/e',
    request: 'POST /webhooks/configure',
    body: { url: 'https://bot.example/e' },
    answer: { url: 'https://bot.example/e', secret: 'whsec_1', active: true, created_at: AT },
    alsoAllowed: [{ active: false, ...moreFields }],
  },
  {
    name: 'webhookLogs',
    request: 'GET /webhooks/logs',
    answer: [
      {
        id: 1,
        event_type: 'order.filled',
        payload: { order_id: 7 },
        response_status: 200,
        attempts: 1,
        created_at: AT,
      },
    ],
    alsoAllowed: [[]],
  },
  {
    name: 'prices',
    request: 'GET /prices',
    answer: { energy_sun: { '1h': 35.68 } },
    alsoAllowed: [{ energy_sun: 'soon' }, moreFields],
  },
];

test.each(calls)('sends $name as $request', async (call) => {
  const { name, argument, request, answer } = call;
  const body = call.body ?? (typeof argument === 'object' ? argument : undefined);
  const { rental, server } = await clientOf(json(200, answer));
  expect(await callMethod(rental, name, argument)).toMatchObject({ kind: 'accepted' });
  const [method, path] = request.split(' ');
  expect(server.requests).toMatchObject([{ method, path: `/api/v1${path}` }]);
  const [sent] = server.requests;
  expect(sent?.body && JSON.parse(sent.body)).toEqual(body ?? '');
  expect(sent?.headers['content-type']).toBe(body && 'application/json');
});

test('has a call for each of the 17 endpoints and GET /prices', async () => {
  const { rental } = await clientOf(json(200, {}));
  const methods = methodsOf(rental);
  expect(methods).toHaveLength(18);
  expect(calls.map(({ name }) => name).sort()).toEqual(methods.sort());
});

const allowed = calls.flatMap(({ name, argument, answer, alsoAllowed = [] }) =>
  alsoAllowed.map((more) => ({
    ...{ name, argument, more },
    answer: Array.isArray(more) || Array.isArray(answer) ? more : Object.assign({}, answer, more),
  })),
);

test.each(allowed)(
  '$name accepts a response that the specification allows: $more',
  async ({ name, argument, answer }) => {
    const { rental } = await clientOf(json(200, answer));
    expect(await callMethod(rental, name, argument)).toMatchObject({ kind: 'accepted' });
  },
);

const reads = calls.filter(({ request }) => request.startsWith('GET '));
const writes = calls.filter(({ request }) => request.startsWith('POST '));

test.each(reads)('$name is retried after a 503', async ({ name, argument, answer }) => {
  const { rental, server } = await clientOf((res, received, answered) =>
    json(answered === 0 ? 503 : 200, answer)(res, received, answered),
  );
  expect(await callMethod(rental, name, argument)).toMatchObject({ kind: 'accepted' });
  expect(server.requests).toHaveLength(2);
});

test.each(writes)('$name is sent once, even after a 503', async ({ name, argument }) => {
  const { rental, server } = await clientOf(json(503, {}));
  expect(await callMethod(rental, name, argument)).toMatchObject({ kind: 'unknown', status: 503 });
  expect(server.requests).toHaveLength(1);
});

test('reads a deposit history inside an object', async () => {
  const { rental } = await clientOf(
    json(200, { total: 1, deposits: [{ status: 'pending', amount: 'some' }] }),
  );
  expect(await rental.deposits('key')).toEqual({ kind: 'accepted', value: [{ status: 'pending' }] });
});

test.each(['subscriptions', 'withdrawals', 'deposits'] as const)(
  'reports %s as unknown if one entry is unreadable, because a missing one would matter',
  async (name) => {
    const answer = calls.find((call) => call.name === name)?.answer;
    const { rental } = await clientOf(json(200, [...(answer as object[]), { id: 6 }]));
    expect(await rental[name]('key')).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
  },
);

test.each<[name: Method, wrong: object]>([
  ['buyEnergy', { address: OTHER_ADDRESS }],
  ['buyBandwidth', { address: OTHER_ADDRESS }],
  ['buyBandwidth', { bandwidth_amount: 1_001 }],
  ['buyBandwidth', { duration_hours: 1 }],
  ['createInvoice', { address: OTHER_ADDRESS }],
  ['createInvoice', { energy_amount: 131_000 }],
  ['createInvoice', { duration_hours: 24 }],
  ['activateSmartMode', { address: OTHER_ADDRESS }],
  ['withdraw', { to_address: OTHER_ADDRESS }],
  ['withdraw', { amount_trx: '50.000001' }],
  ['withdraw', { amount_trx: '5' }],
])('reports %s as unknown if the response differs from the request (%j)', async (name, wrong) => {
  const { argument, answer } = calls.find((call) => call.name === name) ?? {};
  const { rental, server } = await clientOf(json(200, Object.assign({}, answer, wrong)));
  const outcome = await callMethod(rental, name, argument);
  expect(outcome).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
  expect(server.requests).toHaveLength(1);
});

test('expects 65,000 energy per transfer in the response to an invoice by transfers', async () => {
  const request = { address: ADDRESS, transfer_count: 3, duration_hours: 1 };
  const { rental, server } = await clientOf(json(200, { ...invoice, energy_amount: 195_000 }));
  expect(await rental.createInvoice(KEY, request)).toMatchObject({ kind: 'accepted' });
  server.answerWith(json(200, { ...invoice, energy_amount: 65_000 }));
  expect(await rental.createInvoice(KEY, request)).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
});

describe('a request beyond the limits of the specification is not sent', () => {
  test.each<[method: Method, argument: unknown, field: string]>([
    ['buyEnergy', { ...purchase, address: BAD_CHECKSUM }, 'address'],
    ['buyEnergy', { ...purchase, energy_amount: 31_999 }, 'energy_amount'],
    ['buyEnergy', { ...purchase, energy_amount: 5_000_001 }, 'energy_amount'],
    ['buyEnergy', { ...purchase, energy_amount: 65_000.5 }, 'energy_amount'],
    ['buyEnergy', { ...purchase, duration_hours: 2 }, 'duration_hours'],
    ['buyBandwidth', { ...bandwidthPurchase, bandwidth_amount: 349 }, 'bandwidth_amount'],
    ['buyBandwidth', { ...bandwidthPurchase, bandwidth_amount: 100_001 }, 'bandwidth_amount'],
    ['buyBandwidth', { ...bandwidthPurchase, bandwidth_amount: 350.5 }, 'bandwidth_amount'],
    ['buyBandwidth', { ...bandwidthPurchase, duration_hours: 0 }, 'duration_hours'],
    ['buyBandwidth', { ...bandwidthPurchase, address: BAD_CHECKSUM }, 'address'],
    ['activateAddress', { address: BAD_CHECKSUM }, 'address'],
    ['createInvoice', { ...withoutAmount, energy_amount: 31_999 }, 'energy_amount'],
    ['createInvoice', { ...withoutAmount, energy_amount: 5_000_001 }, 'energy_amount'],
    ['createInvoice', { ...withoutAmount, transfer_count: 0 }, 'transfer_count'],
    ['createInvoice', { ...withoutAmount, transfer_count: 101 }, 'transfer_count'],
    ['createInvoice', withoutAmount, 'energy_amount'],
    ['createInvoice', { ...withoutAmount, energy_amount: 65_000, transfer_count: 1 }, 'energy_amount'],
    ['createInvoice', { ...withoutAmount, transfer_count: 1, duration_hours: 2 }, 'duration_hours'],
    ['activateSmartMode', { address: BAD_CHECKSUM }, 'address'],
    ['withdraw', { ...withdrawalRequest, to_address: BAD_CHECKSUM }, 'to_address'],
    ...['0', '0.0', '-1', '1e3', '1,5', '', 'all', '0.0000001'].map(
      (amount_trx): [Method, unknown, string] => [
        'withdraw',
        { ...withdrawalRequest, amount_trx },
        'amount_trx',
      ],
    ),
    ...['', '12345', 'abcdef', '123456789'].map((totp_code): [Method, unknown, string] => [
      'withdraw',
      { ...withdrawalRequest, totp_code },
      'totp_code',
    ]),
    ['invoice', Number.NaN, 'invoice_id'],
    ['invoice', -1, 'invoice_id'],
    ['toggleSubscription', 1.5, 'subscription_id'],
    ['deactivateSubscription', 2 ** 60, 'subscription_id'],
    ['configureWebhook', 'http://bot.example/e', 'url'],
    ['configureWebhook', 'ftp://bot.example', 'url'],
    ['configureWebhook', 'bot.example', 'url'],
    ['configureWebhook', 'http://localhost.example/', 'url'],
  ])('%s %j', async (method, argument, field) => {
    const { rental, server } = await clientOf(json(200, {}));
    const outcome = await callMethod(rental, method, argument);
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'invalid', field });
    expect(server.requests).toEqual([]);
  });
});

describe('a request at the limits of the specification is sent', () => {
  test.each<[method: Method, argument: unknown]>([
    ['buyEnergy', { ...purchase, energy_amount: 32_000 }],
    ['buyEnergy', { ...purchase, energy_amount: 5_000_000 }],
    ['buyEnergy', { ...purchase, duration_hours: 24 }],
    ['buyBandwidth', { ...bandwidthPurchase, bandwidth_amount: 350 }],
    ['buyBandwidth', { ...bandwidthPurchase, bandwidth_amount: 100_000 }],
    ['buyBandwidth', { ...bandwidthPurchase, duration_hours: 7 }],
    ['createInvoice', { ...withoutAmount, energy_amount: 32_000 }],
    ['createInvoice', { ...withoutAmount, energy_amount: 5_000_000 }],
    ['createInvoice', { ...withoutAmount, transfer_count: 1 }],
    ['createInvoice', { ...withoutAmount, transfer_count: 100 }],
    ['createInvoice', { ...withoutAmount, transfer_count: 1, duration_hours: 24 }],
    ['activateSmartMode', { address: ADDRESS }],
    ['withdraw', { ...withdrawalRequest, amount_trx: '0.000001' }],
    ['withdraw', { ...withdrawalRequest, totp_code: '12345678' }],
    ['configureWebhook', 'http://127.0.0.1:8080/e'],
    ['configureWebhook', ''],
  ])('%s %j', async (method, argument) => {
    const { rental, server } = await clientOf(json(400, { detail: 'no' }));
    expect(await callMethod(rental, method, argument)).toMatchObject({ kind: 'rejected' });
    const sent = typeof argument === 'string' ? { url: argument } : argument;
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([sent]);
  });
});
