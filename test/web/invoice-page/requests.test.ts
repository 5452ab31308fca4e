import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { serveWeb, visibleParts } from '../web-server.ts';
import { INVOICE, servePage, TOKEN } from './served-page.ts';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

test('serves no page if the feature is not configured', async () => {
  const { get } = await serveWeb({});
  expect(await visibleParts(await get(`/i/${TOKEN}`))).toMatchObject({ status: 404, body: '' });
});

test('changes nothing on GET and HEAD', async () => {
  const page = await servePage();
  page.setState('delivered');
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['', '/status', '?lang=ru']) {
      for (let times = 0; times < 3; times++) {
        const answer = await page.fetchPage(path, { method });
        expect(answer.status).toBe(200);
        expect((await answer.text()) === '').toBe(method === 'HEAD');
      }
    }
    expect((await page.fetchPage('/opened', { method })).status).toBe(405);
  }
  expect(page.calls).toMatchObject({ opened: [], checked: [] });
});

test('rejects other methods, for known and unknown links', async () => {
  const page = await servePage();
  for (const token of [TOKEN, 'unknown']) {
    for (const method of METHODS) {
      const answer = await page.fetchPath(`/i/${token}/status`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    for (const method of METHODS.slice(1)) {
      const answer = await page.fetchPath(`/i/${token}`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    }
    for (const method of ['GET', ...METHODS.slice(1)]) {
      const answer = await page.fetchPath(`/i/${token}/opened`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  }
  expect(page.calls).toEqual({ find: [], opened: [], checked: [] });
});

test('records that the page’s script opened it', async () => {
  const page = await servePage();
  const tell = (headers: Record<string, string>) => page.fetchPage('/opened', { method: 'POST', headers });
  const answer = await tell({ 'Sec-Fetch-Site': 'same-origin' });
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  // Older browsers send only the origin.
  expect((await tell({ Origin: page.origin })).status).toBe(204);
  expect(page.calls).toMatchObject({ opened: ['op-77aa88bb', 'op-77aa88bb'] });
});

test('checks the payment by a form, and shows the result on a page that checks nothing', async () => {
  let isAnswered = true;
  const page = await servePage({
    checkPayment: async (ref) => (isAnswered ? { ...INVOICE, ...ref } : undefined),
  });
  expect(await (await page.fetchPage()).text()).toContain('<form method="post">');
  const post = (path = '') =>
    page.fetchPage(path, {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      redirect: 'manual',
    });
  const answer = await post('?lang=ru');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `./${TOKEN}?lang=ru&checked=unpaid`]);
  const shown = async (path: string) => (await page.fetchPage(path)).text();
  expect(await shown('?checked=unpaid')).toContain('No full payment yet');
  page.setState('unreported');
  const unreported = await shown('?checked=unpaid');
  expect(unreported).toContain("can't tell whether this was paid");
  expect(unreported).not.toMatch(/No full payment yet|reports no full payment/);
  page.setState('over');
  expect(await shown('?checked=unpaid')).toContain('The service reports no full payment for this invoice.');
  isAnswered = false;
  expect((await post()).headers.get('location')).toBe(`./${TOKEN}?checked=not-answered`);
  expect(await shown('?checked=not-answered')).toContain("The service isn't responding");
  page.setState('paid');
  expect(await shown('?checked=unpaid')).not.toContain('No full payment yet');
});

test('rejects openings and checks that other sites report, for known and unknown links', async () => {
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
      for (const path of ['', '/opened']) {
        const answer = await page.fetchPath(`/i/${token}${path}`, { method: 'POST', headers });
        expect([answer.status, await answer.text()]).toEqual([403, '']);
      }
    }
  }
  expect(page.calls).toEqual({ find: [], opened: [], checked: [] });
});

test('returns the same response for unknown, malformed, expired and revoked links', async () => {
  const page = await servePage();
  const nothing = await visibleParts(await page.fetchPath('/i/nothing'));
  expect(nothing.status).toBe(404);
  expect(nothing.body).toContain('Invoice not found');
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
  for (const token of malformed)
    expect(await visibleParts(await page.fetchPath(`/i/${token}`)), token).toEqual(nothing);
  for (let at = 0; at < 200; at++) {
    const guess = randomBytes(24).toString('base64url');
    const path = ['', '/status', '?lang=en'][at % 3];
    expect(await visibleParts(await page.fetchPath(`/i/${guess}${path}`))).toEqual(nothing);
  }
  page.change(undefined);
  for (const path of ['', '/status']) expect(await visibleParts(await page.fetchPage(path))).toEqual(nothing);
  const told = { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } };
  expect(await visibleParts(await page.fetchPage('/opened', told))).toEqual(nothing);
  const russian = await visibleParts(await page.fetchPage('?lang=ru'));
  expect(russian).toEqual(await visibleParts(await page.fetchPath('/i/nothing?lang=ru')));
  expect(russian.body).toContain('Счёт не найден');
  expect(page.calls.opened).toEqual([]);
});

test('makes one lookup per guessed link', async () => {
  const page = await servePage();
  for (const path of ['', '/status']) await page.fetchPath(`/i/unknown${path}`);
  expect(page.calls.find).toHaveLength(2);
});

test('responds 503 without payment details if the record is unreadable, and logs no token', async () => {
  const page = await servePage({ find: () => Promise.reject(new Error('redis is away')) });
  const answer = await page.fetchPage();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain("don't pay until then");
  expect(page.lines.lines()).toMatchObject([{ level: 'error', err: { message: 'redis is away' } }]);
  expect(page.lines.texts.join()).not.toContain(TOKEN);
});

test('logs nothing for a page', async () => {
  const page = await servePage();
  await page.fetchPage();
  await page.fetchPath('/i/unknown');
  expect(page.lines.texts).toEqual([]);
});

test('limits requests per client and in total before any lookup', async () => {
  const page = await servePage({ rates: { client: 3, all: 5 } });
  const ask = async (client: string) =>
    (await fetch(`${page.url}/status`, { headers: { 'X-Forwarded-For': client } })).status;
  expect([await ask('1.1.1.1'), await ask('1.1.1.1'), await ask('1.1.1.1')]).toEqual([200, 200, 200]);
  expect(await ask('1.1.1.1')).toBe(429);
  expect([await ask('2.2.2.2'), await ask('2.2.2.2'), await ask('2.2.2.2')]).toEqual([200, 200, 429]);
  expect(page.calls.find).toHaveLength(5);
  page.advance(1_000);
  expect(await ask('1.1.1.1')).toBe(200);
});
