import { expect, test } from 'vitest';
import type { Readiness } from '../../src/web/health.ts';
import { serveWeb } from './web-server.ts';

test('the process is alive whatever it can do', async () => {
  const { get } = await serveWeb({ ready: async () => false });
  const answer = await get('/livez');
  expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
});

test('it is ready when it says so', async () => {
  const { get, lines } = await serveWeb({ ready: async () => true });
  const answer = await get('/readyz');
  expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
  expect(lines.lines()).toEqual([]);
});

test.each<[string, Readiness, string]>([
  ['says why not', async () => 'redis is away', 'redis is away'],
  ['says no', async () => false, 'not ready'],
  ['fails to say', () => Promise.reject(new Error('redis is away')), 'redis is away'],
])('when it %s, only the log tells the reason', async (_, ready, reason) => {
  const { get, lines } = await serveWeb({ ready });
  const answer = await get('/readyz');
  expect([answer.status, await answer.text()]).toEqual([503, '']);
  expect(lines.lines()).toMatchObject([{ level: 'warn', reason, msg: 'not ready' }]);
});

test('a reason is told once, until it is over or another', async () => {
  const states = ['redis is away', 'redis is away', true, 'redis is away', 'telegram is away'];
  const { get, lines } = await serveWeb({ ready: async () => states.shift() ?? false });
  for (const status of [503, 503, 200, 503, 503]) expect((await get('/readyz')).status).toBe(status);
  const reasons = lines.lines().map(({ reason }) => reason);
  expect(reasons).toEqual(['redis is away', 'redis is away', 'telegram is away']);
});
