import { describe, expect } from 'vitest';
import { z } from 'zod';
import { endpoints, readable, UNKNOWN_ID } from './endpoints.ts';
import {
  AccountProfile,
  Activation,
  Deactivation,
  DepositInfo,
  PackageTiers,
  Subscription,
  WebhookConfiguration,
} from './resources.ts';
import {
  ADDRESS,
  activateSmartMode,
  addressOf,
  BANDWIDTH,
  balance,
  buyBandwidth,
  buyEnergy,
  configureWebhook,
  cost,
  createInvoice,
  decimal,
  delegatedInvoice,
  ENERGY,
  eventsOf,
  fetchInvoice,
  units,
  wallet,
  webhookLog,
} from './samples.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { reads, spends, controls } = createTarget();
const withId = endpoints.filter(({ path }) => path.includes(String(UNKNOWN_ID)));

describe('4. Path conventions', () => {
  for (const { method, path } of readable) {
    reads(`${method} {base_url}/v1${path} exists and responds with JSON`, async (service) => {
      const { status, headers, text } = await service.ask(method, path);
      expect([status, text]).toEqual([200, expect.anything()]);
      expect(headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(JSON.parse(text)).toBeTypeOf('object');
      expect(Number(headers.get('X-RateLimit-Limit'))).toBeGreaterThan(0);
    });
  }

  for (const [method, path] of [
    ['GET', '/energy/buy'],
    ['POST', '/account/profile'],
    ['DELETE', '/invoices/1'],
    ['GET', '/nowhere'],
    ['POST', '/smart-mode/1'],
  ] as const) {
    controls(`${method} ${path} does not exist`, async (target) => {
      const { status, headers, text } = await target.ask(method, path);
      expect(status).toBeOneOf([404, 405]);
      expect(headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(JSON.parse(text)).toHaveProperty('detail');
    });
  }
});

describe('4. "A path in braces is a path parameter of type number"', () => {
  for (const { method, path } of withId) {
    for (const id of [UNKNOWN_ID, 0, -1, '1.5', 'one', '1e3', '9'.repeat(30), '%20']) {
      controls(`${method} ${path.replace(String(UNKNOWN_ID), String(id))} is not found`, async (target) => {
        const { status, headers, text } = await target.ask(
          method,
          path.replace(String(UNKNOWN_ID), String(id)),
        );
        expect(headers.get('Content-Type')).toMatch(/^application\/json/);
        expect(status).toBeOneOf(id === UNKNOWN_ID ? [404] : [404, 422]);
        expect(JSON.parse(text)).toHaveProperty('detail');
      });
    }
  }

  controls("responds to another account's invoice as to an unknown one", async (target) => {
    const { invoice_id } = await createInvoice(target);
    const path = (id: number) => `/invoices/${id}`;
    const foreign = await target.ask('GET', path(invoice_id), { key: 'merchant-key' });
    const unknown = await target.ask('GET', path(UNKNOWN_ID), { key: 'merchant-key' });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toContain('INVOICE_NOT_FOUND');
    expect(foreign.text.replaceAll(String(invoice_id), '')).toBe(
      unknown.text.replaceAll(String(UNKNOWN_ID), ''),
    );
    expect(await fetchInvoice(target, { invoice_id })).toMatchObject({ invoice_id });
  });

  for (const deed of ['toggle', 'deactivate']) {
    controls(`does not find another account's subscription for ${deed}`, async (target) => {
      const { id } = await activateSmartMode(target);
      const foreign = await target.ask('POST', `/smart-mode/${id}/${deed}`, { key: 'merchant-key' });
      expect([foreign.status, foreign.text]).toEqual([
        404,
        expect.stringContaining('SUBSCRIPTION_NOT_FOUND'),
      ]);
      const { text } = await target.ask('GET', '/smart-mode/subscriptions');
      expect(JSON.parse(text)).toMatchObject([{ id, status: 'active' }]);
    });
  }
});

/** Expects a request to be rejected as invalid, with a message and without effects. */
async function expectInvalid(target: SandboxTarget, path: string, body: unknown, about: string) {
  const before = await target.state();
  const { status, headers, text } = await target.ask('POST', path, { body });
  expect([status, text]).toEqual([expect.toBeOneOf([400, 422]), expect.stringContaining(about)]);
  expect(headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(await target.state()).toEqual(before);
}

for (const { method, path, body, wrong, required } of endpoints) {
  if (body === undefined) continue;
  describe(`4. "Request body" of ${method} ${path}`, () => {
    controls('accepts a valid body', async (target) => {
      expect(await target.ask(method, path, { body })).toMatchObject({ status: 200 });
    });

    for (const [what, sent] of [
      ['no body', undefined],
      ['an empty body', ''],
      ['malformed JSON', '{"address":'],
      ['text', 'address=T'],
      ['an array', '[]'],
      ['null', 'null'],
      ['a number', '7'],
    ]) {
      controls(`rejects ${what}`, (target) => expectInvalid(target, path, sent, 'body'));
    }

    for (const field of required) {
      controls(`is rejected without ${field}`, (target) =>
        expectInvalid(target, path, { ...body, [field]: undefined }, field),
      );
    }

    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        controls(`rejects ${field}: ${JSON.stringify(value)}`, (target) => {
          const about = /address/.test(field) && typeof value === 'string' ? 'address' : field;
          return expectInvalid(target, path, { ...body, [field]: value }, about);
        });
      }
    }

    controls('ignores an unknown field', async (target) => {
      const asked = { body: { ...body, colour: 'red' } };
      expect(await target.ask(method, path, asked)).toMatchObject({ status: 200 });
    });
  });
}

describe('4. "deducted from the balance"', () => {
  for (const [path, body, price] of [
    ['/energy/buy', ENERGY, '1.14'],
    ['/bandwidth/buy', BANDWIDTH, '9.80'],
    ['/energy/activate', { address: addressOf('new') }, '1.10'],
    ['/smart-mode/activate', { address: ADDRESS }, '1.50'],
    ['/account/withdrawal', { to_address: ADDRESS, amount_trx: '10' }, '11.00'],
  ] as const) {
    controls(`POST ${path} has no effect unless the balance covers ${price} TRX`, async (target) => {
      const asked = { key: 'empty-key', body };
      const short = decimal(units(price) - 1n);
      await target.control('POST', '/accounts/1003/balance', { balance_trx: short });
      const before = await target.state();
      const refused = await target.ask('POST', path, asked);
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringMatching(/INSUFFICIENT_BALANCE.* TRX needed, .* TRX available/),
      ]);
      expect(await target.state()).toEqual(before);
      await target.control('POST', '/accounts/1003/balance', { balance_trx: price });
      target.advance(60_000);
      expect((await target.ask('POST', path, asked)).status).toBe(200);
      expect(await balance(target, { key: 'empty-key' })).toBe(0n);
    });
  }
});

