import { describe, expect, test } from 'vitest';
import { ENDPOINTS, type EndpointName } from '../../src/rental-api/endpoints.ts';
import { json } from '../support/rental-server.ts';
import { ADDRESS, callMethod, clientOf, invoice, KEY, OTHER_ADDRESS, purchase } from './fixture.ts';

const BAD_CHECKSUM = 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999';
const withoutAmount = { address: ADDRESS, duration_hours: 1 };
const bandwidthPurchase = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const withdrawalRequest = { to_address: ADDRESS, amount_trx: '50' };

/** Each endpoint of section 4 and `GET /prices`. */
const calls = Object.values(ENDPOINTS).map(({ name, kind, path, sample }) => ({
  name,
  kind,
  path,
  request: sample.request as Record<string, unknown> | undefined,
  answer: sample.response as object,
}));

test.each(calls)('sends $name to its path, without a body if it has no fields', async (call) => {
  const { name, kind, path, request = {}, answer } = call;
  const { rental, server } = await clientOf(json(200, answer));
  const why = `${name}: request and response of its \`sample\` in endpoints.ts must be valid and fit each other`;
  expect(await callMethod(rental, name, call.request), why).toMatchObject({ kind: 'accepted' });
  const inPath = Object.keys(request).filter((field) => path.includes(`{${field}}`));
  const filled = inPath.reduce((text, field) => text.replace(`{${field}}`, String(request[field])), path);
  const method = kind === 'read' ? 'GET' : 'POST';
  expect(server.requests).toMatchObject([{ method, path: `/api/v1${filled}` }]);
  const fields = Object.entries(request).filter(([field]) => !inPath.includes(field));
  const [sent] = server.requests;
  expect(sent?.body && JSON.parse(sent.body)).toEqual(fields.length > 0 ? Object.fromEntries(fields) : '');
  expect(sent?.headers['content-type']).toBe(fields.length > 0 ? 'application/json' : undefined);
});

/**
 * Further values that the specification allows, merged into the response of the endpoint's sample. The schemas' test
 * covers missing, null and additional fields.
 */
test.each<[name: EndpointName, more: object]>([
  ['buyEnergy', { status: 'in_review', added_later: { a: [1] } }],
  ['activateAddress', { success: false, address: '41a614f8' }],
  ['invoice', { status: 'underpaid' }],
  ['activateSmartMode', { bw_guarantee: true, status: 'new' }],
  ['subscriptions', []],
  ['deposits', [{ status: 'expired' }, { status: 'on_hold' }]],
  ['withdraw', { status: 'queued', amount_trx: '50.000000' }],
  ['configureWebhook', { active: false }],
  ['prices', { energy_sun: 'soon' }],
])('%s accepts a response that the specification allows: %j', async (name, more) => {
  const { request, response } = ENDPOINTS[name].sample;
  const answer = Array.isArray(more) ? more : Object.assign({}, response, more);
  const { rental } = await clientOf(json(200, answer));
  expect(await callMethod(rental, name, request)).toMatchObject({ kind: 'accepted' });
});

const reads = calls.filter(({ kind }) => kind === 'read');
const writes = calls.filter(({ kind }) => kind !== 'read');

test.each(reads)('$name is retried after a 503', async ({ name, request, answer }) => {
  const { rental, server } = await clientOf((res, received, answered) =>
    json(answered === 0 ? 503 : 200, answer)(res, received, answered),
  );
  expect(await callMethod(rental, name, request)).toMatchObject({ kind: 'accepted' });
  expect(server.requests).toHaveLength(2);
});

test.each(writes)('$name is sent once, even after a 503', async ({ name, request }) => {
  const { rental, server } = await clientOf(json(503, {}));
  expect(await callMethod(rental, name, request)).toMatchObject({ kind: 'unknown', status: 503 });
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
    const answer = ENDPOINTS[name].sample.response as object[];
    const { rental } = await clientOf(json(200, [...answer, { id: 6 }]));
    expect(await rental[name]('key')).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
  },
);

const addressed = calls.flatMap(({ name, kind, request, answer }) =>
  ['address', 'to_address'].flatMap((field) =>
    kind === 'money' && field in answer
      ? [{ name, request, wrong: { ...answer, [field]: OTHER_ADDRESS } }]
      : [],
  ),
);

test.each(addressed)('reports $name as unknown if the response has another address', async (call) => {
  const { name, request, wrong } = call;
  const { rental } = await clientOf(json(200, wrong));
  const outcome = await callMethod(rental, name, request);
  const why = `${name}: \`echoes\` in endpoints.ts must compare the address`;
  expect(outcome, why).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
});

test.each<[name: EndpointName, wrong: object]>([
  ['buyBandwidth', { bandwidth_amount: 1_001 }],
  ['buyBandwidth', { duration_hours: 1 }],
  ['createInvoice', { energy_amount: 131_000 }],
  ['createInvoice', { duration_hours: 24 }],
  ['withdraw', { amount_trx: '50.000001' }],
  ['withdraw', { amount_trx: '5' }],
])('reports %s as unknown if the response differs from the request (%j)', async (name, wrong) => {
  const { request, response } = ENDPOINTS[name].sample;
  const { rental, server } = await clientOf(json(200, Object.assign({}, response, wrong)));
  const outcome = await callMethod(rental, name, request);
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
  test.each<[method: EndpointName, request: unknown, field: string]>([
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
      (amount_trx): [EndpointName, unknown, string] => [
        'withdraw',
        { ...withdrawalRequest, amount_trx },
        'amount_trx',
      ],
    ),
    ...['', '12345', 'abcdef', '123456789'].map((totp_code): [EndpointName, unknown, string] => [
      'withdraw',
      { ...withdrawalRequest, totp_code },
      'totp_code',
    ]),
    ['invoice', { invoice_id: Number.NaN }, 'invoice_id'],
    ['invoice', { invoice_id: -1 }, 'invoice_id'],
    ['toggleSubscription', { subscription_id: 1.5 }, 'subscription_id'],
    ['deactivateSubscription', { subscription_id: 2 ** 60 }, 'subscription_id'],
    ['configureWebhook', { url: 'http://bot.example/e' }, 'url'],
    ['configureWebhook', { url: 'ftp://bot.example' }, 'url'],
    ['configureWebhook', { url: 'bot.example' }, 'url'],
    ['configureWebhook', { url: 'http://localhost.example/' }, 'url'],
  ])('%s %j', async (method, request, field) => {
    const { rental, server } = await clientOf(json(200, {}));
    const outcome = await callMethod(rental, method, request);
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'invalid', field });
    expect(server.requests).toEqual([]);
  });
});

describe('a request at the limits of the specification is sent', () => {
  test.each<[method: EndpointName, request: unknown]>([
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
    ['configureWebhook', { url: 'http://127.0.0.1:8080/e' }],
    ['configureWebhook', { url: '' }],
  ])('%s %j', async (method, request) => {
    const { rental, server } = await clientOf(json(400, { detail: 'no' }));
    expect(await callMethod(rental, method, request)).toMatchObject({ kind: 'rejected' });
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([request]);
  });
});
