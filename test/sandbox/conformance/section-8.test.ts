import { describe, expect } from 'vitest';
import { ADDRESS, addressOf } from './addresses.ts';
import { units } from './amounts.ts';
import { endpoints, readable } from './endpoints.ts';
import { PackageTiers } from './resources.ts';
import { buyBandwidth, buyEnergy, createInvoice, withdraw } from './samples.ts';
import { LIMIT_HEADERS } from './service.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { reads, controls } = createTarget();
const limits = ({ headers }: { headers: Headers }) => LIMIT_HEADERS.map((name) => Number(headers.get(name)));

describe('8. Rate limits (per minute)', () => {
  for (const { method, path, perMinute } of endpoints) {
    const times = `${perMinute} request${perMinute > 1 ? 's' : ''}/minute`;

    controls(`"${method} ${path}: ${times}", and not one more`, async (target) => {
      for (let i = 1; i <= perMinute; i++) {
        const answer = await target.ask(method, path);
        expect(answer.status).not.toBe(429);
        expect(limits(answer).slice(0, 2)).toEqual([perMinute, perMinute - i]);
      }
      const refused = await target.ask(method, path);
      expect(refused.status).toBe(429);
      expect(limits(refused).slice(0, 2)).toEqual([perMinute, 0]);
    });

    controls(`"${method} ${path}: ${times}": as many again a minute later`, async (target) => {
      for (let i = 0; i <= perMinute; i++) await target.ask(method, path);
      target.advance(60_000);
      const answer = await target.ask(method, path);
      expect(answer.status).not.toBe(429);
      expect(limits(answer)[1]).toBe(perMinute - 1);
    });
  }

  controls('each endpoint is counted for itself, and each key', async (target) => {
    for (let i = 0; i < 31; i++) await target.ask('POST', '/energy/buy');
    expect((await target.ask('POST', '/bandwidth/buy')).status).not.toBe(429);
    expect((await target.ask('POST', '/energy/buy', { key: 'merchant-key' })).status).not.toBe(429);
  });

  controls('an endpoint with a path parameter is one endpoint, whatever the id', async (target) => {
    for (let id = 1; id <= 60; id++) await target.ask('GET', `/invoices/${id}`);
    expect((await target.ask('GET', '/invoices/61')).status).toBe(429);
  });
});

describe('8. "Every response carries the headers X-RateLimit-…, each an integer value"', () => {
  const expectIntegers = ({ headers }: { headers: Headers }) => {
    for (const name of LIMIT_HEADERS) expect(headers.get(name), name).toMatch(/^\d+$/);
  };

  for (const { method, path } of readable) {
    reads(`${method} ${path}: what is granted, and what is not`, async (service) => {
      const answer = await service.ask(method, path);
      expectIntegers(answer);
      expect(limits(answer)[0]).toBeGreaterThan(0);
      expectIntegers(await service.ask(method, path, { key: null }));
    });
  }

  for (const { method, path, body, perMinute } of endpoints) {
    controls(`${method} ${path}: accepted, invalid, unauthorised, limited`, async (target) => {
      expectIntegers(await target.ask(method, path, { body }));
      expectIntegers(await target.ask(method, path, { body: body && '{' }));
      expectIntegers(await target.ask(method, path, { key: 'nobody-has-this' }));
      for (let i = 0; i < perMinute; i++) await target.ask(method, path);
      const limited = await target.ask(method, path);
      expect(limited.status).toBe(429);
      expectIntegers(limited);
    });
  }

  controls('an unknown path and an unknown id carry them too', async (target) => {
    expectIntegers(await target.ask('GET', '/nowhere'));
    expectIntegers(await target.ask('GET', '/invoices/987654321'));
  });
});