describe('4.1 POST /api/v1/energy/buy', () => {
  spends('"Response: an Energy order", with the requested values', async (service) => {
    const asked = { ...ENERGY, energy_amount: 65_000, duration_hours: 24 };
    expect(await buyEnergy(service, asked)).toMatchObject({ ...asked, status: 'pending' });
  });

  spends('"the cost is deducted from the account balance": exactly price_trx', async (service) => {
    const before = await balance(service);
    const { price_trx } = await buyEnergy(service);
    expect(units(price_trx)).toBeGreaterThan(0n);
    expect(before - (await balance(service))).toBe(units(price_trx));
  });

  for (const hours of [1, 24]) {
    controls(
      `"for a rental duration of ${hours} hours": from the time it is filled, and no longer`,
      async (target) => {
        const { order_id } = await buyEnergy(target, { duration_hours: hours });
        target.advance(60_000);
        await target.control('POST', `/orders/${order_id}/fill`);
        target.advance(hours * 3_600_000 - 1);
        expect(await wallet(target, ADDRESS)).toMatchObject({ energy: 32_000 });
        target.advance(1);
        expect(await wallet(target, ADDRESS)).toMatchObject({ energy: 0 });
      },
    );
  }
});

describe('4.3 POST /api/v1/energy/activate', () => {
  controls('"Activates a chain address that has never received any transaction"', async (target) => {
    const address = addressOf('new');
    expect(await wallet(target, address)).toMatchObject({ active: false });
    expect(await target.post('/energy/activate', Activation, { address })).toMatchObject({ success: true });
    expect(await wallet(target, address)).toMatchObject({ active: true });
  });

  controls('"Cost: 1.1 TRX, deducted from the balance"', async (target) => {
    const activate = () => target.post('/energy/activate', Activation, { address: addressOf('new') });
    expect(await cost(target, activate)).toBe(1_100_000n);
  });

  controls('an active address is rejected without a charge', async (target) => {
    const body = { address: addressOf('new') };
    await target.post('/energy/activate', Activation, body);
    const again = async () => {
      const { status, text } = await target.ask('POST', '/energy/activate', { body });
      expect([status, text]).toEqual([409, expect.stringContaining('ADDRESS_ALREADY_ACTIVE')]);
    };
    expect(await cost(target, again)).toBe(0n);
  });
});

