import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ADDRESS, ORDER, receiveWebhooks, useRental } from './rental-server.ts';

const rental = useRental();

describe('POST /webhooks/configure', () => {
  it.each(['https://example.com/hook', 'http://127.0.0.1:9/hook', 'http://localhost:9/', 'http://[::1]:9/'])(
    'sets %s, with a secret',
    async (url) => {
      const { status, json } = await rental.ask('POST', '/webhooks/configure', { body: { url } });
      expect(status).toBe(200);
      expect(json).toEqual({
        url,
        secret: expect.stringMatching(/^whsec_[0-9a-f]{48}$/),
        active: true,
        created_at: '2025-06-01T12:00:00.000Z',
      });
      const { accounts } = await rental.state();
      expect(accounts.find(({ id }) => id === 1001)?.webhook).toEqual({ url, active: true });
      expect(accounts.find(({ id }) => id === 1002)?.webhook).toBeNull();
    },
  );

  it('creates a new secret each time', async () => {
    const body = { url: 'https://example.com/hook' };
    const first = await rental.ask<{ secret: string }>('POST', '/webhooks/configure', { body });
    const second = await rental.ask<{ secret: string }>('POST', '/webhooks/configure', { body });
    expect(second.json.secret).not.toBe(first.json.secret);
  });

  it('creates its secrets from the given random source', async () => {
    await rental.start({ random: (size) => new Uint8Array(size).fill(0xab) });
    const { json } = await rental.ask<{ secret: string }>('POST', '/webhooks/configure', {
      body: { url: 'https://example.com/' },
    });
    expect(json.secret).toBe(`whsec_${'ab'.repeat(24)}`);
  });
});

interface LogEntry {
  payload: { order_id: number };
}
const configure = async (url: string): Promise<string> =>
  (await rental.ask<{ secret: string }>('POST', '/webhooks/configure', { body: { url } })).json.secret;
const buy = async (): Promise<number> =>
  (await rental.ask<{ order_id: number }>('POST', '/energy/buy', { body: ORDER })).json.order_id;
const fill = async () => {
  const id = await buy();
  await rental.control('POST', `/orders/${id}/fill`);
  return id;
};
const log = async (key?: string) => (await rental.ask<LogEntry[]>('GET', '/webhooks/logs', { key })).json;
const attempts = (count: number) =>
  eventually(async () => expect((await log())[0]).toMatchObject({ attempts: count }));

describe('an event', () => {
  it('is sent to the account’s URL, signed over its raw body', async () => {
    const { url, received } = await receiveWebhooks(200);
    const secret = await configure(url);
    const id = await fill();
    await attempts(1);
    const [delivery] = received;
    expect(received).toHaveLength(1);
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      event: 'order.filled',
      data: { order_id: id, address: ADDRESS, energy_amount: 65_000 },
      timestamp: '2025-06-01T12:00:00.000Z',
    });
    expect(delivery?.headers['content-type']).toBe('application/json');
    expect(delivery?.headers['x-webhook-signature']).toBe(
      createHmac('sha256', secret)
        .update(delivery?.body ?? '')
        .digest('hex'),
    );
  });

  it('is neither sent nor logged if no URL is set', async () => {
    const { url, received } = await receiveWebhooks(200);
    await fill();
    await configure(url);
    await configure('');
    await fill();
    expect(await log()).toEqual([]);
    expect(received).toEqual([]);
  });

  it('is retried 1, 5 and 25 seconds after each failure by the clock, then given up', async () => {
    const { url, received } = await receiveWebhooks(500, 302, 404, 503);
    await configure(url);
    await fill();
    for (const [made, status, delay] of [
      [1, 500, 1_000],
      [2, 302, 5_000],
      [3, 404, 25_000],
    ] as const) {
      await attempts(made);
      expect(await log()).toMatchObject([{ response_status: status }]);
      rental.clock.advance(delay - 1);
      expect(await log()).toMatchObject([{ attempts: made }]);
      rental.clock.advance(1);
    }
    await attempts(4);
    expect(await log()).toMatchObject([{ response_status: 503 }]);
    rental.clock.advance(3_600_000);
    expect(await log()).toMatchObject([{ attempts: 4 }]);
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('is not sent again after it was accepted', async () => {
    const { url, received } = await receiveWebhooks(500, 200);
    await configure(url);
    await fill();
    await attempts(1);
    rental.clock.advance(1_000);
    await attempts(2);
    rental.clock.advance(3_600_000);
    expect(await log()).toMatchObject([{ attempts: 2, response_status: 200 }]);
    expect(received).toHaveLength(2);
  });

  it('is retried with the URL and secret that are set at that time', async () => {
    const broken = await receiveWebhooks(500);
    const mended = await receiveWebhooks(200);
    await configure(broken.url);
    await fill();
    await attempts(1);
    const secret = await configure(mended.url);
    rental.clock.advance(1_000);
    await attempts(2);
    const [delivery] = mended.received;
    const signature = createHmac('sha256', secret).update(delivery?.body ?? '');
    expect(delivery?.headers['x-webhook-signature']).toBe(signature.digest('hex'));
    expect(broken.received).toHaveLength(1);
  });

  it('has status 0 if the connection is refused', async () => {
    await configure('http://127.0.0.1:1/hook');
    await fill();
    await attempts(1);
    expect(await log()).toMatchObject([{ response_status: 0 }]);
  });

  it('has status 0 if the receiver takes too long', async () => {
    await rental.start({ webhookTimeoutMs: 200 });
    const { url } = await receiveWebhooks(0);
    await configure(url);
    await fill();
    await attempts(1);
    expect(await log()).toMatchObject([{ response_status: 0 }]);
  });

  it('is removed by a reset, with its retries', async () => {
    const { url, received } = await receiveWebhooks(500);
    await configure(url);
    await fill();
    await attempts(1);
    rental.sandbox.reset();
    rental.clock.advance(3_600_000);
    expect(await log()).toEqual([]);
    expect(received).toHaveLength(1);
  });

  it('is kept in the log among the latest hundred, newest first', async () => {
    await rental.control('POST', '/accounts/1001/balance', { balance_trx: '1000000' });
    const { url } = await receiveWebhooks(200);
    await configure(url);
    let last = 0;
    for (let i = 0; i < 101; i++) {
      if (i % 30 === 0) rental.clock.advance(60_000);
      last = await fill();
    }
    const entries = await log();
    expect(entries).toHaveLength(100);
    expect(entries[0]?.payload.order_id).toBe(last);
  });
});
