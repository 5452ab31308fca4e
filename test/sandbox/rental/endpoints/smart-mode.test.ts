import { describe, expect, it } from 'vitest';
import { chainAddressOf } from '../../../../src/sandbox/rental/chain-address.ts';
import { ADDRESS, type CodedError, serveRental } from '../rental-server.ts';

interface Subscription {
  id: number;
  address: string;
  status: string;
}

type Rental = Awaited<ReturnType<typeof serveRental>>;

const OTHER = chainAddressOf('other');
const activate = (rental: Rental, body: object = { address: ADDRESS }, key = 'demo-key') =>
  rental.ask<Subscription & CodedError>('POST', '/smart-mode/activate', { key, body });
const act = (rental: Rental, id: number, action: 'toggle' | 'deactivate', key = 'demo-key') =>
  rental.ask<Subscription & CodedError>('POST', `/smart-mode/${id}/${action}`, { key });
const list = async (rental: Rental, key = 'demo-key') =>
  (await rental.ask<Subscription[]>('GET', '/smart-mode/subscriptions', { key })).json;
const balance = async (rental: Rental, key = 'demo-key') =>
  (await rental.ask<{ balance_trx: string }>('GET', '/account/profile', { key })).json.balance_trx;

describe('POST /smart-mode/activate', () => {
  it('creates a subscription with BW Guarantee and charges the first day', async () => {
    const rental = await serveRental();
    const { status, json } = await activate(rental);
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.any(Number),
      address: ADDRESS,
      label: null,
      status: 'active',
      bw_guarantee: true,
      subscription_fee_trx: '1.50',
      transfer_fee_trx: '2.80',
      created_at: '2025-06-01T12:00:00.000Z',
    });
    expect(await balance(rental)).toBe('998.50');
    const { ledger, audit } = await rental.state();
    expect(ledger).toMatchObject([
      { kind: 'smart_mode_day', amount_trx: '-1.50', subscription_id: json.id, account_id: 1001 },
    ]);
    expect(audit).toMatchObject({ ok: true, faults: [], income: { trx: '1.50' } });
  });

  it('charges 0.30 TRX less per transfer without BW Guarantee', async () => {
    const rental = await serveRental();
    const { json } = await activate(rental, { address: ADDRESS, bw_guarantee: false });
    expect(json).toMatchObject({ bw_guarantee: false, transfer_fee_trx: '2.50' });
  });

  it.each([
    ['a shop', 'a shop'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['', ''],
    [null, null],
  ])('accepts the label %j', async (label, kept) => {
    const rental = await serveRental();
    expect((await activate(rental, { address: ADDRESS, label })).json).toMatchObject({ label: kept });
    expect(await list(rental)).toMatchObject([{ label: kept }]);
  });

  it.each([
    ['label', 'x'.repeat(65), 'label: expected at most 64 characters'],
    ['label', 7, 'label: expected a text of at most 64 characters'],
    ['bw_guarantee', 'true', 'bw_guarantee: expected true or false'],
    ['bw_guarantee', null, 'bw_guarantee: expected true or false'],
    ['address', undefined, 'address: expected a chain address: T and 33 more characters'],
  ])('rejects %s %j', async (field, value, detail) => {
    const rental = await serveRental();
    const answer = await activate(rental, { address: ADDRESS, [field]: value });
    expect(answer).toEqual({ status: 422, json: { detail } });
    expect((await rental.state()).ledger).toEqual([]);
  });

  it('rejects an address with a wrong checksum', async () => {
    const rental = await serveRental();
    const { status, json } = await activate(rental, { address: 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999' });
    expect([status, json.detail.error.code]).toEqual([400, 'INVALID_ADDRESS']);
  });

  it('creates nothing if the balance is insufficient for the first day', async () => {
    const rental = await serveRental();
    await rental.control('POST', '/accounts/1003/balance', { balance_trx: '1.499999' });
    const { status, json } = await activate(rental, { address: ADDRESS }, 'empty-key');
    expect([status, json.detail.error.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
    expect(await list(rental, 'empty-key')).toEqual([]);
    expect(await balance(rental, 'empty-key')).toBe('1.499999');
    await rental.control('POST', '/accounts/1003/balance', { balance_trx: '1.50' });
    expect((await activate(rental, { address: ADDRESS }, 'empty-key')).status).toBe(200);
    expect(await balance(rental, 'empty-key')).toBe('0.00');
  });

  it.each(['demo-key', 'package-key'])(
    'rejects from %s an address with an active transfer package',
    async (key) => {
      const rental = await serveRental();
      const address = (await rental.state()).packages[0]?.address;
      const { status, json } = await activate(rental, { address }, key);
      expect([status, json.detail.error.code]).toEqual([409, 'PACKAGE_CONFLICT']);
      expect((await rental.state()).ledger).toEqual([]);
    },
  );

  it.each(['demo-key', 'merchant-key'])('rejects from %s an address that is already watched', async (key) => {
    const rental = await serveRental();
    const { json } = await activate(rental);
    for (const _ of ['active', 'paused']) {
      const second = await activate(rental, { address: ADDRESS }, key);
      expect([second.status, second.json.detail.error.code]).toEqual([409, 'SMART_MODE_CONFLICT']);
      await act(rental, json.id, 'toggle');
    }
    await act(rental, json.id, 'deactivate');
    expect((await activate(rental, { address: ADDRESS }, key)).status).toBe(200);
  });

  it('allows ten requests a minute', async () => {
    const rental = await serveRental();
    const { headers } = await rental.request('POST', '/smart-mode/activate', { body: {} });
    expect(headers.get('X-RateLimit-Limit')).toBe('10');
  });
});

describe('GET /smart-mode/subscriptions', () => {
  it('lists the account’s active and paused subscriptions, newest first, without fees', async () => {
    const rental = await serveRental();
    const first = await activate(rental, { address: ADDRESS, label: 'shop' });
    await act(rental, first.json.id, 'toggle');
    const second = await activate(rental, { address: OTHER, bw_guarantee: false });
    const third = await activate(rental, { address: chainAddressOf('third') });
    await act(rental, third.json.id, 'deactivate');
    const created_at = '2025-06-01T12:00:00.000Z';
    expect(await list(rental)).toEqual([
      { id: second.json.id, address: OTHER, label: null, status: 'active', bw_guarantee: false, created_at },
      {
        id: first.json.id,
        address: ADDRESS,
        label: 'shop',
        status: 'paused',
        bw_guarantee: true,
        created_at,
      },
    ]);
    expect(await list(rental, 'merchant-key')).toEqual([]);
  });
});

describe('POST /smart-mode/{subscription_id}/toggle', () => {
  it('pauses an active subscription and resumes a paused one', async () => {
    const rental = await serveRental();
    const { json } = await activate(rental);
    const {
      subscription_fee_trx: _,
      transfer_fee_trx: __,
      ...record
    } = { ...json } as Record<string, unknown>;
    expect((await act(rental, json.id, 'toggle')).json).toEqual({ ...record, status: 'paused' });
    expect((await act(rental, json.id, 'toggle')).json).toEqual(record);
    const kinds = (await rental.state()).ledger.map(({ kind }) => kind).reverse();
    expect(kinds).toEqual(['smart_mode_day', 'smart_mode_pause', 'smart_mode_resumption']);
  });
});

describe('POST /smart-mode/{subscription_id}/deactivate', () => {
  it.each(['active', 'paused'])('ends a subscription that is %s for good', async (status) => {
    const rental = await serveRental();
    const { json } = await activate(rental);
    if (status === 'paused') await act(rental, json.id, 'toggle');
    expect(await act(rental, json.id, 'deactivate')).toEqual({
      status: 200,
      json: { id: json.id, address: ADDRESS, status: 'deactivated', message: expect.any(String) },
    });
    for (const action of ['deactivate', 'toggle'] as const) {
      const again = await act(rental, json.id, action);
      expect([again.status, again.json.detail.error.code]).toEqual([409, 'INVALID_STATE']);
    }
    expect(await list(rental)).toEqual([]);
    expect((await rental.state()).subscriptions).toMatchObject([{ id: json.id, status: 'deactivated' }]);
  });
});

describe.each(['toggle', 'deactivate'] as const)('POST /smart-mode/{subscription_id}/%s', (action) => {
  it.each([
    ['nobody', 'demo-key', 999],
    ['another account', 'merchant-key', 1],
  ])('returns 404 for the subscription of %s', async (_, key, id) => {
    const rental = await serveRental();
    await activate(rental);
    const { status, json } = await act(rental, id, action, key);
    expect(status).toBe(404);
    expect(json.detail.error).toEqual({
      code: 'SUBSCRIPTION_NOT_FOUND',
      message: `Subscription ${id} not found`,
    });
    expect(await list(rental)).toMatchObject([{ status: 'active' }]);
  });

  it('accepts only a number', async () => {
    const rental = await serveRental();
    const answer = await rental.ask('POST', `/smart-mode/one/${action}`);
    expect(answer).toEqual({ status: 422, json: { detail: 'subscription_id: expected a number' } });
  });
});