describe('4.2 POST /api/v1/bandwidth/buy', () => {
  spends('"Response: a Bandwidth order", with the requested values', async (service) => {
    expect(await buyBandwidth(service)).toMatchObject({ ...BANDWIDTH, status: 'pending' });
  });

  spends('"The documented sample for volume 1000 and 24 hours yields a price of 9.80"', async (service) => {
    const before = await balance(service);
    const { price_trx } = await buyBandwidth(service);
    expect(price_trx).toBe('9.80');
    expect(before - (await balance(service))).toBe(9_800_000n);
  });

  controls(
    '"delegated to any chain address for a chosen number of hours": 24, and no longer',
    async (target) => {
      const { order_id } = await buyBandwidth(target);
      await target.control('POST', `/orders/${order_id}/fill`);
      target.advance(24 * 3_600_000 - 1);
      expect(await wallet(target, ADDRESS)).toMatchObject({ bandwidth: 1_000 });
      target.advance(1);
      expect(await wallet(target, ADDRESS)).toMatchObject({ bandwidth: 0 });
    },
  );
});

describe('4.4 POST /api/v1/invoices', () => {
  spends('"Response: an Invoice", with the requested values', async (service) => {
    const asked = { ...ENERGY, energy_amount: 65_000, duration_hours: 24 };
    expect(await createInvoice(service, asked)).toMatchObject({ ...asked, status: 'pending' });
  });

  spends('"No account balance is involved"', async (service) => {
    expect(await cost(service, () => createInvoice(service))).toBe(0n);
  });

  for (const wrong of ['1', 0, -1, 101, 1.5, null]) {
    controls(`"1 to 100 USDT transfers": rejects ${JSON.stringify(wrong)}`, async (target) => {
      const body = { address: ADDRESS, duration_hours: 1, transfer_count: wrong };
      expect(await target.ask('POST', '/invoices', { body })).toMatchObject({ status: 422 });
    });
  }
});

describe('4.5 GET /api/v1/invoices/{invoice_id}', () => {
  spends('"Returns the full Invoice": the created one, with its creation time', async (service) => {
    const created = await createInvoice(service);
    const { created_at: _, tx_hash, paid_at, delegated_at, ...rest } = await fetchInvoice(service, created);
    expect(rest).toEqual(created);
    expect([tx_hash ?? null, paid_at ?? null, delegated_at ?? null]).toEqual([null, null, null]);
  });

  controls('each delegation has its own tx_hash', async (target) => {
    const [first, second] = [await delegatedInvoice(target), await delegatedInvoice(target)];
    expect(first.tx_hash).not.toBe(second.tx_hash);
  });
});

describe('4.6 POST /api/v1/smart-mode/activate', () => {
  controls('an address can be watched only once', async (target) => {
    await activateSmartMode(target);
    const again = async () => {
      const answer = await target.ask('POST', '/smart-mode/activate', { body: { address: ADDRESS } });
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('SMART_MODE_CONFLICT')]);
    };
    expect(await cost(target, again)).toBe(0n);
  });

  spends('"the first daily fee is charged immediately"', async (service) => {
    const before = await balance(service);
    const { id, subscription_fee_trx } = await activateSmartMode(service);
    const after = await balance(service);
    await service.post(`/smart-mode/${id}/deactivate`, Deactivation);
    expect(before - after).toBe(units(subscription_fee_trx));
  });
});

