import { describe, expect } from 'vitest';
import { WebhookConfiguration } from '../resources.ts';
import { buyEnergy, configureWebhook, eventsOf, webhookLog } from '../samples.ts';
import { createTarget } from '../target.ts';

const { reads, controls } = createTarget();
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

  for (const url of [
    'http://example.com/hook',
    'http://127.0.0.1.example.com/',
    'ftp://example.com/',
    'hook',
  ]) {
    controls(`"url: HTTPS URL": rejects ${url}`, async (target) => {
      expect(await target.ask('POST', '/webhooks/configure', { body: { url } })).toMatchObject({
        status: 422,
      });
    });
  }
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
