import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createClock } from '../../src/sandbox/clock.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/server.ts';

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
  expect(await json(get(`/telegram/bot${TOKEN}/getMe`))).toMatchObject({
    ok: true,
    result: { id: 700 },
  });
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
  const { server, origin } = await listen();
  const cut = fetch(`${origin}/api/v1/energy/buy`, {
    method: 'POST',
    headers: { 'X-API-Key': 'demo-key', 'content-type': 'application/json' },
    body: JSON.stringify(ENERGY),
  });
  await expect(cut).rejects.toThrow('fetch failed');
  expect(await orders()).toHaveLength(1);
  await new Promise((resolve) => server.close(resolve));
});

test('ends open streams when stopped', async () => {
  const { server, origin } = await listen();
  const streams = await Promise.all(
    ['/sandbox/rental/changes', '/sandbox/telegram/chats/501/stream'].map((path) => fetch(origin + path)),
  );
  sandbox.stop();
  for (const stream of streams) await stream.text();
  await new Promise((resolve) => server.close(resolve));
});

function listen(): Promise<{ server: Server; origin: string }> {
  return new Promise((resolve) => {
    const options = { fetch: sandbox.fetch, hostname: '127.0.0.1', port: 0 };
    const server = serve(options, ({ port }: AddressInfo) =>
      resolve({ server, origin: `http://127.0.0.1:${port}` }),
    ) as Server;
  });
}
