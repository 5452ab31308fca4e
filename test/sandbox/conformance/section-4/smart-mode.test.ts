import { describe, expect } from 'vitest';
import { z } from 'zod';
import { ADDRESS, addressOf } from '../addresses.ts';
import { units } from '../amounts.ts';
import { Deactivation, Subscription } from '../resources.ts';
import { activateSmartMode, balance, cost } from '../samples.ts';
import { createTarget } from '../target.ts';

const { reads, spends, controls } = createTarget();
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
    const refused = await target.ask('POST', '/smart-mode/activate', asked);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await target.get('/smart-mode/subscriptions', List, { key: 'empty-key' })).toEqual([]);
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
