import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seen, serveWeb } from '../web-server.ts';
import { servePage, TOKEN } from './served-page.ts';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

test('without its part there is no page', async () => {
  const { get } = await serveWeb({});
  expect(await seen(await get(`/i/${TOKEN}`))).toMatchObject({ status: 404, body: '' });
});

test('GET and HEAD change nothing, however often they come', async () => {
  const page = await servePage();
  page.stand('delivered');
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['', '/status', '/events', '?lang=ru']) {
      for (let times = 0; times < 3; times++) {
        const answer = await page.ask(path, { method });
        expect(answer.status).toBe(200);
        expect((await answer.text()) === '').toBe(method === 'HEAD');
      }
    }
    expect((await page.ask('/opened', { method })).status).toBe(405);
  }
  expect(page.calls).toMatchObject({ opened: [], expect: [] });
});

test('HEAD opens no stream', async () => {
  const page = await servePage();
  const answer = await page.ask('/events', { method: 'HEAD' });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(page.ticking()).toBe(0);
});

test('other methods are not for the page, whoever asks about what', async () => {
  const page = await servePage();
  for (const token of [TOKEN, 'unknown']) {
    for (const method of METHODS) {
      for (const path of ['', '/status', '/events']) {
        const answer = await page.at(`/i/${token}${path}`, { method });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      }
    }
    for (const method of ['GET', ...METHODS.slice(1)]) {
      const answer = await page.at(`/i/${token}/opened`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  }
  expect(page.calls).toEqual({ find: [], opened: [], expect: [] });
});

test('the page’s own script tells that somebody has opened it; the service is asked soon the first time', async () => {
  const page = await servePage();
  const tell = (headers: Record<string, string>) => page.ask('/opened', { method: 'POST', headers });
  const answer = await tell({ 'Sec-Fetch-Site': 'same-origin' });
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  page.change({ openedAt: 1 });
  // An older browser says only where it comes from.
  expect((await tell({ Origin: page.origin })).status).toBe(204);
  expect(page.calls).toMatchObject({ opened: ['op-77aa88bb', 'op-77aa88bb'], expect: ['op-77aa88bb'] });
});

test('nobody else can say so, whether the link is one or not', async () => {
  const page = await servePage();
  const others: Record<string, string>[] = [
    {},
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site', Origin: page.origin },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: `${page.origin}.evil.example` },
  ];
  for (const headers of others) {
    for (const token of [TOKEN, 'unknown']) {
      const answer = await page.at(`/i/${token}/opened`, { method: 'POST', headers });
      expect([answer.status, await answer.text()]).toEqual([403, '']);
    }
  }
  expect(page.calls).toEqual({ find: [], opened: [], expect: [] });
});

test('unknown, malformed, ended and revoked links get the very same answer, thousands of times', async () => {
  const page = await servePage();
  const nothing = await seen(await page.at('/i/nothing'));
  expect(nothing.status).toBe(404);
  expect(nothing.body).toContain('This link leads to no invoice');
  expect(nothing.body).not.toContain('<script');
  const malformed = [
    'a',
    '%00',
    '%2e%2e%2fetc',
    '%F0%9F%98%80',
    '%ff',
    '<script>',
    'x'.repeat(5_000),
    `${TOKEN}x`,
    TOKEN.slice(1),
    TOKEN.toLowerCase(),
    '',
    'a/b/c',
    `${TOKEN}/`,
    `${TOKEN}/nothing`,
  ];
  for (const token of malformed) expect(await seen(await page.at(`/i/${token}`)), token).toEqual(nothing);
  for (let at = 0; at < 2_000; at++) {
    const guess = randomBytes(24).toString('base64url');
    const path = ['', '/status', '/events', '?lang=en'][at % 4];
    expect(await seen(await page.at(`/i/${guess}${path}`))).toEqual(nothing);
  }
  page.change(undefined);
  for (const path of ['', '/status', '/events']) expect(await seen(await page.ask(path))).toEqual(nothing);
  const told = { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } };
  expect(await seen(await page.ask('/opened', told))).toEqual(nothing);
  const russian = await seen(await page.ask('?lang=ru'));
  expect(russian).toEqual(await seen(await page.at('/i/nothing?lang=ru')));
  expect(russian.body).toContain('Эта ссылка не ведёт к счёту');
  expect(page.calls.opened).toEqual([]);
});

test('no guess asks for more than one look', async () => {
  const page = await servePage();
  for (const path of ['', '/status', '/events']) await page.at(`/i/unknown${path}`);
  expect(page.calls.find).toHaveLength(3);
});

test('where the record cannot be read, the page says so and that nothing is to be paid, and no token is in the log', async () => {
  const page = await servePage({ find: () => Promise.reject(new Error('redis is away')) });
  const answer = await page.ask();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain('pay nothing until then');
  expect(page.lines.lines()).toMatchObject([{ level: 'error', err: { message: 'redis is away' } }]);
  expect(page.lines.texts.join()).not.toContain(TOKEN);
});

test('a page leaves no line in the log', async () => {
  const page = await servePage();
  await page.ask();
  await page.at('/i/unknown');
  expect(page.lines.texts).toEqual([]);
});

test('a client that asks too often is put off before anything is looked up, and so are all together', async () => {
  const page = await servePage({ rates: { client: 3, all: 5 } });
  const ask = async (client: string) =>
    (await fetch(`${page.url}/status`, { headers: { 'X-Forwarded-For': client } })).status;
  expect([await ask('1.1.1.1'), await ask('1.1.1.1'), await ask('1.1.1.1')]).toEqual([200, 200, 200]);
  expect(await ask('1.1.1.1')).toBe(429);
  expect([await ask('2.2.2.2'), await ask('2.2.2.2'), await ask('2.2.2.2')]).toEqual([200, 200, 429]);
  expect(page.calls.find).toHaveLength(5);
  await page.pass(1_000);
  expect(await ask('1.1.1.1')).toBe(200);
});
