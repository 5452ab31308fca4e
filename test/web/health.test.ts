import { expect, test } from 'vitest';
import type { Readiness } from '../../src/web/server.ts';
import { serveWeb } from './web-server.ts';

test('is alive even if it is not ready', async () => {
  const { get } = await serveWeb({ ready: async () => false });
  const answer = await get('/livez');
  expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
});

test('is ready if its check says so', async () => {
  const { get, lines } = await serveWeb({ ready: async () => true });
  const answer = await get('/readyz');
  expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
  expect(lines.lines()).toEqual([]);
});

test.each<[string, Readiness, string]>([
  ['gives a reason', async () => 'redis is away', 'redis is away'],
  ['returns false', async () => false, 'not ready'],
  ['throws', () => Promise.reject(new Error('redis is away')), 'redis is away'],
])('logs the reason and responds with an empty 503 if the check %s', async (_, ready, reason) => {
  const { get, lines } = await serveWeb({ ready });
  const answer = await get('/readyz');
  expect([answer.status, await answer.text()]).toEqual([503, '']);
  expect(lines.lines()).toMatchObject([{ level: 'warn', reason, msg: 'not ready' }]);
});

test('logs a reason again only after it ended or changed', async () => {
  const states = ['redis is away', 'redis is away', true, 'redis is away', 'telegram is away'];
  const { get, lines } = await serveWeb({ ready: async () => states.shift() ?? false });
  for (const status of [503, 503, 200, 503, 503]) expect((await get('/readyz')).status).toBe(status);
  const reasons = lines.lines().map(({ reason }) => reason);
  expect(reasons).toEqual(['redis is away', 'redis is away', 'telegram is away']);
});
