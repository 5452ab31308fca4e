import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ADDRESS, ORDER, serveRental } from './rental-server.ts';
import { receiveWebhooks } from './webhook-receiver.ts';

interface LogEntry {
  payload: { order_id: number };
}

type Rental = Awaited<ReturnType<typeof serveRental>>;

const configure = async (rental: Rental, url: string): Promise<string> =>
  (await rental.ask<{ secret: string }>('POST', '/webhooks/configure', { body: { url } })).json.secret;
const buy = async (rental: Rental): Promise<number> =>
  (await rental.ask<{ order_id: number }>('POST', '/energy/buy', { body: ORDER })).json.order_id;
const fill = async (rental: Rental) => {
  const id = await buy(rental);
  await rental.control('POST', `/orders/${id}/fill`);
  return id;
};
const log = async (rental: Rental, key?: string) =>
  (await rental.ask<LogEntry[]>('GET', '/webhooks/logs', { key })).json;
const attempts = (rental: Rental, count: number) =>
  eventually(async () => expect((await log(rental))[0]).toMatchObject({ attempts: count }));

describe('an event', () => {
  it('is sent to the account’s URL, signed over its raw body', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(200);
    const secret = await configure(rental, url);
    const id = await fill(rental);
    await attempts(rental, 1);
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

  it('is logged for its account only', async () => {
    const rental = await serveRental();
    const { url } = await receiveWebhooks(204);
    await configure(rental, url);
    const id = await fill(rental);
    await attempts(rental, 1);
    expect(await log(rental)).toEqual([
      {
        id: expect.any(Number),
        event_type: 'order.filled',
        payload: { order_id: id, address: ADDRESS, energy_amount: 65_000 },
        response_status: 204,
        attempts: 1,
        created_at: '2025-06-01T12:00:00.000Z',
      },
    ]);
    expect(await log(rental, 'merchant-key')).toEqual([]);
    expect((await rental.state()).webhook_log).toMatchObject([{ account_id: 1001, attempts: 1 }]);
  });

  it('is sent for a failed order', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(200);
    await configure(rental, url);
    const id = await buy(rental);
    await rental.control('POST', `/orders/${id}/fail`);
    await attempts(rental, 1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      event: 'order.failed',
      data: { order_id: id },
    });
  });

  it('is neither sent nor logged if no URL is set', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(200);
    await fill(rental);
    await configure(rental, url);
    await configure(rental, '');
    await fill(rental);
    expect(await log(rental)).toEqual([]);
    expect(received).toEqual([]);
  });

  it('is retried 1, 5 and 25 seconds after each failure by the clock, then given up', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(500, 302, 404, 503);
    await configure(rental, url);
    await fill(rental);
    for (const [made, status, delay] of [
      [1, 500, 1_000],
      [2, 302, 5_000],
      [3, 404, 25_000],
    ] as const) {
      await attempts(rental, made);
      expect(await log(rental)).toMatchObject([{ response_status: status }]);
      rental.clock.advance(delay - 1);
      expect(await log(rental)).toMatchObject([{ attempts: made }]);
      rental.clock.advance(1);
    }
    await attempts(rental, 4);
    expect(await log(rental)).toMatchObject([{ response_status: 503 }]);
    rental.clock.advance(3_600_000);
    expect(await log(rental)).toMatchObject([{ attempts: 4 }]);
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('is not sent again after it was accepted', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(500, 200);
    await configure(rental, url);
    await fill(rental);
    await attempts(rental, 1);
    rental.clock.advance(1_000);
    await attempts(rental, 2);
    rental.clock.advance(3_600_000);
    expect(await log(rental)).toMatchObject([{ attempts: 2, response_status: 200 }]);
    expect(received).toHaveLength(2);
  });

  it('is retried with the URL and secret that are set at that time', async () => {
    const rental = await serveRental();
    const broken = await receiveWebhooks(500);
    const mended = await receiveWebhooks(200);
    await configure(rental, broken.url);
    await fill(rental);
    await attempts(rental, 1);
    const secret = await configure(rental, mended.url);
    rental.clock.advance(1_000);
    await attempts(rental, 2);
    const [delivery] = mended.received;
    const signature = createHmac('sha256', secret).update(delivery?.body ?? '');
    expect(delivery?.headers['x-webhook-signature']).toBe(signature.digest('hex'));
    expect(broken.received).toHaveLength(1);
  });

  it('has status 0 if the connection is refused', async () => {
    const rental = await serveRental();
    await configure(rental, 'http://127.0.0.1:1/hook');
    await fill(rental);
    await attempts(rental, 1);
    expect(await log(rental)).toMatchObject([{ response_status: 0 }]);
  });

  it('has status 0 if the receiver takes too long', async () => {
    const rental = await serveRental({ webhookTimeoutMs: 200 });
    const { url } = await receiveWebhooks(0);
    await configure(rental, url);
    await fill(rental);
    await attempts(rental, 1);
    expect(await log(rental)).toMatchObject([{ response_status: 0 }]);
  });

  it('is removed by a reset, with its retries', async () => {
    const rental = await serveRental();
    const { url, received } = await receiveWebhooks(500);
    await configure(rental, url);
    await fill(rental);
    await attempts(rental, 1);
    rental.sandbox.reset();
    rental.clock.advance(3_600_000);
    expect(await log(rental)).toEqual([]);
    expect(received).toHaveLength(1);
  });

  it('is kept in the log among the latest hundred, newest first', async () => {
    const rental = await serveRental();
    await rental.control('POST', '/accounts/1001/balance', { balance_trx: '1000000' });
    const { url } = await receiveWebhooks(200);
    await configure(rental, url);
    let last = 0;
    for (let i = 0; i < 101; i++) {
      if (i % 30 === 0) rental.clock.advance(60_000);
      last = await fill(rental);
    }
    const entries = await log(rental);
    expect(entries).toHaveLength(100);
    expect(entries[0]?.payload.order_id).toBe(last);
  });
});
