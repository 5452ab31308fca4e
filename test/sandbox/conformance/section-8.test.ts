import { describe, expect } from 'vitest';
import { endpoints, readable } from './endpoints.ts';
import { ADDRESS, buyEnergy, units, withdraw } from './samples.ts';
import { createTarget, LIMIT_HEADERS } from './target.ts';

const { reads, controls } = createTarget();
const limits = ({ headers }: { headers: Headers }) => LIMIT_HEADERS.map((name) => Number(headers.get(name)));

describe('8. Rate limits (per minute)', () => {
  for (const { method, path, perMinute } of endpoints) {
    const times = `${perMinute} request${perMinute > 1 ? 's' : ''}/minute`;

    controls(`"${method} ${path}: ${times}", not more`, async (target) => {
      for (let i = 1; i <= perMinute; i++) {
        const answer = await target.ask(method, path);
        expect(answer.status).not.toBe(429);
        expect(limits(answer).slice(0, 2)).toEqual([perMinute, perMinute - i]);
      }
      const refused = await target.ask(method, path);
      expect(refused.status).toBe(429);
      expect(limits(refused).slice(0, 2)).toEqual([perMinute, 0]);
    });

    controls(`"${method} ${path}: ${times}": the same number again a minute later`, async (target) => {
      await Promise.all(Array.from({ length: perMinute + 1 }, () => target.ask(method, path)));
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

  for (const { method, path, body, perMinute } of endpoints) {
    controls(
      `${method} ${path}: accepted, invalid, unauthorized and rate-limited responses`,
      async (target) => {
        expectIntegers(await target.ask(method, path, { body }));
        expectIntegers(await target.ask(method, path, { body: body && '{' }));
        expectIntegers(await target.ask(method, path, { key: 'nobody-has-this' }));
        await Promise.all(Array.from({ length: perMinute }, () => target.ask(method, path)));
        const limited = await target.ask(method, path);
        expect(limited.status).toBe(429);
        expectIntegers(limited);
      },
    );
  }

  controls('responses to unknown paths and ids have them too', async (target) => {
    expectIntegers(await target.ask('GET', '/nowhere'));
    expectIntegers(await target.ask('GET', '/invoices/987654321'));
  });
});

/** Values at the edges of each limit. Section 4 rejects the values just beyond. */
const values: [item: string, path: string, field: string, body: object, accepted: number[]][] = [
  ['energy_amount (buy)', '/energy/buy', 'energy_amount', { duration_hours: 1 }, [32_000, 5_000_000]],
  ['energy_amount (invoice)', '/invoices', 'energy_amount', { duration_hours: 1 }, [32_000, 5_000_000]],
  ['energy duration_hours', '/energy/buy', 'duration_hours', { energy_amount: 32_000 }, [1, 24]],
  ['invoice duration_hours', '/invoices', 'duration_hours', { energy_amount: 32_000 }, [1, 24]],
  ['bandwidth_amount', '/bandwidth/buy', 'bandwidth_amount', { duration_hours: 1 }, [350, 100_000]],
  ['invoice transfer_count', '/invoices', 'transfer_count', { duration_hours: 1 }, [1, 100]],
];

describe('8. Value limits and constants', () => {
  for (const [item, path, field, body, accepted] of values) {
    for (const value of accepted) {
      controls(`${item}: accepts ${value}`, async (target) => {
        const asked = { body: { address: ADDRESS, ...body, [field]: value } };
        expect(await target.ask('POST', path, asked)).toMatchObject({ status: 200 });
      });
    }
  }

  controls('"energy for a first-time USDT recipient: 131,000": it can be bought', async (target) => {
    expect(await buyEnergy(target, { energy_amount: 131_000 })).toMatchObject({ energy_amount: 131_000 });
  });

  controls('"Minimum or maximum withdrawal amount: not shown": a sun can be withdrawn', async (target) => {
    expect(units((await withdraw(target, { amount_trx: '0.000001' })).amount_trx)).toBe(1n);
  });
});
