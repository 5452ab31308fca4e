import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chainAddressOf } from '../../../src/sandbox/rental/chain-address.ts';
import type { RentalSandboxOptions } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../../support/temporary-file.ts';
import { ADDRESS, type CodedError, receiveWebhooks, serveRental, useRental } from './rental-server.ts';

const rental = useRental();
interface Subscription {
  id: number;
  address: string;
  status: string;
}
const OTHER = chainAddressOf('other');
const activate = (body: object = { address: ADDRESS }, key = 'demo-key') =>
  rental.ask<Subscription & CodedError>('POST', '/smart-mode/activate', { key, body });
const act = (id: number, action: 'toggle' | 'deactivate', key = 'demo-key') =>
  rental.ask<Subscription & CodedError>('POST', `/smart-mode/${id}/${action}`, { key });
const list = async (key = 'demo-key') =>
  (await rental.ask<Subscription[]>('GET', '/smart-mode/subscriptions', { key })).json;

describe('POST /smart-mode/activate', () => {
  it.each([
    ['a shop', 'a shop'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['', ''],
    [null, null],
  ])('accepts the label %j', async (label, kept) => {
    expect((await activate({ address: ADDRESS, label })).json).toMatchObject({ label: kept });
    expect(await list()).toMatchObject([{ label: kept }]);
  });

  it.each(['demo-key', 'package-key'])(
    'rejects from %s an address with an active transfer package',
    async (key) => {
      const address = (await rental.state()).packages[0]?.address;
      const { status, json } = await activate({ address }, key);
      expect([status, json.detail.error.code]).toEqual([409, 'PACKAGE_CONFLICT']);
      expect((await rental.state()).ledger).toEqual([]);
    },
  );

  it.each(['demo-key', 'merchant-key'])('rejects from %s an address that is already watched', async (key) => {
    const { json } = await activate();
    for (const _ of ['active', 'paused']) {
      const second = await activate({ address: ADDRESS }, key);
      expect([second.status, second.json.detail.error.code]).toEqual([409, 'SMART_MODE_CONFLICT']);
      await act(json.id, 'toggle');
    }
    await act(json.id, 'deactivate');
    expect((await activate({ address: ADDRESS }, key)).status).toBe(200);
  });
});

describe('GET /smart-mode/subscriptions', () => {
  it('lists the account’s active and paused subscriptions, newest first, without fees', async () => {
    const first = await activate({ address: ADDRESS, label: 'shop' });
    await act(first.json.id, 'toggle');
    const second = await activate({ address: OTHER, bw_guarantee: false });
    const third = await activate({ address: chainAddressOf('third') });
    await act(third.json.id, 'deactivate');
    const created_at = '2025-06-01T12:00:00.000Z';
    expect(await list()).toEqual([
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
    expect(await list('merchant-key')).toEqual([]);
  });
});

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** Active on the chain, without USDT. */
const NEWCOMER = chainAddressOf('newcomer');
/** Opens Smart Mode of the merchant (250 TRX) at an address with 100 USDT. The first day is paid from noon on. */
async function watched(fields: object = {}, options: Omit<RentalSandboxOptions, 'clock'> = {}) {
  await rental.start(options);
  const key = 'merchant-key';
  const send = (to: string, amount = '1', { from = ADDRESS, currency = 'USDT' } = {}) =>
    rental.control<CodedError>('POST', '/transfers', { from, to, currency, amount });
  for (const to of [ADDRESS, NEWCOMER]) {
    await rental.control('POST', '/transfers', { to, currency: 'TRX', amount: '5' });
  }
  await rental.control('POST', '/transfers', { to: ADDRESS, currency: 'USDT', amount: '100' });
  const body = { address: ADDRESS, ...fields };
  const { json } = await rental.ask<Subscription>('POST', '/smart-mode/activate', { key, body });
  const { id } = json;
  return {
    ...rental,
    id,
    send,
    toggle: () => rental.ask<Subscription & CodedError>('POST', `/smart-mode/${id}/toggle`, { key }),
    deactivate: () => rental.ask<Subscription>('POST', `/smart-mode/${id}/deactivate`, { key }),
    status: async () => (await rental.state()).subscriptions[0]?.status,
    has: () => rental.wallet(),
    balance: () => rental.balance(key),
    leave: (balance_trx: string) => rental.control('POST', '/accounts/1002/balance', { balance_trx }),
    days: async () =>
      (await rental.state()).ledger
        .filter(({ kind }) => kind === 'smart_mode_day')
        .map(({ at }) => at)
        .reverse(),
    audit: async () => (await rental.state()).audit,
  };
}

describe('the daily fee of Smart Mode', () => {
  it('is not charged during a pause, and the rest of the paid day is used afterwards', async () => {
    const service = await watched();
    service.clock.advance(10 * HOUR);
    await service.toggle();
    service.clock.advance(30 * DAY);
    await service.toggle();
    expect(await service.balance()).toBe('248.50');
    service.clock.advance(14 * HOUR - 1);
    expect(await service.balance()).toBe('248.50');
    service.clock.advance(1);
    expect(await service.balance()).toBe('247.00');
    service.clock.advance(DAY);
    expect(await service.balance()).toBe('245.50');
    const kinds = (await service.state()).ledger.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('smart_mode_')).reverse()).toEqual([
      'smart_mode_day',
      'smart_mode_pause',
      'smart_mode_resumption',
      'smart_mode_day',
      'smart_mode_day',
    ]);
  });

  it('is charged once a day however often the subscription is paused', async () => {
    const service = await watched();
    for (let hour = 0; hour < 24; hour++) {
      await service.toggle();
      await service.toggle();
      service.clock.advance(HOUR);
    }
    expect(await service.days()).toHaveLength(2);
  });

  it('pauses the subscription without a charge if the balance is insufficient', async () => {
    const service = await watched();
    await service.leave('1.499999');
    service.clock.advance(DAY);
    expect(await service.status()).toBe('paused');
    expect(await service.balance()).toBe('1.499999');
    const refused = await service.toggle();
    expect([refused.status, refused.json.detail.error.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
    expect(await service.status()).toBe('paused');
    await service.leave('5');
    service.clock.advance(5 * HOUR);
    expect((await service.toggle()).json.status).toBe('active');
    expect(await service.balance()).toBe('3.50');
    service.clock.advance(DAY - 1);
    expect(await service.balance()).toBe('3.50');
    service.clock.advance(1);
    expect(await service.balance()).toBe('2.00');
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });
});

describe('a USDT transfer from a watched address', () => {
  it('is charged and delegates energy and bandwidth for a receiver with USDT, for an hour', async () => {
    const service = await watched();
    await service.control('POST', '/transfers', { to: NEWCOMER, currency: 'USDT', amount: '0.000001' });
    await service.send(NEWCOMER);
    expect(await service.balance()).toBe('245.70');
    expect(await service.has()).toMatchObject({ energy: 65_000, bandwidth: 350 });
    const [entry] = (await service.state()).ledger;
    expect(entry).toMatchObject({
      kind: 'smart_mode_transfer',
      amount_trx: '-2.80',
      subscription_id: service.id,
    });
    expect(await service.audit()).toMatchObject({ ok: true, faults: [], income: { trx: '4.30' } });
    service.clock.advance(HOUR);
    expect(await service.has()).toMatchObject({ energy: 0, bandwidth: 0 });
  });

  it('delegates more energy for a receiver without USDT', async () => {
    const service = await watched();
    await service.send(NEWCOMER);
    expect(await service.has()).toMatchObject({ energy: 131_000 });
    await service.send(NEWCOMER);
    expect(await service.has()).toMatchObject({ energy: 131_000 + 65_000 });
  });

  it('costs 0.30 TRX less without BW Guarantee and delegates no bandwidth', async () => {
    const service = await watched({ bw_guarantee: false });
    await service.send(NEWCOMER);
    expect(await service.balance()).toBe('246.00');
    expect(await service.has()).toMatchObject({ energy: 131_000, bandwidth: 0 });
  });

  it('pauses the subscription without a charge or delivery if the balance is insufficient', async () => {
    const service = await watched();
    await service.leave('2.799999');
    expect((await service.send(NEWCOMER)).status).toBe(200);
    expect(await service.status()).toBe('paused');
    expect(await service.balance()).toBe('2.799999');
    expect(await service.has()).toMatchObject({ energy: 0 });
    await service.leave('2.80');
    expect((await service.toggle()).json.status).toBe('active');
    await service.send(NEWCOMER);
    expect(await service.balance()).toBe('0.00');
    expect(await service.has()).toMatchObject({ energy: 65_000 });
  });

  it('is not counted for TRX, incoming or failed transfers', async () => {
    const service = await watched();
    await service.send(NEWCOMER, '1', { currency: 'TRX' });
    await service.control('POST', '/transfers', { to: ADDRESS, currency: 'USDT', amount: '1' });
    expect((await service.send(NEWCOMER, '1000')).status).toBe(400);
    expect(await service.balance()).toBe('248.50');
  });

  it('is charged for payments to an invoice, but not for its refunds', async () => {
    const service = await watched();
    const { json } = await service.ask<{ payment_address: string }>('POST', '/invoices', {
      body: { address: NEWCOMER, energy_amount: 65_000, duration_hours: 1 },
    });
    await service.send(json.payment_address, '0.5');
    await service.send(json.payment_address, '1');
    expect(await service.balance()).toBe('242.90');
    expect(await service.has()).toMatchObject({ energy: 131_000 + 65_000 });
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });

  it('sends a smart_mode.transfer event each', async () => {
    const service = await watched();
    const { url, received } = await receiveWebhooks(200);
    await service.ask('POST', '/webhooks/configure', { key: 'merchant-key', body: { url } });
    await service.send(NEWCOMER, '12.5');
    await service.send(NEWCOMER, '1');
    await eventually(() => expect(received).toHaveLength(2));
    const events = received
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => a.data.transfer_id - b.data.transfer_id);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(events[0]).toMatchObject({
      event: 'smart_mode.transfer',
      data: {
        transfer_id: 1,
        subscription_id: service.id,
        address: ADDRESS,
        to_address: NEWCOMER,
        amount_usdt: '12.50',
        energy_amount: 131_000,
        bw_guarantee: true,
        fee_trx: '2.80',
        tx_hash: hash,
        delegation_tx_hash: hash,
      },
    });
    expect(events[1]).toMatchObject({ data: { transfer_id: 2, energy_amount: 65_000 } });
  });
});

describe('the control API of Smart Mode', () => {
  it('makes a transfer from a watched address and provides missing funds', async () => {
    const service = await watched();
    const bare = chainAddressOf('bare');
    const body = { address: bare };
    const { json } = await service.ask<Subscription>('POST', '/smart-mode/activate', { body });
    const answer = await service.control('POST', `/smart-mode/${json.id}/transfer`, { amount: '7' });
    expect(answer).toMatchObject({ status: 200, json: { from: bare, currency: 'USDT', amount: '7.00' } });
    expect(await rental.wallet(bare)).toMatchObject({
      active: true,
      trx: '0.00',
      usdt: '0.00',
      energy: 65_000,
    });
    await service.control('POST', `/smart-mode/${service.id}/transfer`, { to: NEWCOMER, amount: '101' });
    expect(await service.has()).toMatchObject({ usdt: '0.00', energy: 131_000 });
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });
});

describe('after a restart from a file', () => {
  const stateFile = () => temporaryFile('state.json');

  it('continues to charge the fees', async () => {
    const file = stateFile();
    const first = await watched({}, { stateFile: file });
    first.sandbox.stop();
    const { clock, state } = await serveRental({ stateFile: file });
    clock.advance(2 * DAY);
    const { accounts, audit } = await state();
    expect(accounts.find(({ id }) => id === 1002)?.balance_trx).toBe('245.50');
    expect(audit).toMatchObject({ ok: true, faults: [] });
  });

  it.each([
    ['not resumed if a package has become active', true, 409],
    ['resumed if a package is used up', false, 200],
  ])('a paused subscription is %s', async (_, active, expected) => {
    const file = stateFile();
    const first = await watched({}, { stateFile: file });
    await first.toggle();
    first.sandbox.stop();
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    Object.assign(saved.state.packages[0], { address: ADDRESS, active });
    writeFileSync(file, JSON.stringify(saved));
    const { ask } = await serveRental({ stateFile: file });
    const { status, json } = await ask('POST', `/smart-mode/${first.id}/toggle`, { key: 'merchant-key' });
    expect(status).toBe(expected);
    if (active) expect(json).toMatchObject({ detail: { error: { code: 'PACKAGE_CONFLICT' } } });
  });
});
