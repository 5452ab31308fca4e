import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/sandbox/rental/endpoints.ts';
import { serveRental } from './rental-server.ts';

describe.each(endpoints.map(({ method, path }) => [method, path] as const))('%s %s', (method, path) => {
  it.each([
    ['no key', null],
    ['an empty key', ''],
    ['an unknown key', 'Demo-Key'],
  ])('rejects %s', async (_, key) => {
    const rental = await serveRental();
    const { status, json } = await rental.ask(method, path, { key });
    expect(status).toBe(401);
    expect(json).toEqual({ detail: { error: { code: 'INVALID_API_KEY', message: expect.any(String) } } });
  });

  it('carries the rate limit as integers on every response', async () => {
    const rental = await serveRental();
    for (const key of ['demo-key', 'unknown-key']) {
      const { headers } = await rental.request(method, path, { key });
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
        expect(headers.get(name), name).toMatch(/^\d+$/);
      }
    }
  });
});

describe('an unknown path', () => {
  it('returns 404 with the headers of every response', async () => {
    const rental = await serveRental();
    for (const [method, path] of [
      ['GET', '/energy/buy'],
      ['POST', '/nowhere'],
    ] as const) {
      const response = await rental.request(method, path);
      expect(response.status).toBe(404);
      expect(response.headers.get('x-ratelimit-limit')).toBe('60');
      expect(await response.json()).toEqual({ detail: 'Not Found' });
    }
  });

  it('returns 401 without a key', async () => {
    const rental = await serveRental();
    expect((await rental.ask('GET', '/nowhere', { key: null })).status).toBe(401);
  });
});
