import { describe, expect } from 'vitest';
import { z } from 'zod';
import { endpoints, readable, UNKNOWN_ID } from './endpoints.ts';
import {
  AccountProfile,
  Activation,
  Deactivation,
  DepositInfo,
  DepositRecord,
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
  delegatedInvoice,
  ENERGY,
  eventsOf,
  fetchInvoice,
  HALF_HOUR_MS,
  pay,
  units,
  wallet,
  webhookLog,
  withdraw,
  withdrawals,
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
    });
  }

  controls('has seventeen endpoints and GET /prices', async () => {
    expect(endpoints).toHaveLength(18);
  });

  for (const [method, path] of [
    ['GET', '/energy/buy'],
    ['POST', '/account/profile'],
    ['DELETE', '/invoices/1'],
    ['GET', '/nowhere'],
    ['POST', '/smart-mode/1'],
  ] as const) {
    controls(`${method} ${path} does not exist`, async (target) => {
      const { status } = await target.ask(method, path);
      expect(status).toBeOneOf([404, 405]);
    });
  }
});

describe('4. "A path in braces is a path parameter of type number"', () => {
  for (const { method, path } of withId) {
    for (const id of [UNKNOWN_ID, 0, -1, '1.5', 'one', '1e3', '9'.repeat(30), '%20']) {
      controls(`${method} ${path.replace(String(UNKNOWN_ID), String(id))} is not found`, async (target) => {
        const { status, text } = await target.ask(method, path.replace(String(UNKNOWN_ID), String(id)));
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

for (const { method, path, body, wrong = {}, required = [] } of endpoints) {
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

  controls(
    '"Delegates energy to a chain address": to any address, once the order is filled',
    async (target) => {
      for (const address of [ADDRESS, addressOf('anybody')]) {
        const { order_id } = await buyEnergy(target, { address });
        expect(await wallet(target, address)).toMatchObject({ energy: 0 });
        await target.control('POST', `/orders/${order_id}/fill`);
        expect(await wallet(target, address)).toMatchObject({ energy: 32_000 });
      }
    },
  );

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

  controls('an insufficient balance is rejected without a charge', async (target) => {
    const { price_trx } = await buyEnergy(target);
    const asked = { key: 'empty-key', body: ENERGY };
    const short = `${units(price_trx) - 1n}`.padStart(7, '0').replace(/(\d{6})$/, '.$1');
    await target.control('POST', '/accounts/1003/balance', { balance_trx: short });
    const refused = await target.ask('POST', '/energy/buy', asked);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/INSUFFICIENT_BALANCE.* TRX needed, .* TRX available/),
    ]);
    expect(await balance(target, { key: 'empty-key' })).toBe(units(price_trx) - 1n);
    await target.control('POST', '/accounts/1003/balance', { balance_trx: price_trx });
    await buyEnergy(target, {}, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
  });
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

  controls('an insufficient balance is rejected without an activation', async (target) => {
    const address = addressOf('new');
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '1.099999' });
    const asked = { key: 'empty-key', body: { address } };
    expect(await target.ask('POST', '/energy/activate', asked)).toMatchObject({ status: 400 });
    expect(await wallet(target, address)).toMatchObject({ active: false });
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '1.1' });
    await target.post('/energy/activate', Activation, { address }, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
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

  for (const [amount, hours, price] of [
    [350, 24, '3.56'],
    [100_000, 24, '960.20'],
    [1_000, 1, '0.60'],
    [1_000, 48, '19.40'],
    [100_000, 1, '40.20'],
  ] as const) {
    controls(
      `"the fixed fee of 0.2 TRX applies to every order": ${amount} for ${hours} h is ${price}`,
      async (target) => {
        const order = await buyBandwidth(target, { bandwidth_amount: amount, duration_hours: hours });
        expect(units(order.price_trx)).toBe(units(price));
      },
    );
  }

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

  controls('an insufficient balance is rejected without a charge', async (target) => {
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '9.799999' });
    const refused = await target.ask('POST', '/bandwidth/buy', { key: 'empty-key', body: BANDWIDTH });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await balance(target, { key: 'empty-key' })).toBe(9_799_999n);
  });
});

