import { describe, expect } from 'vitest';
import { events as documented } from '../../../src/sandbox/rental/openapi.ts';
import { readTotpSecret, totpCode, totpStep } from '../../../src/sandbox/rental/two-factor.ts';
import { endpoints, readable } from './endpoints.ts';
import { AccountProfile, TooManyRequests } from './resources.ts';
import {
  ADDRESS,
  activateSmartMode,
  addressOf,
  balance,
  buyBandwidth,
  buyEnergy,
  createInvoice,
  delegatedInvoice,
  eventsOf,
  pay,
  transfer,
  units,
  webhookLog,
  withdraw,
  withdrawals,
} from './samples.ts';
import { createTarget, LIMIT_HEADERS, type SandboxTarget } from './target.ts';

const { reads, controls } = createTarget();
const TOTP = { key: 'totp-key' };
const SECRET = readTotpSecret('JBSWY3DPEHPK3PXP');

describe('5.1 "Every request carries the header X-API-Key"', () => {
  for (const { method, path } of readable) {
    reads(`${method} ${path} rejects a missing or unknown key`, async (service) => {
      for (const key of [null, `unknown-${service.key}`]) {
        const { status, text } = await service.ask(method, path, { key });
        expect(status).toBeOneOf([401, 403]);
        expect(text).not.toContain(service.key);
      }
    });
  }

  for (const { method, path, body } of endpoints) {
    for (const [what, key] of [
      ['no key', null],
      ['an empty key', ''],
      ['an unknown key', 'nobody-has-this'],
      ['a key in another case', 'Demo-Key'],
      ['a part of a key', 'demo-ke'],
      ['more than a key', 'demo-key,merchant-key'],
    ] as const) {
      controls(`${method} ${path} rejects ${what} without effects`, async (target) => {
        const before = await target.state();
        const { status, text } = await target.ask(method, path, { key, body });
        expect([status, text]).toEqual([401, expect.stringContaining('INVALID_API_KEY')]);
        expect(await target.state()).toEqual(before);
      });
    }
  }
});

describe('5.2 "A withdrawal on an account with 2FA enabled carries totp_code"', () => {
  const refused = async (target: SandboxTarget, fields: object, error: string) => {
    const before = await balance(target, TOTP);
    const body = { to_address: ADDRESS, amount_trx: '5', ...fields };
    const { status, text } = await target.ask('POST', '/account/withdrawal', { ...TOTP, body });
    expect([status, text]).toEqual([403, expect.stringContaining(error)]);
    expect(await balance(target, TOTP)).toBe(before);
    expect(await withdrawals(target, TOTP)).toHaveLength(0);
  };

  reads('"totp_enabled on the profile tells whether 2FA is on"', async (service) => {
    expect((await service.get('/account/profile', AccountProfile)).totp_enabled).toBeTypeOf('boolean');
  });

  controls(
    '"totp_enabled on the profile tells whether 2FA is on", for accounts with and without it',
    async (target) => {
      expect(await target.get('/account/profile', AccountProfile)).toMatchObject({ totp_enabled: false });
      expect(await target.get('/account/profile', AccountProfile, TOTP)).toMatchObject({
        totp_enabled: true,
      });
    },
  );

  for (const fields of [{}, { totp_code: '' }]) {
    controls(`is rejected with the code ${fields.totp_code}`, (target) =>
      refused(target, fields, '2FA_REQUIRED'),
    );
  }

  for (const wrong of ['000000', '12345', '1234567', 'abcdef', ' 123456']) {
    controls(`is rejected with ${wrong}`, (target) => {
      expect(totpCode(SECRET, totpStep(target.now()))).not.toBe(wrong);
      return refused(target, { totp_code: wrong }, 'INVALID_2FA_CODE');
    });
  }

  controls('without 2FA needs no code and ignores one', async (target) => {
    await withdraw(target, {});
    target.advance(60_000);
    await withdraw(target, { totp_code: '000000' });
    expect(await withdrawals(target)).toHaveLength(2);
  });
});

const fillEnergy = async (target: SandboxTarget) => {
  const order = await buyEnergy(target);
  await target.control('POST', `/orders/${order.order_id}/fill`);
  return order;
};

