import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chainAddressOf } from '../../../src/sandbox/rental/chain-address.ts';
import type { RentalSandboxOptions } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { eventually } from '../../support/eventually.ts';
import { ADDRESS, type CodedError, serveRental } from './rental-server.ts';
import { receiveWebhooks } from './webhook-receiver.ts';

interface Subscription {
  id: number;
  status: string;
}

interface Address {
  energy: number;
  bandwidth: number;
}

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** Active on the chain, without USDT. */
const NEWCOMER = chainAddressOf('newcomer');

/** Opens Smart Mode of the merchant (250 TRX) at an address with 100 USDT. The first day is paid from noon on. */
async function watched(fields: object = {}, options: Omit<RentalSandboxOptions, 'clock'> = {}) {
  const rental = await serveRental(options);
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
    has: async () => (await rental.control<Address>('GET', `/chain/addresses/${ADDRESS}`)).json,
    balance: async () =>
      (await rental.ask<{ balance_trx: string }>('GET', '/account/profile', { key })).json.balance_trx,
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
  it('is charged every 24 hours while the subscription is active', async () => {
    const service = await watched();
    expect(await service.balance()).toBe('248.50');
    service.clock.advance(DAY - 1);
    expect(await service.balance()).toBe('248.50');
    service.clock.advance(1);
    expect(await service.balance()).toBe('247.00');
    service.clock.advance(3 * DAY);
    expect(await service.days()).toEqual([
      '2025-06-01T12:00:00.000Z',
      '2025-06-02T12:00:00.000Z',
      '2025-06-03T12:00:00.000Z',
      '2025-06-04T12:00:00.000Z',
      '2025-06-05T12:00:00.000Z',
    ]);
    expect(await service.audit()).toMatchObject({ ok: true, faults: [], income: { trx: '7.50' } });
  });

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

  it('ends with the subscription', async () => {
    const service = await watched();
    await service.deactivate();
    service.clock.advance(3 * DAY);
    expect(await service.balance()).toBe('248.50');
    expect(await service.status()).toBe('deactivated');
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

  it.each(['paused', 'deactivated'])('has no effect on a subscription that is %s', async (status) => {
    const service = await watched();
    await (status === 'paused' ? service.toggle() : service.deactivate());
    await service.send(NEWCOMER);
    expect(await service.balance()).toBe('248.50');
    expect(await service.has()).toMatchObject({ energy: 0 });
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
    const { json: wallet } = await service.control('GET', `/chain/addresses/${bare}`);
    expect(wallet).toMatchObject({ active: true, trx: '0.00', usdt: '0.00', energy: 65_000 });
    await service.control('POST', `/smart-mode/${service.id}/transfer`, { to: NEWCOMER, amount: '101' });
    expect(await service.has()).toMatchObject({ usdt: '0.00', energy: 131_000 });
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });

  it('returns an error for an unknown subscription', async () => {
    const service = await watched();
    expect((await service.control('POST', '/smart-mode/999/transfer', { amount: '1' })).status).toBe(404);
  });
});

describe('after a restart from a file', () => {
  const stateFile = () => {
    const folder = mkdtempSync(join(tmpdir(), 'smart-mode-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, 'state.json');
  };

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
