import { describe, expect, test, vi } from 'vitest';
import type { Receive, Received } from '../../src/telegram/updates.ts';
import { createWeb, type RentalWebhook } from '../../src/web/server.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';
import { READY, serveWeb, visibleParts } from './web-server.ts';

const shortOf = async (response: Response) => [response.status, await response.text()];

describe('every response', () => {
  test('forbids browsers to guess types, cache responses or send referrers', async () => {
    const { get } = await serveWeb({});
    const headers = {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    };
    expect(await visibleParts(await get('/livez'))).toMatchObject({ status: 200, headers });
    expect(await visibleParts(await get('/nothing/here'))).toMatchObject({ status: 404, headers, body: '' });
  });

  test('logs nothing for requests', async () => {
    const { get, post, lines } = await serveWeb({});
    await get('/livez');
    await post('/events/s3cret-hook', '{}');
    expect(lines.texts).toEqual([]);
  });
});

describe('health checks', () => {
  test.each([
    ['ok', READY, 200, { status: 'ok', failing: {} }],
    [
      'degraded',
      { ...READY, failing: { webhook: 'error' } },
      200,
      { status: 'degraded', failing: { webhook: 'error' } },
    ],
    [
      'not ready',
      { ...READY, isReady: false, failing: { storage: 'error' } },
      503,
      { status: 'not ready', failing: { storage: 'error' } },
    ],
    [
      'stopping',
      { ...READY, isReady: false, phase: 'stopping' },
      503,
      { status: 'not ready', phase: 'stopping', failing: {} },
    ],
  ] as const)('says that the replica is %s, and is alive', async (_, readiness, status, body) => {
    const { get, lines } = await serveWeb({ readiness: () => readiness });
    const response = await get('/readyz');
    expect([response.status, await response.json()]).toEqual([status, { version: READY.version, ...body }]);
    expect(await shortOf(await get('/livez'))).toEqual([200, 'ok']);
    expect(lines.lines()).toEqual([]);
  });
});