describe('4.4 POST /api/v1/invoices', () => {
  spends('"Response: an Invoice", with the requested values', async (service) => {
    const asked = { ...ENERGY, energy_amount: 65_000, duration_hours: 24 };
    expect(await createInvoice(service, asked)).toMatchObject({ ...asked, status: 'pending' });
  });

  spends('"No account balance is involved"', async (service) => {
    expect(await cost(service, () => createInvoice(service))).toBe(0n);
  });

  controls('"Both TRX and USDT payments are accepted": both have a price', async (target) => {
    const { price_trx, price_usdt } = await createInvoice(target);
    expect(units(price_trx)).toBeGreaterThan(0n);
    expect(units(price_usdt)).toBeGreaterThan(0n);
    expect(price_trx).not.toBe(price_usdt);
  });

  for (const transfer_count of [1, 2, 100]) {
    controls(`"each transfer equals 65,000 energy": ${transfer_count} of them`, async (target) => {
      const asked = { energy_amount: undefined, transfer_count };
      const { energy_amount, price_trx } = await createInvoice(target, asked);
      expect(energy_amount).toBe(65_000 * transfer_count);
      if (energy_amount > 5_000_000) return;
      expect(price_trx).toBe((await createInvoice(target, { energy_amount })).price_trx);
    });
  }

  for (const [what, fields] of [
    ['both', { energy_amount: 65_000, transfer_count: 1 }],
    ['neither', { energy_amount: undefined }],
  ] as const) {
    controls(`"use this OR transfer_count": rejects ${what}`, async (target) => {
      const answer = await target.ask('POST', '/invoices', { body: { ...ENERGY, ...fields } });
      expect(answer.status).toBe(422);
    });
  }

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

  controls(
    '"the timestamps paid_at, delegated_at, expires_at, created_at" match the events',
    async (target) => {
      const start = target.now();
      const at = (ms: number) => new Date(start + ms).toISOString();
      const created = await createInvoice(target);
      target.advance(60_000);
      await pay(target, created);
      target.advance(5_000);
      await target.control('POST', `/invoices/${created.invoice_id}/delegate`);
      expect(await fetchInvoice(target, created)).toMatchObject({
        created_at: at(0),
        paid_at: at(60_000),
        delegated_at: at(65_000),
        expires_at: at(HALF_HOUR_MS),
      });
    },
  );

  controls('each delegation has its own tx_hash', async (target) => {
    const [first, second] = [await delegatedInvoice(target), await delegatedInvoice(target)];
    expect(first.tx_hash).not.toBe(second.tx_hash);
  });
});

const List = z.array(Subscription);

describe('4.6 POST /api/v1/smart-mode/activate', () => {
  controls('"Response: the created subscription", with the requested values', async (target) => {
    const asked = { address: ADDRESS, label: 'till', bw_guarantee: false };
    expect(await activateSmartMode(target, asked)).toMatchObject({ ...asked, status: 'active' });
  });

  controls('"bw_guarantee: default true"', async (target) => {
    expect(await activateSmartMode(target)).toMatchObject({ bw_guarantee: true });
  });

  controls('"label: optional label", "label may be null"', async (target) => {
    expect(await activateSmartMode(target)).toMatchObject({ label: null });
  });

  controls('an address can be watched only once', async (target) => {
    await activateSmartMode(target);
    const again = async () => {
      const answer = await target.ask('POST', '/smart-mode/activate', { body: { address: ADDRESS } });
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('SMART_MODE_CONFLICT')]);
    };
    expect(await cost(target, again)).toBe(0n);
  });

  controls('an insufficient balance is rejected without creating a subscription', async (target) => {
    const asked = { key: 'empty-key', body: { address: ADDRESS } };
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '1.499999' });
    const refused = await target.ask('POST', '/smart-mode/activate', asked);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await target.get('/smart-mode/subscriptions', List, { key: 'empty-key' })).toEqual([]);
    expect(await balance(target, { key: 'empty-key' })).toBe(1_499_999n);
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '1.50' });
    await activateSmartMode(target, {}, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
  });

  spends('"the first daily fee is charged immediately"', async (service) => {
    const before = await balance(service);
    const { id, subscription_fee_trx } = await activateSmartMode(service);
    const after = await balance(service);
    await service.post(`/smart-mode/${id}/deactivate`, Deactivation);
    expect(before - after).toBe(units(subscription_fee_trx));
  });
});

