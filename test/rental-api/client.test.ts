import { expect, expectTypeOf, test } from 'vitest';
import type { Call } from '../../src/platform/service-calls.ts';
import {
  createOperatorInvoices,
  type OperatorInvoices,
  type RentalCalls,
} from '../../src/rental-api/client.ts';
import type { Priority } from '../../src/rental-api/rate-limits.ts';
import { readLoggedEvent } from '../../src/rental-api/webhook.ts';
import { CUT, standInRental } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import {
  type Answer,
  closedPort,
  cutBeforeHead,
  cutMidBody,
  hang,
  json,
  raw,
} from '../support/rental-server.ts';
import { ADDRESS, clientOf, KEY, order, profile, purchase } from './fixture.ts';

test('sends requests to {base_url}/v1 with the key and JSON, also if the base ends with a slash', async () => {
  const { rental, server } = await clientOf(json(200, order), { baseUrl: (url) => `${url}/` });
  await rental.buyEnergy(KEY, purchase);
  const [sent] = server.requests;
  expect(sent).toMatchObject({ method: 'POST', path: '/api/v1/energy/buy' });
  expect(sent?.headers).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });
  expect(JSON.parse(sent?.body ?? '')).toEqual(purchase);
});

test.each(['', 'two words', 'line\r\nX-Other: 1', 'ключ'])('does not send the key %j', async (key) => {
  const { rental, server } = await clientOf(json(200, profile));
  expect(await rental.profile(key)).toMatchObject({ kind: 'not-sent', reason: 'invalid', field: 'key' });
  expect(server.requests).toEqual([]);
});

test('requests the profile without a key to see whether the service responds, and uses up no limit', async () => {
  const refused = { detail: { error: { code: 'NO_KEY', message: 'a key is needed' } } };
  const { rental, server } = await clientOf(json(401, refused));
  for (let times = 0; times < 100; times += 1)
    expect(await rental.profileWithoutKey()).toEqual({
      ...{ kind: 'rejected', status: 401, code: 'NO_KEY', message: 'a key is needed' },
    });
  expect(server.requests).toHaveLength(100);
  expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/api/v1/account/profile' });
  expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
});

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

test('sends every money POST over a new connection, because a used one may be closing', async () => {
  const answers = [json(200, profile), json(200, order), cutBeforeHead];
  const { rental, server } = await clientOf((res, received, answered) =>
    answers[answered]?.(res, received, answered),
  );
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'unknown', reason: 'cut' });
  await rental.close();
  expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2, 3]);
  expect(server.requests[1]?.headers.connection).toBe('close');
});

const byPath: Answer = (res, received, answered) =>
  (received.method === 'GET' ? json(200, profile) : json(200, order))(res, received, answered);

test('sends a money POST over the connection opened ahead, and the next POST over a new one', async () => {
  const { rental, server } = await clientOf(byPath);
  rental.openConnection();
  await eventually(async () => expect(await server.connections()).toBe(1));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  for (const _ of [1, 2]) expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  expect(server.requests.map(({ connection }) => connection)).toEqual([2, 1, 3]);
});

test('sends a money POST once over a new connection if the service has closed the one opened ahead', async () => {
  const { rental, server } = await clientOf(byPath);
  rental.openConnection();
  await eventually(async () => expect(await server.connections()).toBe(1));
  server.closeConnections();
  // When its response arrives, the client knows that the first connection is closed.
  await rental.profile(KEY);
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  expect(server.requests.map(({ connection }) => connection)).toEqual([2, 3]);
});

test('does not send a money POST if the service accepts no connection', async () => {
  const baseUrl = await closedPort();
  const { rental } = await clientOf(json(200, order), { baseUrl: () => baseUrl });
  rental.openConnection();
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'not-sent', reason: 'offline' });
});

test('closes a connection opened ahead that no request uses in time', async () => {
  const { rental, server } = await clientOf(json(200, order), { timeouts: { unusedMs: 100 } });
  rental.openConnection();
  await eventually(() => expect(server.opened()).toBe(1));
  await eventually(async () => expect(await server.connections()).toBe(0));
  expect(await rental.buyEnergy(KEY, purchase)).toMatchObject({ kind: 'accepted' });
  expect(server.requests.map(({ connection }) => connection)).toEqual([2]);
});

test('closes connections opened ahead when it is closed, and opens none afterwards', async () => {
  const { rental, server } = await clientOf(json(200, order), { timeouts: { unusedMs: 60_000 } });
  rental.openConnection();
  await eventually(async () => expect(await server.connections()).toBe(1));
  await rental.close();
  await eventually(async () => expect(await server.connections()).toBe(0));
  rental.openConnection();
  await fetch(server.baseUrl, { headers: { connection: 'close' } });
  expect(server.requests.map(({ connection }) => connection)).toEqual([2]);
});