describe('webhook for updates', () => {
  const PATH = '/telegram/updates';
  const SECRET = 'the-secret_token';
  const HEADER = 'X-Telegram-Bot-Api-Secret-Token';
  const update = textUpdate(7, 501);

  async function serve(receive: Receive = async () => ({ kind: 'done' }), secretTokens = [SECRET]) {
    const received = vi.fn(receive);
    const web = await serveWeb({ updates: { path: PATH, secretTokens, receive: received } });
    const post = (body: RequestInit['body'], headers: Record<string, string> = { [HEADER]: SECRET }) =>
      web.post(PATH, body, headers);
    return { ...web, post, received };
  }

  test('passes on an update unchanged and responds with an empty 200', async () => {
    const { post, received } = await serve();
    const answer = await post(JSON.stringify(update));
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(await shortOf(answer)).toEqual([200, '']);
    expect(received.mock.calls).toEqual([[update]]);
  });

  test.each<[string, Record<string, string>]>([
    ['without a secret token', {}],
    ['with an empty one', { [HEADER]: '' }],
    ['with a wrong one', { [HEADER]: 'the-secret_tokem' }],
    ['with a longer one', { [HEADER]: `${SECRET}x` }],
  ])('rejects a request %s with an empty 401, without reading it', async (_, headers) => {
    const { post, received } = await serve();
    for (const body of [JSON.stringify(update), 'not JSON', 'x'.repeat(2 * 1024 * 1024)]) {
      expect(await shortOf(await post(body, headers))).toEqual([401, '']);
    }
    expect(received).not.toHaveBeenCalled();
  });

  test('accepts the old and the new secret token during a change', async () => {
    const { post, received } = await serve(undefined, ['the-new_token', SECRET]);
    for (const token of ['the-new_token', SECRET]) {
      expect((await post(JSON.stringify(update), { [HEADER]: token })).status).toBe(200);
    }
    expect(received).toHaveBeenCalledTimes(2);
  });

  test.each<[body: string, logged: object]>([
    ['', {}],
    ['not JSON', {}],
    ['null', {}],
    ['[]', {}],
    ['{"update_id":"7","message":{}}', {}],
    ['{"update_id":7}', { update: 7, reason: 'update: unknown kind' }],
    ['{"update_id":7,"poll":{"id":"secret"}}', { update: 7, reason: 'update: unknown kind' }],
    ['{"update_id":7,"message":{"message_id":"secret"}}', { update: 7 }],
  ])('drops the unreadable update %j, so that Telegram does not repeat it', async (body, logged) => {
    const { post, received, lines } = await serve();
    expect(await shortOf(await post(body))).toEqual([200, '']);
    expect(received).not.toHaveBeenCalled();
    const msg = "an update can't be read and is dropped";
    expect(lines.lines()).toEqual([expect.objectContaining({ level: 'error', msg, ...logged })]);
    expect(lines.texts.join()).not.toContain('secret');
  });

  test('drops an update of more than a megabyte, and accepts one of exactly a megabyte', async () => {
    const { post, received, lines } = await serve();
    const big = JSON.stringify({ ...update, filler: 'x'.repeat(1024 * 1024) });
    expect((await post(big)).status).toBe(200);
    expect((await post(new Blob([big]).stream())).status).toBe(200);
    expect(lines.lines()).toMatchObject([{ reason: 'too large' }, { reason: 'too large' }]);
    expect(received).not.toHaveBeenCalled();
    const { length } = JSON.stringify({ ...update, filler: '' });
    const largest = { ...update, filler: 'x'.repeat(1024 * 1024 - length) };
    await post(JSON.stringify(largest));
    expect(received).toHaveBeenCalledOnce();
  });

  test.each<[string, Received, answer: [status: number, retryAfter: string | null]]>([
    ['a busy chat', { kind: 'busy' }, [503, '1']],
    ['a failed update', { kind: 'failed' }, [500, null]],
    ['an update whose reply Telegram delays', { kind: 'failed', afterMs: 8_500 }, [503, '9']],
  ])('tells Telegram when to repeat %s', async (_, received, [status, retryAfter]) => {
    const { post } = await serve(async () => received);
    const answer = await post(JSON.stringify(update));
    expect(answer.headers.get('Retry-After')).toBe(retryAfter);
    expect(await shortOf(answer)).toEqual([status, '']);
  });

  test('responds with 500 and logs an error if the handler throws', async () => {
    const { post, lines } = await serve(() => Promise.reject(new Error('redis is away')));
    expect(await shortOf(await post(JSON.stringify(update)))).toEqual([500, '']);
    expect(lines.lines()).toMatchObject([{ level: 'error', update: 7, err: { message: 'redis is away' } }]);
  });

  test('serves the path for POST only, and only if webhooks are used', async () => {
    const { get } = await serve();
    expect((await get(PATH)).status).toBe(404);
    const polling = await serveWeb({});
    expect((await polling.post(PATH, JSON.stringify(update), { [HEADER]: SECRET })).status).toBe(404);
  });

  test('requires a secret token', () => {
    const updates = { path: PATH, secretTokens: [''], receive: async () => ({ kind: 'done' as const }) };
    const web = { log: silentLog(), readiness: () => READY, isOpen: () => true };
    expect(() => createWeb({ ...web, updates })).toThrow(RangeError);
  });
});