/** A limit of the table: the values at its edges and those one past them. */
const values: [
  item: string,
  path: string,
  field: string,
  body: object,
  taken: unknown[],
  refused: unknown[],
][] = [
  [
    'energy_amount (buy)',
    '/energy/buy',
    'energy_amount',
    { duration_hours: 1 },
    [32_000, 5_000_000],
    [31_999, 5_000_001],
  ],
  [
    'energy_amount (invoice)',
    '/invoices',
    'energy_amount',
    { duration_hours: 1 },
    [32_000, 5_000_000],
    [31_999, 5_000_001],
  ],
  [
    'energy duration_hours',
    '/energy/buy',
    'duration_hours',
    { energy_amount: 32_000 },
    [1, 24],
    [0, 2, 23, 25],
  ],
  [
    'invoice duration_hours',
    '/invoices',
    'duration_hours',
    { energy_amount: 32_000 },
    [1, 24],
    [0, 2, 23, 25],
  ],
  [
    'bandwidth_amount',
    '/bandwidth/buy',
    'bandwidth_amount',
    { duration_hours: 1 },
    [350, 100_000],
    [349, 100_001],
  ],
  ['invoice transfer_count', '/invoices', 'transfer_count', { duration_hours: 1 }, [1, 100], [0, 101]],
];

describe('8. Value limits and constants', () => {
  for (const [item, path, field, body, taken, refused] of values) {
    for (const value of taken)
      controls(`${item}: ${value} is taken`, async (target) => {
        const answer = await target.ask('POST', path, {
          body: { address: ADDRESS, ...body, [field]: value },
        });
        expect(answer).toMatchObject({ status: 200 });
      });
    for (const value of refused)
      controls(`${item}: ${value} is refused`, async (target) => {
        const answer = await target.ask('POST', path, {
          body: { address: ADDRESS, ...body, [field]: value },
        });
        expect(answer).toMatchObject({ status: 422 });
      });
  }

  controls('"energy per transfer for invoices: 65,000"', async (target) => {
    const fields = { energy_amount: undefined, transfer_count: 1 };
    expect(await createInvoice(target, fields)).toMatchObject({ energy_amount: 65_000 });
  });

  controls('"energy for a first-time USDT recipient: 131,000": it can be bought', async (target) => {
    expect(await buyEnergy(target, { energy_amount: 131_000 })).toMatchObject({ energy_amount: 131_000 });
  });

  controls('"invoice lifetime: 30 minutes"', async (target) => {
    const { expires_at } = await createInvoice(target);
    expect(Date.parse(expires_at) - target.now()).toBe(30 * 60_000);
  });

  reads('"custom transfer package size: 1 to 10,000"', async (service) => {
    const { min_custom_size, max_custom_size } = await service.get('/transfer-packages/tiers', PackageTiers);
    expect([min_custom_size, max_custom_size]).toEqual([1, 10_000]);
  });

  const charged = async (target: SandboxTarget, kind: string, body: object, path: string) => {
    const { status, text } = await target.ask('POST', path, { body });
    expect([status, text]).toEqual([200, expect.anything()]);
    const { ledger } = await target.state();
    return ledger.filter((entry) => entry.kind === kind);
  };

  controls('"withdrawal fee: 1 TRX"', async (target) => {
    const { fee_trx } = await withdraw(target);
    expect(units(fee_trx)).toBe(1_000_000n);
  });

  controls('"address activation cost: 1.1 TRX"', async (target) => {
    const [entry] = await charged(target, 'activation', { address: addressOf('new') }, '/energy/activate');
    expect(units(entry?.amount_trx ?? '0')).toBe(-1_100_000n);
  });

  controls(
    '"bandwidth fixed fee: 0.2 TRX": twice the bandwidth costs twice the price less one fee',
    async (target) => {
      const [one, two] = [
        await buyBandwidth(target),
        await buyBandwidth(target, { bandwidth_amount: 2_000 }),
      ];
      expect(2n * units(one.price_trx) - units(two.price_trx)).toBe(200_000n);
    },
  );

  reads('"BW Guarantee fee: 0.3 TRX per transfer"', async (service) => {
    const { bw_fee_per_transfer } = await service.get('/transfer-packages/tiers', PackageTiers);
    expect(Number(bw_fee_per_transfer)).toBe(0.3);
  });

  controls('"Minimum or maximum withdrawal amount: not shown": a sun can be withdrawn', async (target) => {
    expect(units((await withdraw(target, { amount_trx: '0.000001' })).amount_trx)).toBe(1n);
  });
});
