import { describe, expect, it } from 'vitest';
import { readEvents } from '../../support/event-stream.ts';
import { ORDER, START, useRental } from './rental-server.ts';

const rental = useRental();
const buy = async (): Promise<number> =>
  (await rental.ask<{ order_id: number }>('POST', '/energy/buy', { body: ORDER })).json.order_id;

describe('an order', () => {
  it('stays failed when its fill time comes', async () => {
    await rental.start({ fillAfterMs: 5_000 });
    await rental.control('POST', `/orders/${await buy()}/fail`);
    rental.clock.advance(5_000);
    expect((await rental.state()).orders).toMatchObject([{ status: 'failed' }]);
  });
});

describe('an API key', () => {
  it('opens another account once the control API has moved it, and the two accounts swap their keys', async () => {
    const ids = () => Promise.all(['demo-key', 'merchant-key', 'new-key'].map(idOf));
    const idOf = async (key: string) =>
      (await rental.ask<{ id?: number }>('GET', '/account/profile', { key })).json.id;
    await rental.control('POST', '/accounts/1002/key', { key: 'demo-key' });
    expect(await ids()).toEqual([1002, 1001, undefined]);
    await rental.control('POST', '/accounts/1002/key', { key: 'new-key' });
    expect(await ids()).toEqual([undefined, 1001, 1002]);
  });
});

describe('the ledger', () => {
  it('lists all executed operations, or those of one kind', async () => {
    await buy();
    await rental.ask('POST', '/webhooks/configure', { body: { url: '' } });
    await rental.control('POST', '/accounts/1002/deposit', { amount_trx: '1' });
    const kinds = async (path: string) =>
      (await rental.control<{ kind: string }[]>('GET', path)).json.map(({ kind }) => kind);
    expect(await kinds('/ledger')).toEqual(['deposit', 'webhook', 'energy']);
    expect(await kinds('/ledger?kind=energy')).toEqual(['energy']);
    expect(await kinds('/ledger?kind=refund')).toEqual([]);
  });
});

describe('a reset', () => {
  it('restores the seed and cancels scheduled events', async () => {
    await rental.start({ fillAfterMs: 1_000 });
    const before = await rental.state();
    await buy();
    await rental.control('POST', '/faults', { endpoint: 'GET /prices', kind: 'latency' });
    const { status, json } = await rental.control('POST', '/reset');
    rental.clock.advance(1_000);
    expect(status).toBe(200);
    expect(json).toEqual(before);
    expect(await rental.state()).toEqual({ ...before, now: START + 1_000 });
  });
});

async function follow(response: Response) {
  const events = readEvents(response);
  return async () => {
    const { done, value } = await events.next();
    return done ? 'end' : Number(value.data);
  };
}

describe('the stream of changes', () => {
  it('starts with the revision and reports each change by requests, the clock and a reset', async () => {
    const response = await rental.stream('/changes');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const next = await follow(response);
    expect(await next()).toBe(0);
    await rental.ask('POST', '/webhooks/configure', { body: { url: '' } });
    expect(await next()).toBe(1);
    rental.clock.advance(1);
    expect(await next()).toBe(2);
    rental.sandbox.reset();
    expect(await next()).toBe(3);
  });

  it('ends when the sandbox stops, and is empty afterwards', async () => {
    const next = await follow(await rental.stream('/changes'));
    await next();
    rental.sandbox.stop();
    expect(await next()).toBe('end');
    expect(await (await rental.stream('/changes')).text()).toBe('');
  });

  it('continues after clients disconnect', async () => {
    await (await rental.stream('/changes')).body?.cancel();
    expect((await rental.ask('POST', '/energy/buy', { body: ORDER })).status).toBe(200);
    expect((await rental.state()).orders).toHaveLength(1);
  });
});