describe('webhook for events', () => {
  const HEADER = 'X-Webhook-Signature';

  async function serve(receive: RentalWebhook['receive'] = async () => 'accepted') {
    const received = vi.fn(receive);
    const find = vi.fn(async (name: string) =>
      name.startsWith('unknown') ? undefined : { account: 1001, secrets: [`the secret of ${name}`] },
    );
    let now = 0;
    const countRejected = vi.fn<RentalWebhook['countRejected']>();
    const web = await serveWeb({
      events: {
        ...{ path: '/events/:hook', signatureHeader: HEADER, now: () => now },
        ...{ find, receive: received, countRejected },
      },
    });
    const pass = (ms: number) => {
      now += ms;
    };
    const rejections = () => countRejected.mock.calls.map(([why]) => why);
    return { ...web, received, find, pass, rejections };
  }

  test('passes on a delivery with its webhook, signature and exact bytes', async () => {
    const { post, received } = await serve();
    const body = Buffer.from('{ "event" : "order.filled",\n "data": {"é": "\\u00e9"} }\0\xff', 'latin1');
    const answer = await post('/events/s3cret-hook', body, { [HEADER]: 'abc123' });
    expect(await shortOf(answer)).toEqual([200, '']);
    const [hook, rawBody, signature] = received.mock.calls[0] ?? [];
    expect([...(hook?.secrets ?? []), signature]).toEqual(['the secret of s3cret-hook', 'abc123']);
    expect(Buffer.from(rawBody ?? [])).toEqual(body);
  });

  test('passes on a delivery without a signature', async () => {
    const { post, received } = await serve();
    await post('/events/hook', '{}');
    const hook = { account: 1001, secrets: ['the secret of hook'] };
    expect(received).toHaveBeenCalledWith(hook, expect.any(Uint8Array), undefined);
  });

  test('responds in the same way to rejected, unknown and misdirected deliveries', async () => {
    const { post, get, find, rejections } = await serve(async () => 'rejected');
    const nowhere = await visibleParts(await post('/no/such/path', '{}'));
    expect(nowhere).toMatchObject({ status: 404, body: '' });
    const answers = [
      await post('/events/wrong-hook', '{}', { [HEADER]: 'abc' }),
      await post('/events/hook', 'not JSON', { [HEADER]: 'wrong' }),
      await post('/events/', '{}'),
      await get('/events/hook'),
      await post(`/events/${'x'.repeat(101)}`, '{}'),
    ];
    for (const answer of answers) expect(await visibleParts(answer)).toEqual(nowhere);
    // Only a path that is too long is counted here. The receiver counts all others.
    expect(rejections()).toEqual(['hook']);
    expect(find).not.toHaveBeenCalledWith('x'.repeat(101));
  });

  test('does not read more than 64 kilobytes', async () => {
    const { post, received, rejections } = await serve();
    expect((await post('/events/hook', 'x'.repeat(64 * 1024 + 1))).status).toBe(413);
    expect(rejections()).toEqual(['size']);
    // For known and unknown paths alike.
    expect((await post('/events/unknown', 'x'.repeat(300 * 1024))).status).toBe(413);
    expect((await post('/events/hook', 'x'.repeat(64 * 1024))).status).toBe(200);
    expect(received).toHaveBeenCalledTimes(1);
  });

  test('accepts 50 deliveries a second per webhook and rejects others with 429', async () => {
    const { post, find, received, pass, rejections } = await serve();
    const answers = await Promise.all(Array.from({ length: 60 }, () => post('/events/hook', '{}')));
    const numberOf = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([numberOf(200), numberOf(429)]).toEqual([50, 10]);
    expect(received).toHaveBeenCalledTimes(50);
    expect(rejections()).toEqual(Array.from({ length: 10 }, () => 'rate'));
    // Rejected deliveries cause no lookup in the storage.
    expect(find).toHaveBeenCalledTimes(50);
    const over = await post('/events/hook', '{}');
    expect([over.headers.get('Retry-After'), ...(await shortOf(over))]).toEqual(['1', 429, '']);
    expect((await post('/events/other', '{}')).status).toBe(200);
    pass(1_000);
    expect((await post('/events/hook', '{}')).status).toBe(200);
  });

  test('responds with an empty 500 if a delivery could not be stored, and logs no path', async () => {
    const { post, lines } = await serve(() => Promise.reject(new Error('redis is away')));
    const answer = await post('/events/s3cret-hook', '{}');
    expect(await shortOf(answer)).toEqual([500, '']);
    expect(lines.lines()).toMatchObject([{ level: 'error', err: { message: 'redis is away' } }]);
    expect(lines.texts.join()).not.toContain('s3cret-hook');
  });

  test('responds with 500 before reading the body if the lookup failed', async () => {
    const { post, find, received } = await serve();
    find.mockRejectedValueOnce(new Error('redis is away'));
    expect((await post('/events/hook', '{}')).status).toBe(500);
    expect(received).not.toHaveBeenCalled();
  });
});
