import { describe, expect } from 'vitest';
import { endpoints, readable } from './endpoints.ts';
import { units, withdraw } from './samples.ts';
import { createTarget, LIMIT_HEADERS } from './target.ts';

const { reads, controls } = createTarget();
const limits = ({ headers }: { headers: Headers }) => LIMIT_HEADERS.map((name) => Number(headers.get(name)));

describe('8. Rate limits (per minute)', () => {
  for (const { method, path, perMinute } of endpoints) {
    const times = `${perMinute} request${perMinute > 1 ? 's' : ''}/minute`;

    controls(`"${method} ${path}: ${times}", not more, and as many again a minute later`, async (target) => {
      for (let i = 1; i <= perMinute; i++) {
        const answer = await target.ask(method, path);
        expect(answer.status).not.toBe(429);
        expect(limits(answer).slice(0, 2)).toEqual([perMinute, perMinute - i]);
      }
      const refused = await target.ask(method, path);
      expect(refused.status).toBe(429);
      expect(limits(refused).slice(0, 2)).toEqual([perMinute, 0]);
      target.advance(60_000);
      const answer = await target.ask(method, path);
      expect(answer.status).not.toBe(429);
      expect(limits(answer)[1]).toBe(perMinute - 1);
    });
  }

  controls('counts each endpoint and each key separately', async (target) => {
    for (let i = 0; i < 31; i++) await target.ask('POST', '/energy/buy');
    expect((await target.ask('POST', '/bandwidth/buy')).status).not.toBe(429);
    expect((await target.ask('POST', '/energy/buy', { key: 'merchant-key' })).status).not.toBe(429);
  });

  controls('counts an endpoint with a path parameter once for all ids', async (target) => {
    for (let id = 1; id <= 60; id++) await target.ask('GET', `/invoices/${id}`);
    expect((await target.ask('GET', '/invoices/61')).status).toBe(429);
  });
});

describe('8. "Every response carries the headers X-RateLimit-…, each an integer value"', () => {
  const expectIntegers = ({ headers }: { headers: Headers }) => {
    for (const name of LIMIT_HEADERS) expect(headers.get(name), name).toMatch(/^\d+$/);
  };

  for (const { method, path } of readable) {
    reads(`${method} ${path}: accepted and unauthorized responses`, async (service) => {
      const answer = await service.ask(method, path);
      expectIntegers(answer);
      expect(limits(answer)[0]).toBeGreaterThan(0);
      expectIntegers(await service.ask(method, path, { key: null }));
    });
  }
});

describe('8. Value limits and constants', () => {
  controls('"Minimum or maximum withdrawal amount: not shown": a sun can be withdrawn', async (target) => {
    expect(units((await withdraw(target, { amount_trx: '0.000001' })).amount_trx)).toBe(1n);
  });
});
