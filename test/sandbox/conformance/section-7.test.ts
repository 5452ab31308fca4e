import { describe, expect } from 'vitest';
import { endpoints } from './endpoints.ts';
import { TooManyRequests } from './resources.ts';
import { createTarget } from './target.ts';

const { controls } = createTarget();

describe('7. "429: the per-minute request limit of an endpoint is exceeded"', () => {
  controls(
    '"JSON object with detail (string) giving a message with a wait time in seconds"',
    async (target) => {
      for (let i = 0; i < 30; i++) await target.ask('POST', '/energy/buy');
      target.advance(20_000);
      const { status, headers, text } = await target.ask('POST', '/energy/buy');
      expect(status).toBe(429);
      expect(headers.get('Content-Type')).toMatch(/^application\/json/);
      const { detail } = TooManyRequests.parse(JSON.parse(text));
      const [seconds] = /\d+/.exec(detail) ?? [];
      expect(Number(seconds)).toBe(40);
    },
  );

  controls('executes no rate-limited request', async (target) => {
    for (const { method, path, perMinute, body } of endpoints) {
      if (method === 'GET') continue;
      for (let i = 0; i < perMinute; i++) await target.ask(method, path, { body: '' });
      const before = await target.state();
      expect(await target.ask(method, path, { body })).toMatchObject({ status: 429 });
      expect(await target.state()).toEqual(before);
    }
  });
});

describe('7. "Status codes, codes and bodies for all other error cases: not shown"', () => {
  for (const [what, method, path, asked, status] of [
    ['invalid input', 'POST', '/energy/buy', { body: {} }, 422],
    ['an unknown id', 'GET', '/invoices/987654321', {}, 404],
    ['an authentication failure', 'GET', '/account/profile', { key: null }, 401],
    ['an unknown path', 'GET', '/nowhere', {}, 404],
    ['an unknown path without a key', 'GET', '/nowhere', { key: null }, 401],
  ] as const) {
    controls(`${what} gets ${status} with a JSON detail`, async (target) => {
      const answer = await target.ask(method, path, asked);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(JSON.parse(answer.text)).toHaveProperty('detail');
    });
  }
});