test.each<[string, (url: string) => string | Promise<string>, message: RegExp]>([
  ['the connection is refused', closedPort, /^no connection: ECONNREFUSED$/],
  ['the host name cannot be resolved', () => 'http://rental.invalid/api', /^no connection/],
  ['the server does not support TLS', (url) => url.replace('http:', 'https:'), /^no connection/],
])('does not send a money POST if %s', async (_, baseUrlOf, message) => {
  const { server } = await clientOf(json(200, order));
  const baseUrl = await baseUrlOf(server.baseUrl);
  const { rental } = await clientOf(json(200, order), { baseUrl: () => baseUrl });
  const outcome = { kind: 'not-sent', reason: 'offline', message: expect.stringMatching(message) };
  expect(await rental.buyEnergy(KEY, purchase)).toEqual(outcome);
  expect(server.requests).toEqual([]);
});

test('counts a money POST as not sent if it times out before it is connected', async () => {
  const { rental } = await clientOf(json(200, order), {
    timeouts: { moneyMs: 1 },
    connect: () => ({ dispatch: () => true, close: async () => undefined }),
  });
  const message = 'no answer within 1 ms';
  expect(await rental.buyEnergy(KEY, purchase)).toEqual({ kind: 'not-sent', reason: 'offline', message });
});

test('reports the result of each request, but nothing of its content', async () => {
  const calls: Call[] = [];
  const { rental, server } = await clientOf(json(200, order), {
    calls: { note: (call) => calls.push(call) },
    timeouts: { moneyMs: 3_000 },
  });
  for (const answer of [
    json(200, order),
    json(401, {}),
    json(404, { detail: { error: { code: 'INVOICE_NOT_FOUND' } } }),
    json(429, {}, { 'retry-after': '0' }),
    json(404, { detail: 'Not Found' }),
    json(503, { why: 'secret' }),
    cutBeforeHead,
    hang,
  ]) {
    server.answerWith(answer);
    await rental.buyEnergy(KEY, purchase);
  }
  await server.close();
  await rental.buyEnergy(KEY, purchase);
  const ms = expect.any(Number);
  expect(calls.map(({ date: _, ...call }) => call)).toEqual([
    ...Array(3).fill({ kind: 'answered', ms }),
    { kind: 'limited', ms },
    ...Array(5).fill({ kind: 'failed', endpoint: 'buyEnergy', reason: expect.any(String) }),
  ]);
});

test("counts a refusal of the operator's key as failed, but not one of a user's own key", async () => {
  const calls: Call[] = [];
  const { rental } = await clientOf(json(401, { detail: 'Invalid API key' }), {
    calls: { note: (call) => calls.push(call) },
    isOperatorKey: (key) => key === KEY,
  });
  await rental.profile(KEY);
  await rental.profile(`${KEY}x`);
  expect(calls).toMatchObject([
    { kind: 'failed', endpoint: 'profile', reason: 'HTTP 401' },
    { kind: 'answered' },
  ]);
});

const failing =
  (times: number, failure: Answer): Answer =>
  (res, received, answered) =>
    (answered < times ? failure : json(200, profile))(res, received, answered);

test.each([
  ['a 500', json(500, {})],
  ['a 503 in HTML', raw(503, '<html>')],
  ['a cut connection', cutBeforeHead],
  ['a cut body', cutMidBody],
  ['a timeout', hang],
] as [string, Answer][])('retries a read after %s with growing delays', async (_what, failure) => {
  const { rental, server, slept } = await clientOf(failing(2, failure), {
    timeouts: failure === hang ? { readTryMs: 2_000 } : {},
  });
  expect(await rental.profile(KEY)).toEqual({ kind: 'accepted', value: profile });
  expect(server.requests).toHaveLength(3);
  expect(slept).toEqual([187.5, 375]);
});

test('sends a read at most three times', async () => {
  const { rental, server } = await clientOf(json(500, {}));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'unknown', reason: 'status', status: 500 });
  expect(server.requests).toHaveLength(3);
});

test('retries a read if the connection is refused', async () => {
  const port = await closedPort();
  const { rental, slept } = await clientOf(json(200, profile), { baseUrl: () => port });
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'not-sent', reason: 'offline' });
  expect(slept).toHaveLength(2);
});

test.each([
  ['a rejection', json(401, { detail: 'Invalid API key' })],
  ['a redirect', raw(302, '', { location: '/' })],
  ['a body that is not JSON', raw(200, 'hello')],
  ['an unexpected response', json(200, { id: 'seven' })],
] as [string, Answer][])('does not retry a read after %s', async (_what, answer) => {
  const { rental, server } = await clientOf(answer);
  expect(await rental.profile(KEY)).not.toMatchObject({ kind: 'accepted' });
  expect(server.requests).toHaveLength(1);
});

