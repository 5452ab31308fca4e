import { expect, test, vi } from 'vitest';
import type { RentalWebhook } from '../../src/web/webhooks.ts';
import { seen, serveWeb } from './web-server.ts';

const HEADER = 'X-Webhook-Signature';

async function serve(receive: RentalWebhook['receive'] = async () => 'taken') {
  const received = vi.fn(receive);
  const find = vi.fn(async (name: string) =>
    name.startsWith('unknown') ? undefined : { account: 1001, secrets: [`the secret of ${name}`] },
  );
  let now = 0;
  const refused = vi.fn<RentalWebhook['refused']>();
  const web = await serveWeb({
    events: {
      ...{ path: '/events/:hook', signatureHeader: HEADER, now: () => now },
      ...{ find, receive: received, refused },
    },
  });
  const pass = (ms: number) => {
    now += ms;
  };
  const refusals = () => refused.mock.calls.map(([why]) => why);
  return { ...web, received, find, pass, refusals };
}

test('passes on a delivery with its webhook, signature and exact bytes', async () => {
  const { post, received } = await serve();
  const body = Buffer.from('{ "event" : "order.filled",\n "data": {"é": "\\u00e9"} }\0\xff', 'latin1');
  const answer = await post('/events/s3cret-hook', body, { [HEADER]: 'abc123' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
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
  const { post, get, find, refusals } = await serve(async () => 'refused');
  const nowhere = await seen(await post('/no/such/path', '{}'));
  expect(nowhere).toMatchObject({ status: 404, body: '' });
  const answers = [
    await post('/events/wrong-hook', '{}', { [HEADER]: 'abc' }),
    await post('/events/hook', 'not JSON', { [HEADER]: 'wrong' }),
    await post('/events/', '{}'),
    await get('/events/hook'),
    await post(`/events/${'x'.repeat(101)}`, '{}'),
  ];
  for (const answer of answers) expect(await seen(answer)).toEqual(nowhere);
  // Only a path that is too long is counted here. The receiver counts all others.
  expect(refusals()).toEqual(['hook']);
  expect(find).not.toHaveBeenCalledWith('x'.repeat(101));
});

test('does not read more than 64 kilobytes', async () => {
  const { post, received, refusals } = await serve();
  expect((await post('/events/hook', 'x'.repeat(64 * 1024 + 1))).status).toBe(413);
  expect(refusals()).toEqual(['size']);
  // For known and unknown paths alike.
  expect((await post('/events/unknown', 'x'.repeat(300 * 1024))).status).toBe(413);
  expect((await post('/events/hook', 'x'.repeat(64 * 1024))).status).toBe(200);
  expect(received).toHaveBeenCalledTimes(1);
});

test('accepts 50 deliveries a second per webhook and rejects others with 429', async () => {
  const { post, find, received, pass, refusals } = await serve();
  const statuses = new Map<number, number>();
  for (const answer of await Promise.all(Array.from({ length: 60 }, () => post('/events/hook', '{}')))) {
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  expect(statuses).toEqual(
    new Map([
      [200, 50],
      [429, 10],
    ]),
  );
  expect(received).toHaveBeenCalledTimes(50);
  expect(refusals()).toEqual(Array.from({ length: 10 }, () => 'rate'));
  // Rejected deliveries cause no lookup in the storage.
  expect(find).toHaveBeenCalledTimes(50);
  const over = await post('/events/hook', '{}');
  expect([over.status, over.headers.get('Retry-After'), await over.text()]).toEqual([429, '1', '']);
  expect((await post('/events/other', '{}')).status).toBe(200);
  pass(1_000);
  expect((await post('/events/hook', '{}')).status).toBe(200);
});

test('responds with an empty 500 if a delivery could not be stored, and logs no path', async () => {
  const { post, lines } = await serve(() => Promise.reject(new Error('redis is away')));
  const answer = await post('/events/s3cret-hook', '{}');
  expect([answer.status, await answer.text()]).toEqual([500, '']);
  expect(lines.lines()).toMatchObject([{ level: 'error', err: { message: 'redis is away' } }]);
  expect(lines.texts.join()).not.toContain('s3cret-hook');
});

test('responds with 500 before reading the body if the lookup failed', async () => {
  const { post, find, received } = await serve();
  find.mockRejectedValueOnce(new Error('redis is away'));
  expect((await post('/events/hook', '{}')).status).toBe(500);
  expect(received).not.toHaveBeenCalled();
});
