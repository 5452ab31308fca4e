import { expect, test } from 'vitest';
import { readLoggedEvent } from '../../src/rental-api/webhook.ts';
import { json, raw } from '../support/rental-server.ts';
import { ADDRESS, clientOf, KEY, order, profile, purchase } from './fixture.ts';

test('sends requests to {base_url}/v1 with the key and JSON, also if the base ends with a slash', async () => {
  const { rental, server } = await clientOf(json(200, order), { baseUrl: (url) => `${url}/` });
  await rental.buyEnergy(KEY, purchase);
  const [sent] = server.requests;
  expect(sent).toMatchObject({ method: 'POST', path: '/api/v1/energy/buy' });
  expect(sent?.headers).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });
  expect(JSON.parse(sent?.body ?? '')).toEqual(purchase);
});

const deposit = {
  deposit_address: ADDRESS,
  accepted_currencies: ['TRX', 'USDT'],
  usdt_to_trx_rate: '3.1',
  trx_usd_rate: '0.3',
};

test.each([
  ['profile', '/api/v1/account/profile', profile, profile],
  ['depositInfo', '/api/v1/account/deposit', deposit, deposit],
  ['prices', '/api/v1/prices', { energy_sun: { '1h': 35.68 } }, { energySunPerUnit: { '1': '35.68' } }],
  ['webhookLogs', '/api/v1/webhooks/logs', [], []],
] as const)('sends %s as a GET of %s without a body', async (method, path, answer, value) => {
  const { rental, server } = await clientOf(json(200, answer));
  expect(await rental[method](KEY)).toEqual({ kind: 'accepted', value });
  expect(server.requests).toMatchObject([{ method: 'GET', path, body: '' }]);
});

test.each([
  ['address', { address: 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999' }],
  ['energy_amount', { energy_amount: 31_999 }],
  ['energy_amount', { energy_amount: 5_000_001 }],
  ['energy_amount', { energy_amount: 65_000.5 }],
  ['duration_hours', { duration_hours: 2 }],
])('does not send a purchase with an invalid %s (%j)', async (field, wrong) => {
  const { rental, server } = await clientOf(json(200, order));
  const outcome = await rental.buyEnergy(KEY, { ...purchase, ...wrong });
  expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'invalid', field });
  expect(server.requests).toEqual([]);
});

test.each([{ energy_amount: 32_000 }, { energy_amount: 5_000_000 }, { duration_hours: 24 }])(
  'sends a purchase at the limit (%j)',
  async (limit) => {
    const { rental, server } = await clientOf(json(200, { ...order, ...limit }));
    expect(await rental.buyEnergy(KEY, { ...purchase, ...limit })).toMatchObject({ kind: 'accepted' });
    expect(server.requests).toHaveLength(1);
  },
);

test.each(['', 'two words', 'line\r\nX-Other: 1', 'ключ'])('does not send the key %j', async (key) => {
  const { rental, server } = await clientOf(json(200, profile));
  expect(await rental.profile(key)).toMatchObject({ kind: 'not-sent', reason: 'invalid', field: 'key' });
  expect(server.requests).toEqual([]);
});

test.each(['http://bot.example/e', 'ftp://bot.example', 'bot.example', 'http://localhost.example/'])(
  'does not send the webhook URL %s',
  async (url) => {
    const { rental, server } = await clientOf(json(200, {}));
    expect(await rental.configureWebhook(KEY, url)).toMatchObject({ kind: 'not-sent', field: 'url' });
    expect(server.requests).toEqual([]);
  },
);

test.each(['https://bot.example/e', 'http://127.0.0.1:8080/e', ''])(
  'sends the webhook URL %j',
  async (url) => {
    const answer = { url, secret: 'whsec_1', active: url !== '', created_at: profile.created_at };
    const { rental, server } = await clientOf(json(200, answer));
    expect(await rental.configureWebhook(KEY, url)).toEqual({ kind: 'accepted', value: answer });
    expect(server.requests.map((request) => JSON.parse(request.body))).toEqual([{ url }]);
  },
);

test('returns the other log entries if one is unreadable', async () => {
  const entry = {
    id: 1,
    event_type: 'order.filled',
    payload: { order_id: 7 },
    response_status: null,
    attempts: 1,
    created_at: profile.created_at,
  };
  const { rental } = await clientOf(json(200, [{ ...entry, id: 2, payload: 'cut' }, entry]));
  expect(await rental.webhookLogs(KEY)).toEqual({ kind: 'accepted', value: [entry] });
});

test.each([33, 1_000, 100_000])(
  'omits a log entry that is nested %d deep and logs one warning',
  async (depth) => {
    const payload = (a: string) => `{"order_id":7,"a":${a}}`;
    const entry = (a: string) =>
      `{"id":1,"event_type":"order.filled","payload":${payload(a)},"attempts":1,"created_at":"2025-06-01T12:00:00Z"}`;
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const body = `[${entry(nested(depth))},${entry(nested(30))},${entry('1')}]`;
    const { rental, lines } = await clientOf(raw(200, body));
    for (const _ of [1, 2]) {
      const logs = await rental.webhookLogs(KEY);
      const events = logs.kind === 'accepted' ? logs.value.map(readLoggedEvent) : [];
      expect(events.map(({ type }) => type)).toEqual(['order.filled', 'order.filled']);
    }
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    expect(warnings).toEqual([expect.objectContaining({ endpoint: 'webhookLogs', count: 1 })]);
  },
);

test('waits for pending requests when closed, and sends nothing afterwards', async () => {
  const { rental, server } = await clientOf(json(200, order));
  const [bought] = await Promise.all([rental.buyEnergy(KEY, purchase), rental.close()]);
  expect(bought).toMatchObject({ kind: 'accepted' });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'not-sent', reason: 'offline' });
  expect(server.requests).toHaveLength(1);
});