test('waits as long as a 429 says if that is short', async () => {
  const refusal = json(429, { detail: 'Too many requests, retry after 2 seconds' });
  const { rental, slept } = await clientOf(failing(1, refusal));
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'accepted' });
  expect(slept).toEqual([2_187.5]);
});

test('does not wait for a 429 with a long delay', async () => {
  const { rental, server, slept } = await clientOf(
    json(429, { detail: 'Too many requests, retry after 5 seconds' }),
  );
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'rejected', retryAfterMs: 5_000 });
  expect(server.requests).toHaveLength(1);
  expect(slept).toEqual([]);
});

test('stops retrying a read once its total time is used up', async () => {
  const { rental, server, slept, advance } = await clientOf(hang);
  server.answerWith((res, ...rest) => {
    advance(6_000);
    json(500, {})(res, ...rest);
  });
  expect(await rental.profile(KEY)).toMatchObject({ kind: 'unknown', status: 500 });
  expect(server.requests).toHaveLength(2);
  expect(slept).toHaveLength(1);
});

test('reuses connections for reads', async () => {
  const { rental, server } = await clientOf(json(200, profile));
  for (let count = 0; count < 6; count += 1) await rental.profile(KEY);
  expect(new Set(server.requests.map(({ connection }) => connection)).size).toBeLessThan(3);
});

const CODE = '904173';
const withdrawal = { to_address: ADDRESS, amount_trx: '50', totp_code: CODE };

test('writes a one-time code to no message and no log, even if the service repeats it', async () => {
  const { rental, server, lines } = await clientOf(json(403, { detail: `Invalid code ${CODE} (${KEY})` }), {
    timeouts: { moneyMs: 3_000 },
  });
  const outcomes = [await rental.withdraw(KEY, withdrawal)];
  const answers = [
    json(403, { detail: { error: { code: `BAD_${CODE}`, message: `${CODE}${CODE}` } } }),
    json(200, { totp_code: CODE, [CODE]: CODE }),
    json(500, { detail: CODE }),
    cutMidBody,
    hang,
    json(429, { detail: `${CODE}: wait 0 s` }),
  ];
  for (const answer of answers) {
    server.answerWith(answer);
    outcomes.push(await rental.withdraw(KEY, withdrawal));
  }
  outcomes.push(await rental.withdraw(KEY, { ...withdrawal, totp_code: `${CODE}x` }));
  expect(server.requests).toHaveLength(7);
  expect(server.requests[0]?.body).toContain(CODE);
  expect(outcomes[0]).toMatchObject({ kind: 'rejected', code: 'HTTP_403', message: 'Invalid code … (…)' });
  expect(JSON.stringify(outcomes)).not.toContain(CODE);
  expect(lines).not.toEqual([]);
  expect(lines.join()).not.toContain(CODE);
});

test('removes nothing from the message if there is no code', async () => {
  const { rental } = await clientOf(json(400, { detail: '51 TRX needed, 904173 TRX available' }));
  expect(await rental.withdraw(KEY, { to_address: ADDRESS, amount_trx: '50' })).toMatchObject({
    message: '51 TRX needed, 904173 TRX available',
  });
});

test('lets guests’ code create and read invoices, and read prices, only', () => {
  const rental = standInRental();
  const invoices = createOperatorInvoices({ rental, operatorKey: KEY });
  expect(Object.keys(invoices).sort()).toEqual(['create', 'prices', 'read']);
  expectTypeOf<keyof OperatorInvoices>().toEqualTypeOf<'create' | 'prices' | 'read'>();
  expectTypeOf<Parameters<typeof createOperatorInvoices>[0]['rental']>().toEqualTypeOf<
    Pick<RentalCalls, 'prices'> & {
      withPriority: (priority: Priority) => Pick<RentalCalls, 'createInvoice' | 'invoice'>;
    }
  >();
  // Neither the key nor a function that takes one is reachable from the object.
  expect(JSON.stringify(invoices)).toBe('{}');
  for (const one of Object.values(invoices))
    expect(Object.getOwnPropertyNames(one)).not.toContain('operatorKey');
});

test('calls each endpoint once with the operator’s key', async () => {
  const rental = standInRental();
  rental.createInvoice.mockResolvedValue(CUT);
  rental.invoice.mockResolvedValue(CUT);
  const invoices = createOperatorInvoices({ rental, operatorKey: KEY });
  expect(await invoices.create(purchase)).toEqual(CUT);
  expect(await invoices.read(7, 'user')).toEqual(CUT);
  expect(rental.createInvoice.mock.calls).toEqual([[KEY, purchase]]);
  expect(rental.invoice.mock.calls).toEqual([[KEY, { invoice_id: 7 }]]);
  for (const [name, method] of Object.entries(rental.withPriority()))
    expect(method).toHaveBeenCalledTimes(['createInvoice', 'invoice'].includes(name) ? 1 : 0);
});
