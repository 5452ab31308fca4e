import { expect, test, vi } from 'vitest';
import type { Receive } from '../../src/telegram/update-queue.ts';
import { createWeb } from '../../src/web/server.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';
import { serveWeb } from './web-server.ts';

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
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
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
    const answer = await post(body, headers);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toBe('');
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

test.each(['', 'not JSON', 'null', '[]', '{}', '{"update_id":"7"}'])(
  'rejects the body %j with an empty 400',
  async (body) => {
    const { post, received } = await serve();
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toBe('');
    expect(received).not.toHaveBeenCalled();
  },
);

test('rejects a body of more than a megabyte, with and without a declared length', async () => {
  const { post, received } = await serve();
  const big = JSON.stringify({ ...update, filler: 'x'.repeat(1024 * 1024) });
  expect((await post(big)).status).toBe(413);
  const web = createWeb({
    log: silentLog(),
    ready: async () => true,
    updates: { path: PATH, secretTokens: [SECRET], receive: received },
  });
  const streamed = new Request(`http://localhost${PATH}`, {
    method: 'POST',
    headers: { [HEADER]: SECRET },
    body: new Blob([big]).stream(),
    duplex: 'half',
  });
  expect((await web.fetch(streamed)).status).toBe(413);
  expect(received).not.toHaveBeenCalled();
});

test('responds to a busy chat with 503 and a delay of one second', async () => {
  const { post } = await serve(async () => ({ kind: 'busy' }));
  const answer = await post(JSON.stringify(update));
  expect([answer.status, answer.headers.get('Retry-After'), await answer.text()]).toEqual([503, '1', '']);
});

test('responds to a failed update with an empty 500', async () => {
  const { post } = await serve(async () => ({ kind: 'failed' }));
  const answer = await post(JSON.stringify(update));
  expect([answer.status, await answer.text()]).toEqual([500, '']);
});

test('responds with 503 and the delay if Telegram delays the update’s reply', async () => {
  const { post } = await serve(async () => ({ kind: 'failed', afterMs: 8_500 }));
  const answer = await post(JSON.stringify(update));
  expect([answer.status, answer.headers.get('Retry-After'), await answer.text()]).toEqual([503, '9', '']);
});

test('responds with 500 and logs an error if the handler throws', async () => {
  const { post, lines } = await serve(() => Promise.reject(new Error('redis is away')));
  const answer = await post(JSON.stringify(update));
  expect([answer.status, await answer.text()]).toEqual([500, '']);
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
  expect(() => createWeb({ log: silentLog(), ready: async () => true, updates })).toThrow(RangeError);
});