describe('6. "The service sends webhook notifications to the single HTTPS URL configured"', () => {
  controls('"Each delivery attempt is logged": as it was sent, with the status returned', async (target) => {
    const { events } = await eventsOf(target, () => fillEnergy(target));
    expect(await webhookLog(target)).toMatchObject([
      { event_type: 'order.filled', payload: events[0]?.data, response_status: 200, attempts: 1 },
    ]);
  });

  controls('sends no events of other accounts', async (target) => {
    const { events } = await eventsOf(target, async () => {
      const { order_id } = await buyEnergy(target, {}, { key: 'merchant-key' });
      await target.control('POST', `/orders/${order_id}/fill`);
      await fillEnergy(target);
    });
    expect(events).toHaveLength(1);
  });
});

/** Events that section 6 doesn't list but the live service's documentation names. */
const gaps: [
  event: string,
  deed: (target: SandboxTarget) => Promise<unknown>,
  data: object,
  /** Path at which the API returns the record, and the number of events. */
  more?: { record?: string; count?: number },
][] = [
  [
    'order.failed',
    async (target) => target.control('POST', `/orders/${(await buyEnergy(target)).order_id}/fail`),
    { order_id: expect.any(Number), address: ADDRESS, energy_amount: 32_000 },
  ],
  [
    'order.filled',
    async (target) => target.control('POST', `/orders/${(await buyBandwidth(target)).order_id}/fill`),
    { order_id: expect.any(Number), address: ADDRESS, bandwidth_amount: 1_000 },
  ],
  [
    'deposit.confirmed',
    (target) => target.control('POST', '/accounts/1001/deposit', { amount: '5' }),
    { status: 'confirmed' },
    { record: '/account/deposits' },
  ],
  [
    'invoice.paid',
    async (target) => pay(target, await createInvoice(target)),
    { invoice_id: expect.any(Number), status: 'paid' },
    { record: '/invoices/1' },
  ],
  [
    'invoice.delegated',
    (target) => delegatedInvoice(target),
    { invoice_id: expect.any(Number), status: 'delegated', tx_hash: expect.any(String) },
    { record: '/invoices/1', count: 2 },
  ],
  [
    'smart_mode.transfer',
    async (target) => {
      await activateSmartMode(target);
      for (const to of [ADDRESS, addressOf('shop')]) await transfer(target, { to, amount: '1' });
      await transfer(target, { to: ADDRESS, currency: 'USDT', amount: '5' });
      await transfer(target, { from: ADDRESS, to: addressOf('shop'), currency: 'USDT', amount: '5' });
    },
    { address: ADDRESS },
  ],
  [
    'withdrawal.completed',
    async (target) => target.control('POST', `/withdrawals/${(await withdraw(target)).id}/complete`),
    { id: expect.any(Number), status: 'completed', tx_hash: expect.any(String) },
    { record: '/account/withdrawals' },
  ],
];

describe('6. Gaps: "The complete list of event types: not shown"', () => {
  for (const [event, deed, data, { record, count = 1 } = {}] of gaps) {
    controls(`${event} carries the fields of its record (${Object.keys(data)})`, async (target) => {
      const { events } = await eventsOf(target, () => deed(target), count);
      expect(events).toHaveLength(count);
      expect(events).toContainEqual(expect.objectContaining({ event, data: expect.objectContaining(data) }));
      for (const sent of events) {
        expect(documented[sent.event]?.data.safeParse(sent.data), sent.event).toMatchObject({
          success: true,
        });
      }
      if (record === undefined) return;
      const shown = JSON.parse((await target.ask('GET', record)).text);
      expect(events.at(-1)?.data).toEqual([shown].flat()[0]);
    });
  }

  controls('all documented events are sent', async () => {
    expect(new Set(gaps.map(([event]) => event))).toEqual(new Set(Object.keys(documented)));
  });
});

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
  controls('an unknown path without a key gets 401 with a JSON detail', async (target) => {
    const { status, headers, text } = await target.ask('GET', '/nowhere', { key: null });
    expect(status).toBe(401);
    expect(headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(JSON.parse(text)).toHaveProperty('detail');
  });
});

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

describe('8. Value limits and constants', () => {
  controls('"Minimum or maximum withdrawal amount: not shown": a sun can be withdrawn', async (target) => {
    expect(units((await withdraw(target, { amount_trx: '0.000001' })).amount_trx)).toBe(1n);
  });
});

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
