import { describe, expect, it } from 'vitest';
import { ADDRESS, ORDER, START, serveRental } from '../rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

const buy = async (rental: Rental): Promise<number> =>
  (await rental.ask<{ order_id: number }>('POST', '/energy/buy', { body: ORDER })).json.order_id;

describe('the state', () => {
  it('starts with the seed', async () => {
    const rental = await serveRental();
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
    const rental = await serveRental();
    const first = await buy(rental);
    const second = await buy(rental);
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
    const rental = await serveRental();
    const id = await buy(rental);
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

  it('fails and is refunded once', async () => {
    const rental = await serveRental();
    const id = await buy(rental);
    const failed = await rental.control('POST', `/orders/${id}/fail`);
    expect(failed).toMatchObject({ status: 200, json: { order_id: id, status: 'failed' } });
    expect((await rental.control('POST', `/orders/${id}/fail`)).status).toBe(409);
    const { accounts, ledger } = await rental.state();
    expect(accounts[0]?.balance_trx).toBe('1000.00');
    expect(ledger[0]).toMatchObject({ kind: 'refund', amount_trx: '2.32', order_id: id });
    expect(ledger).toHaveLength(2);
  });

  it('is filled automatically after the configured time', async () => {
    const rental = await serveRental({ fillAfterMs: 5_000 });
    const id = await buy(rental);
    rental.clock.advance(4_999);
    expect((await rental.state()).orders).toMatchObject([{ order_id: id, status: 'pending' }]);
    rental.clock.advance(1);
    expect((await rental.state()).orders).toMatchObject([{ order_id: id, status: 'filled' }]);
  });

  it('stays failed when its fill time comes', async () => {
    const rental = await serveRental({ fillAfterMs: 5_000 });
    await rental.control('POST', `/orders/${await buy(rental)}/fail`);
    rental.clock.advance(5_000);
    expect((await rental.state()).orders).toMatchObject([{ status: 'failed' }]);
  });

  it('returns 404 if it does not exist', async () => {
    const rental = await serveRental();
    expect(await rental.control('POST', '/orders/1/fill')).toEqual({
      status: 404,
      json: { detail: { error: { code: 'ORDER_NOT_FOUND', message: 'Order 1 not found' } } },
    });
    expect((await rental.control('POST', '/orders/one/fail')).status).toBe(404);
  });
});

describe('an account', () => {
  it('is credited with a deposit', async () => {
    const rental = await serveRental();
    const answer = await rental.control('POST', '/accounts/1003/deposit', { amount_trx: '12.5' });
    expect(answer).toMatchObject({ status: 200, json: { id: 1003, balance_trx: '12.50' } });
    expect((await rental.state()).ledger).toMatchObject([
      { account_id: 1003, kind: 'deposit', amount_trx: '12.50', balance_trx: '12.50' },
    ]);
  });

  it('has its balance set by the control API', async () => {
    const rental = await serveRental();
    const answer = await rental.control('POST', '/accounts/1001/balance', { balance_trx: '1' });
    expect(answer).toMatchObject({ status: 200, json: { balance_trx: '1.00' } });
    expect((await rental.state()).ledger).toMatchObject([
      { kind: 'adjustment', amount_trx: '-999.00', balance_trx: '1.00' },
    ]);
  });

  it.each([
    ['deposit', { amount_trx: '0' }, 'amount_trx: expected more than 0'],
    ['deposit', { amount_trx: 5 }, 'amount_trx: expected a decimal string of TRX, like "12.50"'],
    ['deposit', {}, 'amount: expected a decimal string, like "12.50"'],
    ['deposit', { amount: '1', amount_trx: '1' }, 'amount: expected a decimal string, like "12.50"'],
    ['deposit', { amount: '1', currency: 'BTC' }, 'currency: expected TRX or USDT'],
    ['deposit', { amount: '1', confirm: 'yes' }, 'confirm: expected true or false'],
    [
      'balance',
      { balance_trx: '-1' },
      'balance_trx: expected a decimal string of TRX with up to six decimals, like "12.50"',
    ],
    [
      'balance',
      { balance_trx: '1.0000001' },
      'balance_trx: expected a decimal string of TRX with up to six decimals, like "12.50"',
    ],
    ['balance', 'balance_trx=1', 'body: expected a JSON object'],
  ])('rejects a %s of %j', async (action, body, detail) => {
    const rental = await serveRental();
    const answer = await rental.control('POST', `/accounts/1001/${action}`, body);
    expect(answer).toEqual({ status: 422, json: { detail } });
    expect((await rental.state()).ledger).toEqual([]);
  });

  it('returns 404 if it does not exist', async () => {
    const rental = await serveRental();
    expect((await rental.control('POST', '/accounts/9/deposit', { amount_trx: '1' })).status).toBe(404);
    expect((await rental.control('POST', '/accounts/9/balance', { balance_trx: '1' })).status).toBe(404);
  });
});

describe('the ledger', () => {
  it('lists all executed operations, or those of one kind', async () => {
    const rental = await serveRental();
    await buy(rental);
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
    const rental = await serveRental({ fillAfterMs: 1_000 });
    const before = await rental.state();
    await buy(rental);
    await rental.control('POST', '/faults', { endpoint: 'GET /prices', kind: 'latency' });
    const { status, json } = await rental.control('POST', '/reset');
    rental.clock.advance(1_000);
    expect(status).toBe(200);
    expect(json).toEqual(before);
    expect(await rental.state()).toEqual({ ...before, now: START + 1_000 });
  });
});
