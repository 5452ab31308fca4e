import { describe, expect } from 'vitest';
import { endpoints } from './endpoints.ts';
import { AccountProfile } from './resources.ts';
import { createTarget } from './target.ts';

const { reads, controls } = createTarget();

describe('9. "The version is carried in the path prefix /api/v1/ (sample calls use /v1/)"', () => {
  reads('{base_url}/v1/<resource path> is the endpoint', async (service) => {
    await service.get('/account/profile', AccountProfile);
  });

  const elsewhere = (origin: string, path: string, key: string) =>
    fetch(`${origin}${path}`, { headers: { 'X-API-Key': key } });

  controls('/api/v1/<resource path> is the reference form', async (target) => {
    const { origin } = new URL(target.baseUrl);
    for (const { method, path } of endpoints) {
      const headers = { 'X-API-Key': 'nobody-has-this' };
      const { status } = await fetch(`${origin}/api/v1${path}`, { method, headers });
      expect(status, path).toBe(401);
    }
  });

  for (const prefix of ['/api', '/api/v2', '/api/V1', '/v1', '']) {
    controls(`"Only version 1 is described": nothing is served below ${prefix || '/'}`, async (target) => {
      const { origin } = new URL(target.baseUrl);
      const { status, headers } = await elsewhere(origin, `${prefix}/account/profile`, target.key);
      expect(status).toBe(404);
      expect(headers.get('Content-Type')).toMatch(/json/);
    });
  }
});