describe('4.7 GET /api/v1/smart-mode/subscriptions', () => {
  reads('"Returns an array of subscriptions", "status is active or paused"', async (service) => {
    const list = await service.get('/smart-mode/subscriptions', List);
    for (const { status } of list) expect(status).toBeOneOf(['active', 'paused']);
  });

  controls('"for all active and paused subscriptions; deactivated ones are excluded"', async (target) => {
    const made = [];
    for (const name of ['first', 'second', 'third'])
      made.push(await activateSmartMode(target, { address: addressOf(name), label: name }));
    const [active, paused, gone] = made.map(({ id }) => id);
    await target.post(`/smart-mode/${paused}/toggle`, Subscription);
    await target.post(`/smart-mode/${gone}/deactivate`, Deactivation);
    const list = await target.get('/smart-mode/subscriptions', List);
    expect(new Map(list.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [active, 'active'],
        [paused, 'paused'],
      ]),
    );
  });

  controls("omits another account's subscriptions", async (target) => {
    await activateSmartMode(target);
    expect(await target.get('/smart-mode/subscriptions', List, { key: 'merchant-key' })).toEqual([]);
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

  controls('lists the energy prices that orders cost', async (target) => {
    const { energy_trx } = await target.get(
      '/prices',
      z.looseObject({ energy_trx: z.record(z.string(), z.string()) }),
    );
    for (const hours of [1, 24]) {
      const body = {
        address: ADDRESS,
        energy_amount: 65_000,
        duration_hours: hours,
      };
      const { price_trx } = await target.post('/energy/buy', z.looseObject({ price_trx: z.string() }), body);
      expect(price_trx).toBe(energy_trx[`${hours}h`]);
    }
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

describe('4.13 GET /api/v1/account/deposits', () => {
  reads('"Returns the deposit history as Deposit records"', async (service) => {
    const list = await service.get('/account/deposits', z.array(DepositRecord));
    expect(list).toBeInstanceOf(Array);
  });

  controls('lists the deposits of this account only', async (target) => {
    await target.control('POST', '/accounts/1001/deposit', { amount: '1' });
    await target.control('POST', '/accounts/1001/deposit', { amount: '2', currency: 'USDT' });
    await target.control('POST', '/accounts/1002/deposit', { amount: '3' });
    expect(await target.get('/account/deposits', z.array(DepositRecord))).toHaveLength(2);
  });
});

describe('4.14 POST /api/v1/account/withdrawal', () => {
  controls('"Response: a Withdrawal", with the requested values', async (target) => {
    const asked = { to_address: addressOf('anybody'), amount_trx: '10.5' };
    const { to_address, amount_trx, fee_trx } = await withdraw(target, asked);
    expect(to_address).toBe(asked.to_address);
    expect(units(amount_trx)).toBe(10_500_000n);
    expect(units(fee_trx)).toBe(1_000_000n);
  });

  controls('"Withdraws TRX to any chain address; fee 1 TRX"', async (target) => {
    expect(await cost(target, () => withdraw(target, { amount_trx: '10.000001' }))).toBe(11_000_001n);
  });

  controls('the balance must cover amount and fee together', async (target) => {
    const asked = { key: 'empty-key', body: { to_address: ADDRESS, amount_trx: '10' } };
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '10.999999' });
    const refused = await target.ask('POST', '/account/withdrawal', asked);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await withdrawals(target, { key: 'empty-key' })).toEqual([]);
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '11' });
    target.advance(60_000);
    await withdraw(target, { amount_trx: '10' }, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
  });
});

describe('4.15 GET /api/v1/account/withdrawals', () => {
  reads('"Returns the withdrawal history as an array of Withdrawals"', async (service) => {
    expect(await withdrawals(service)).toBeInstanceOf(Array);
  });

  controls('lists each withdrawal of this account only, as it was created', async (target) => {
    const first = await withdraw(target, { amount_trx: '1' });
    target.advance(60_000);
    const second = await withdraw(target, { amount_trx: '2' });
    await withdraw(target, { amount_trx: '3' }, { key: 'merchant-key' });
    const list = await withdrawals(target);
    expect(list).toHaveLength(2);
    expect(list).toEqual(expect.arrayContaining([first, second]));
  });
});

const HOOK = 'https://example.com/hook';

describe('4.16 POST /api/v1/webhooks/configure', () => {
  controls('"Response: Webhook configuration", with the requested values', async (target) => {
    const configured = await configureWebhook(target, HOOK);
    expect(configured).toMatchObject({ url: HOOK, active: true });
    expect(configured.secret).not.toBe('');
  });

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
  reads('"Returns an array of Webhook log entries"', async (service) => {
    expect(await webhookLog(service)).toBeInstanceOf(Array);
  });

  controls('"for the most recent delivery attempts": of this account only', async (target) => {
    await eventsOf(target, () => target.control('POST', '/accounts/1001/deposit', { amount: '1' }));
    expect(await webhookLog(target)).toHaveLength(1);
    expect(await webhookLog(target, { key: 'merchant-key' })).toEqual([]);
  });
});
