import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createAdaptorServer } from '@hono/node-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/server.ts';

const TOKEN = '700:own-pages';
const JSON_TYPE = { 'content-type': 'application/json' };
const CHAT = '/sandbox/telegram/chats/501/messages';
let sandbox: Sandbox;
let server: Server;
let port: number;

beforeEach(async () => {
  sandbox = createSandbox({ token: TOKEN });
  sandbox.setFallback(() => new Response('the app'));
  server = createAdaptorServer({ fetch: sandbox.fetch }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  sandbox.stop();
  server.close();
  server.closeAllConnections();
});

/** Sends a request with any headers, which a browser's page can't do but other programs can. */
async function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}, body = '') {
  const asked = request({ host: '127.0.0.1', port, method, path, headers });
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
  const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
  expect((await ask('POST', CHAT, { ...FORM, ...length, ...own }, FILE)).status).toBe(200);
  expect((await ask('GET', CHAT)).text).toContain('a.txt');
});

test('requires no content type for a control API request without a body', async () => {
  expect((await ask('POST', '/sandbox/reset')).status).toBe(200);
});

test('allows its own page everything', async () => {
  const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
  expect((await ask('POST', CHAT, { ...JSON_TYPE, ...own }, '{"text":"hello"}')).status).toBe(200);
  expect((await ask('GET', CHAT, { 'sec-fetch-site': 'same-origin' })).text).toContain('hello');
});

test('allows links from elsewhere to open pages, but not to call APIs', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  for (const path of ['/', '/api/docs']) expect((await ask('GET', path, link)).status, path).toBe(200);
  for (const path of [CHAT, `/telegram/bot${TOKEN}/sendMessage?chat_id=501&text=hello`, '/livez']) {
    expect((await ask('GET', path, link)).status, path).toBe(403);
  }
  expect((await ask('GET', '/', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
});
