import { describe, expect, it } from 'vitest';
import { readEvents } from '../../support/event-stream.ts';
import { ADDRESS, ORDER, START, useRental } from './rental-server.ts';

const rental = useRental();
const buy = async (): Promise<number> =>
  (await rental.ask<{ order_id: number }>('POST', '/energy/buy', { body: ORDER })).json.order_id;

describe('the state', () => {
  it('starts with the seed', async () => {
    const state = await rental.state();
    expect(state).toMatchObject({ now: START, orders: [], webhook_log: [], faults: [], ledger: [] });
    expect(state.accounts.map(({ key, balance_trx }) => [key, balance_trx])).toEqual([
      ['demo-key', '1000.00'],
      ['merchant-key', '250.00'],
      ['operator-key', '500.00'],
      ['empty-key', '0.00'],
      ['totp-key', '300.00'],
      ['package-key', '100.00'],
    ]);
    expect(state.packages).toEqual([
      {
        id: 1,
        account_id: 1005,
        address: expect.stringMatching(/^T/),
        size: 100,
        active: true,
        created_at: '2025-01-01T00:00:00.000Z',
      },
    ]);
    expect(state.accounts[0]).toEqual({
      id: 1001,
      email: 'demo@example.com',
      key: 'demo-key',
      balance_trx: '1000.00',
      chain_address: expect.any(String),
      deposit_address: expect.any(String),
      totp_enabled: false,
      totp_secret: null,
      webhook: null,
    });
  });

  it('shows orders and the ledger, newest first', async () => {
    const first = await buy();
    const second = await buy();
    const { orders, ledger } = await rental.state();
    expect(orders).toMatchObject([{ order_id: second }, { order_id: first }]);
    expect(orders[0]).toEqual({
      order_id: second,
      kind: 'energy',
      account_id: 1001,
      address: ADDRESS,
      energy_amount: 65_000,
      duration_hours: 1,
      price_trx: '2.32',
      status: 'pending',
      created_at: '2025-06-01T12:00:00.000Z',
    });
    expect(ledger).toMatchObject([{ order_id: second }, { order_id: first }]);
    expect(ledger[0]).toEqual({
      id: 2,
      at: '2025-06-01T12:00:00.000Z',
      account_id: 1001,
      kind: 'energy',
      amount_trx: '-2.32',
      balance_trx: '995.36',
      order_id: second,
    });
  });
});

describe('an order', () => {
  it('is filled once', async () => {
    const id = await buy();
    const filled = await rental.control('POST', `/orders/${id}/fill`);
    expect(filled).toMatchObject({ status: 200, json: { order_id: id, status: 'filled' } });
    expect(await rental.control('POST', `/orders/${id}/fail`)).toEqual({
      status: 409,
      json: { detail: { error: { code: 'INVALID_STATE', message: `Order ${id} is filled already` } } },
    });
    const { accounts, ledger } = await rental.state();
    expect(accounts[0]?.balance_trx).toBe('997.68');
    expect(ledger.map(({ kind, amount_trx }) => [kind, amount_trx])).toEqual([
      ['fill', '0.00'],
      ['energy', '-2.32'],
    ]);
  });

  it('stays failed when its fill time comes', async () => {
    await rental.start({ fillAfterMs: 5_000 });
    await rental.control('POST', `/orders/${await buy()}/fail`);
    rental.clock.advance(5_000);
    expect((await rental.state()).orders).toMatchObject([{ status: 'failed' }]);
  });
});

describe('an account', () => {
  it('has its balance set by the control API', async () => {
    const answer = await rental.control('POST', '/accounts/1001/balance', { balance_trx: '1' });
    expect(answer).toMatchObject({ status: 200, json: { balance_trx: '1.00' } });
    expect((await rental.state()).ledger).toMatchObject([
      { kind: 'adjustment', amount_trx: '-999.00', balance_trx: '1.00' },
    ]);
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