describe('4.8 POST /api/v1/smart-mode/{subscription_id}/toggle', () => {
  spends(
    '"Pauses an active subscription or resumes a paused one", "the updated subscription"',
    async (service) => {
      const { id, address, label, bw_guarantee, created_at } = await activateSmartMode(service);
      const same = { id, address, label, bw_guarantee, created_at };
      const paused = await service.post(`/smart-mode/${id}/toggle`, Subscription);
      const resumed = await service.post(`/smart-mode/${id}/toggle`, Subscription);
      await service.post(`/smart-mode/${id}/deactivate`, Deactivation);
      expect(paused).toMatchObject({ ...same, status: 'paused' });
      expect(resumed).toMatchObject({ ...same, status: 'active' });
    },
  );
});

describe('4.9 POST /api/v1/smart-mode/{subscription_id}/deactivate', () => {
  spends('"Response: id, address, status (deactivated), message"', async (service) => {
    const { id, address } = await activateSmartMode(service);
    const gone = await service.post(`/smart-mode/${id}/deactivate`, Deactivation);
    expect(gone).toMatchObject({ id, address, status: 'deactivated' });
    expect(gone.message).not.toBe('');
  });
});

describe('4.10 GET /api/v1/transfer-packages/tiers', () => {
  reads('"Returns the Transfer package tiers object": available sizes', async (service) => {
    const { tiers, min_custom_size, max_custom_size } = await service.get(
      '/transfer-packages/tiers',
      PackageTiers,
    );
    for (const { size } of tiers) {
      expect(size).toBeGreaterThanOrEqual(min_custom_size);
      expect(size).toBeLessThanOrEqual(max_custom_size);
    }
  });

  reads('"BW Guarantee fee per transfer": 0.3 TRX, as in section 8', async (service) => {
    const { bw_fee_per_transfer } = await service.get('/transfer-packages/tiers', PackageTiers);
    expect(units(bw_fee_per_transfer)).toBe(300_000n);
  });
});

describe('4. Gaps: "An endpoint GET /prices exists"', () => {
  reads('responds with an object', async (service) => {
    const prices = await service.get('/prices', z.record(z.string(), z.unknown()));
    expect(Object.keys(prices)).not.toEqual([]);
  });
});

describe('4.11 GET /api/v1/account/profile', () => {
  controls('returns the account of each key', async (target) => {
    const { accounts } = await target.state();
    for (const { id, key, balance_trx } of accounts)
      expect(await target.get('/account/profile', AccountProfile, { key })).toMatchObject({
        id,
        balance_trx,
      });
  });
});

describe('4.12 GET /api/v1/account/deposit', () => {
  reads('"Returns Deposit info": with usable rates', async (service) => {
    const { usdt_to_trx_rate, trx_usd_rate } = await service.get('/account/deposit', DepositInfo);
    expect(Number(usdt_to_trx_rate)).toBeGreaterThan(0);
    expect(Number(trx_usd_rate)).toBeGreaterThan(0);
  });
});

const HOOK = 'https://example.com/hook';

describe('4.16 POST /api/v1/webhooks/configure', () => {
  controls('"Sets or updates the account’s webhook URL; one URL per account"', async (target) => {
    await configureWebhook(target, HOOK);
    const { received } = await eventsOf(target, async () => {
      const { order_id } = await buyEnergy(target);
      await target.control('POST', `/orders/${order_id}/fill`);
    });
    expect(received).toHaveLength(1);
    expect(await webhookLog(target)).toHaveLength(1);
  });

  controls('"Sending an empty URL removes the webhook"', async (target) => {
    await configureWebhook(target, HOOK);
    const { url, active } = await target.post('/webhooks/configure', WebhookConfiguration.partial(), {
      url: '',
    });
    expect([url ?? '', active]).toEqual(['', false]);
    const { order_id } = await buyEnergy(target);
    await target.control('POST', `/orders/${order_id}/fill`);
    expect(await webhookLog(target)).toEqual([]);
  });
});

describe('4.17 GET /api/v1/webhooks/logs', () => {
  controls('"for the most recent delivery attempts": of this account only', async (target) => {
    await eventsOf(target, () => target.control('POST', '/accounts/1001/deposit', { amount: '1' }));
    expect(await webhookLog(target)).toHaveLength(1);
    expect(await webhookLog(target, { key: 'merchant-key' })).toEqual([]);
  });
});
