import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClock } from '../../src/sandbox/clock.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { startHttpServer } from '../support/http-server.ts';

const TOKEN = '700:server';
const START = Date.UTC(2030, 0, 1);
const ENERGY = { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', energy_amount: 65_000, duration_hours: 1 };
let sandbox: Sandbox;

beforeEach(() => {
  sandbox = createSandbox({ token: TOKEN, clock: createClock(START), fillAfterMs: 60_000 });
});
afterEach(() => sandbox.stop());

const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    }),
  );
const get = (path: string) => ask('GET', path);
const buy = () => ask('POST', '/api/v1/energy/buy', ENERGY, { 'X-API-Key': 'demo-key' });
const json = async (response: Promise<Response>) => (await response).json();
const state = z.looseObject({ orders: z.array(z.looseObject({ status: z.string() })) });
const orders = async () => state.parse(await json(get('/sandbox/rental/state'))).orders;
const time = z.object({ now: z.number() });

test('serves the page without access to other origins', async () => {
  const page = await get('/');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toMatch('text/html');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  expect(await page.text()).toContain('src="/page/main.js"');
});

test.each([
  ['/page/main.js', 'text/javascript; charset=utf-8'],
  ['/page/panel/panel.js', 'text/javascript; charset=utf-8'],
  ['/page/style/page.css', 'text/css; charset=utf-8'],
  ['/page/icons.svg', 'image/svg+xml'],
])('serves %s as %s', async (path, type) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  '/page/assets.ts',
  '/page/../server.ts',
  '/page/%2e%2e/server.ts',
  '/page/',
  '/page/none.js',
  '/server.ts',
])('does not serve %s', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('serves the rental service, Telegram and the control APIs at their paths', async () => {
  expect((await buy()).status).toBe(200);
  expect(await json(get(`/telegram/bot${TOKEN}/getMe`))).toMatchObject({ ok: true, result: { id: 700 } });
  expect(await orders()).toHaveLength(1);
  expect(await json(get('/sandbox/telegram/people'))).toHaveLength(4);
  expect(await json(get('/sandbox/endpoints'))).toContain('POST /energy/buy');
});

test('passes all other requests unchanged to the app behind it', async () => {
  expect((await get('/livez')).status).toBe(404);
  sandbox.setFallback(
    async (request) => new Response(`${request.method} ${request.url} ${await request.text()}`),
  );
  const answer = await ask('POST', '/events/hook?x=1', 'body');
  expect(await answer.text()).toBe('POST http://localhost/events/hook?x=1 body');
});

test('never passes unknown paths below /sandbox, /api/v1 and /telegram to the app', async () => {
  sandbox.setFallback(() => new Response('the app'));
  for (const path of [
    '/sandbox/none',
    '/sandbox/rental/none',
    '/api/v1/none',
    `/telegram/bot${TOKEN}/none`,
  ]) {
    const answer = await get(path);
    expect(await answer.text(), path).not.toBe('the app');
    expect(answer.ok, path).toBe(false);
  }
});

test('returns the clock’s time and moves it forward with all due actions', async () => {
  const { now } = time.parse(await json(get('/sandbox/clock')));
  expect(now).toBeGreaterThanOrEqual(START);
  await buy();
  expect(await orders()).toMatchObject([{ status: 'pending' }]);

  const moved = time.parse(await json(ask('POST', '/sandbox/clock', { advance_seconds: 61 })));
  expect(moved.now).toBeGreaterThanOrEqual(START + 61_000);
  expect(await orders()).toMatchObject([{ status: 'filled' }]);
});

test.each([{ advance_seconds: -1 }, { advance_seconds: '60' }, { advance_seconds: 1e12 }, {}, 'nonsense'])(
  'refuses to move the clock by %j',
  async (body) => {
    expect((await ask('POST', '/sandbox/clock', body)).status).toBe(400);
    expect(sandbox.clock.now()).toBeLessThan(START + 60_000);
  },
);

test('resets both sides', async () => {
  await buy();
  await ask('POST', '/sandbox/telegram/chats/501/messages', { text: 'hello' });
  expect((await ask('POST', '/sandbox/reset')).status).toBe(200);
  expect(await orders()).toEqual([]);
  expect(await json(get('/sandbox/telegram/chats/501/messages'))).toEqual([]);
});

test('cuts connections behind a real server', async () => {
  await ask('POST', '/sandbox/rental/faults', { endpoint: 'POST /energy/buy', kind: 'cut-after' });
  const { origin, close } = await startHttpServer(sandbox.fetch);
  const cut = fetch(`${origin}/api/v1/energy/buy`, {
    method: 'POST',
    headers: { 'X-API-Key': 'demo-key', 'content-type': 'application/json' },
    body: JSON.stringify(ENERGY),
  });
  await expect(cut).rejects.toThrow('fetch failed');
  expect(await orders()).toHaveLength(1);
  await close();
});

test('ends open streams when stopped', async () => {
  const { origin, close } = await startHttpServer(sandbox.fetch);
  const streams = await Promise.all(
    ['/sandbox/rental/changes', '/sandbox/telegram/chats/501/stream'].map((path) => fetch(origin + path)),
  );
  sandbox.stop();
  for (const stream of streams) await stream.text();
  await close();
});

describe('requests that only its own pages may send', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const CHAT = '/sandbox/telegram/chats/501/messages';
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  let port: number;

  beforeEach(async () => {
    sandbox.setFallback(() => new Response('the app'));
    server = await startHttpServer(sandbox.fetch);
    port = Number(new URL(server.origin).port);
  });
  afterEach(() => server.close());

  /** Sends a request with any headers, which a browser's page can't do but other programs can. */
  async function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}, body = '') {
    const asked = request(server.origin, { method, path, headers });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  const PLACES = [
    '/',
    '/sandbox/rental/state',
    '/sandbox/rental/changes',
    CHAT,
    '/api/v1/account/profile',
    `/telegram/bot${TOKEN}/getMe`,
    '/livez',
  ];

  test.each(PLACES)('rejects requests to %s for a host name that points to this machine', async (path) => {
    const names = ['rebound.example', `rebound.example:${port}`, `localhost.rebound.example:${port}`];
    for (const host of [...names, `127.0.0.2:${port}`, `localhost:${port + 1}`, 'localhost']) {
      const { status, text } = await ask('GET', path, { host, 'X-API-Key': 'demo-key' });
      expect({ host, status }).toEqual({ host, status: 403 });
      expect(text).toMatch(/^\{"error":/);
    }
  });

  test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('accepts requests for %s', async (name) => {
    const answer = await ask('GET', '/sandbox/rental/state', { host: `${name}:${port}` });
    expect(answer.status).toBe(200);
  });

  test.each(PLACES)('rejects requests to %s from a page of another origin', async (path) => {
    const others = ['https://elsewhere.example', 'http://localhost:1', 'null', `https://127.0.0.1:${port}`];
    for (const origin of others) expect((await ask('GET', path, { origin })).status, origin).toBe(403);
    for (const site of ['cross-site', 'same-site']) {
      const image = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
      expect((await ask('GET', path, image)).status, site).toBe(403);
    }
  });

  test.each([
    ['POST', CHAT, '{"text":"hello"}'],
    ['POST', '/sandbox/reset', ''],
    ['POST', '/api/v1/energy/buy', '{}'],
    ['POST', `/telegram/bot${TOKEN}/sendMessage`, '{"chat_id":501,"text":"hello"}'],
    ['DELETE', `${CHAT}/1`, ''],
    ['POST', '/updates/telegram', '{}'],
  ])('rejects %s %s from a page of another origin, without effects', async (method, path, body) => {
    await ask('POST', CHAT, JSON_TYPE, '{"text":"before"}');
    const before = await ask('GET', CHAT);
    for (const from of [{ origin: 'https://elsewhere.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect((await ask(method, path, { ...JSON_TYPE, ...from }, body)).status).toBe(403);
    }
    expect((await ask('GET', CHAT)).text).toBe(before.text);
  });

  test.each(PLACES)('rejects a preflight request for %s', async (path) => {
    const { status, headers } = await ask('OPTIONS', path, {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key, content-type',
    });
    expect(status).toBe(403);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['an unspecified type', {}],
  ])('rejects a control API body of %s', async (_what, headers) => {
    for (const length of [{ 'content-length': '16' }, { 'transfer-encoding': 'chunked' }]) {
      for (const path of [CHAT, CHAT.replace('/sandbox', '/%73andbox')]) {
        const { status } = await ask('POST', path, { ...headers, ...length }, '{"text":"hello"}');
        expect(status).toBe(415);
      }
    }
    expect((await ask('GET', CHAT)).text).toBe('[]');
  });

  const FORM = { 'content-type': 'multipart/form-data; boundary=x' };
  const FILE =
    '--x\r\ncontent-disposition: form-data; name="document"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n';

  test('accepts a message with a file as a form from its own page only', async () => {
    const length = { 'content-length': String(FILE.length) };
    for (const from of [{ origin: 'https://elsewhere.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect((await ask('POST', CHAT, { ...FORM, ...length, ...from }, FILE)).status).toBe(403);
    }
    for (const path of ['/sandbox/telegram/updates', '/sandbox/rental/transfers', `${CHAT}/1`]) {
      expect((await ask('POST', path, { ...FORM, ...length }, FILE)).status, path).toBe(415);
    }
    expect((await ask('GET', CHAT)).text).toBe('[]');
    const own = { origin: server.origin, 'sec-fetch-site': 'same-origin' };
    expect((await ask('POST', CHAT, { ...FORM, ...length, ...own }, FILE)).status).toBe(200);
    expect((await ask('GET', CHAT)).text).toContain('a.txt');
  });

  test('requires no content type for a control API request without a body', async () => {
    expect((await ask('POST', '/sandbox/reset')).status).toBe(200);
  });

  test('allows its own page everything', async () => {
    const own = { origin: server.origin, 'sec-fetch-site': 'same-origin' };
    expect((await ask('POST', CHAT, { ...JSON_TYPE, ...own }, '{"text":"hello"}')).status).toBe(200);
    expect((await ask('GET', CHAT, { 'sec-fetch-site': 'same-origin' })).text).toContain('hello');
  });

  test('allows links from elsewhere to open pages, but not to call APIs', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    for (const path of ['/', '/api/docs']) expect((await ask('GET', path, link)).status, path).toBe(200);
    for (const path of [CHAT, `/telegram/bot${TOKEN}/sendMessage?chat_id=501&text=hello`, '/livez']) {
      expect((await ask('GET', path, link)).status, path).toBe(403);
    }
    expect((await ask('GET', '/', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  });
});
