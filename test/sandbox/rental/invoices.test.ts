import { describe, expect, it, vi } from 'vitest';
import { chainAddressOf } from '../../../src/sandbox/rental/chain-address.ts';
import type { RentalSandboxOptions } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { FAUCET } from '../../../src/sandbox/rental/wallets.ts';
import { temporaryFile } from '../../support/temporary-file.ts';
import { ADDRESS, type CodedError, receiveWebhooks, START, serveRental, useRental } from './rental-server.ts';

const rental = useRental();
interface Invoice {
  invoice_id: number;
  payment_address: string;
  price_trx: string;
  status: string;
}

describe('POST /invoices', () => {
  it.each([
    [{ energy_amount: 32_000, duration_hours: 1 }, 32_000, '1.14', '0.38'],
    [{ energy_amount: 5_000_000, duration_hours: 24 }, 5_000_000, '325.00', '105.63'],
    [{ transfer_count: 1, duration_hours: 1 }, 65_000, '2.32', '0.76'],
    [{ transfer_count: 2, duration_hours: 24 }, 130_000, '8.45', '2.75'],
    [{ transfer_count: 100, duration_hours: 24 }, 6_500_000, '422.50', '137.32'],
  ])('converts %o to %i energy, %s TRX or %s USDT', async (amounts, energy, trx, usdt) => {
    const body = { address: ADDRESS, ...amounts };
    const { json } = await rental.ask<Invoice>('POST', '/invoices', { body });
    expect(json).toMatchObject({ energy_amount: energy, price_trx: trx, price_usdt: usdt });
  });
});

type Currency = 'TRX' | 'USDT';
/** Address of an external payer. */
const PAYER = chainAddressOf('payer');
const MINUTE = 60_000;
/** Opens a rental service with an invoice of 2.32 TRX or 0.76 USDT, and a payer with 10 of each. */
async function invoiced(options: Omit<RentalSandboxOptions, 'clock'> = {}) {
  await rental.start(options);
  const send = (body: { from?: string; to: string; currency: Currency; amount: string }) =>
    rental.control<CodedError>('POST', '/transfers', body);
  for (const currency of ['TRX', 'USDT'] as const) await send({ to: PAYER, currency, amount: '10' });
  const { json: made } = await rental.ask<Invoice>('POST', '/invoices', {
    body: { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 },
  });
  const { invoice_id: id, payment_address: to } = made;
  return {
    ...rental,
    id,
    paymentAddress: to,
    pay: (amount: string, currency: Currency = 'TRX', from = PAYER) => send({ from, to, currency, amount }),
    get: async () => (await rental.ask<Invoice>('GET', `/invoices/${id}`)).json,
    act: (end: 'delegate' | 'fail') => rental.control<Invoice & CodedError>('POST', `/invoices/${id}/${end}`),
    async has(address: string) {
      const { trx, usdt } = await rental.wallet(address);
      return [trx, usdt];
    },
    kinds: async () => (await rental.state()).ledger.map(({ kind }) => kind).reverse(),
    audit: async () => (await rental.state()).audit,
  };
}

describe('a payment of an invoice', () => {
  it('adds up over both currencies, each as its share of its price', async () => {
    const service = await invoiced();
    await service.pay('1.16');
    await service.pay('0.379999', 'USDT');
    expect((await service.get()).status).toBe('pending');
    await service.pay('1', 'USDT');
    expect((await service.get()).status).toBe('paid');
    expect(await service.has(PAYER)).toEqual(['8.84', '9.62']);
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });

  it('refunds the surplus of an overpayment at once', async () => {
    const service = await invoiced();
    await service.pay('1');
    await service.pay('5.000001');
    expect((await service.get()).status).toBe('paid');
    expect(await service.has(PAYER)).toEqual(['7.68', '10.00']);
    expect(await service.has(service.paymentAddress)).toEqual(['2.32', '0.00']);
    expect(await service.kinds()).toEqual([
      'invoice',
      'invoice_payment',
      'invoice_payment',
      'invoice_refund',
    ]);
    const [refund] = (await service.state()).ledger;
    expect(refund).toMatchObject({
      invoice_id: service.id,
      amount_trx: '0.00',
      paid: { currency: 'TRX', amount: '-3.680001' },
    });
  });

  it.each([
    ['paid', async () => {}],
    ['delegated', (service: Awaited<ReturnType<typeof invoiced>>) => service.act('delegate')],
    ['failed', (service: Awaited<ReturnType<typeof invoiced>>) => service.act('fail')],
  ])('is refunded if the invoice is already %s', async (status, end) => {
    const service = await invoiced();
    await service.pay('2.32');
    await end(service);
    const before = await service.has(PAYER);
    await service.pay('0.5', 'USDT');
    await service.pay('0.5');
    expect(await service.has(PAYER)).toEqual(before);
    expect((await service.get()).status).toBe(status);
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });

  it('is refunded to the account’s address if it came from a withdrawal', async () => {
    const service = await invoiced({ completeAfterMs: 0 });
    const { accounts } = await service.state();
    const own = accounts.find(({ id }) => id === 1002)?.chain_address ?? '';
    await service.ask('POST', '/account/withdrawal', {
      key: 'merchant-key',
      body: { to_address: service.paymentAddress, amount_trx: '3' },
    });
    expect((await service.get()).status).toBe('paid');
    expect(await service.has(own)).toEqual(['0.68', '0.00']);
    await service.act('fail');
    expect(await service.has(own)).toEqual(['3.00', '0.00']);
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });
});

describe('a paid invoice', () => {
  it('is delivered: the address receives the energy, and the money becomes income', async () => {
    const service = await invoiced();
    await service.pay('2.00');
    await service.pay('0.2', 'USDT');
    service.clock.advance(MINUTE);
    const { status, json } = await service.act('delegate');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'delegated',
      tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_at: '2025-06-01T12:00:00.000Z',
      expires_at: '2025-06-01T12:30:00.000Z',
      paid_at: '2025-06-01T12:00:00.000Z',
      delegated_at: '2025-06-01T12:01:00.000Z',
    });
    expect((await service.wallet(ADDRESS)).energy).toBe(65_000);
    expect(await service.has(service.paymentAddress)).toEqual(['0.00', '0.00']);
    const { audit } = await service.state();
    expect(audit).toMatchObject({ ok: true, faults: [], income: { trx: '2.00' } });
    expect(audit.income.usdt).toBe('0.104828');
    service.clock.advance(60 * MINUTE);
    expect((await service.wallet(ADDRESS)).energy).toBe(0);
  });

  it('is delegated automatically after the configured time', async () => {
    const service = await invoiced({ delegateAfterMs: 20_000 });
    await service.pay('2.32');
    service.clock.advance(19_999);
    expect((await service.get()).status).toBe('paid');
    service.clock.advance(1);
    expect(await service.get()).toMatchObject({
      status: 'delegated',
      delegated_at: '2025-06-01T12:00:20.000Z',
    });
  });

  it('refunds everything to each of its payers when it fails', async () => {
    const service = await invoiced();
    await service.pay('1.32');
    await service.pay('0.3', 'USDT');
    await service.pay('1', 'TRX', FAUCET);
    const { json } = await service.act('fail');
    expect(json.status).toBe('failed');
    expect(json).toHaveProperty('paid_at');
    expect(json).not.toHaveProperty('tx_hash');
    expect(await service.has(PAYER)).toEqual(['10.00', '10.00']);
    expect(await service.has(service.paymentAddress)).toEqual(['0.00', '0.00']);
    expect((await service.wallet(ADDRESS)).energy).toBe(0);
    expect((await service.state()).audit).toMatchObject({ ok: true, faults: [], income: { trx: '0.00' } });
  });
});

describe('an unpaid invoice', () => {
  it.each([
    ['read', (service: Awaited<ReturnType<typeof invoiced>>) => service.get()],
    ['paid', (service: Awaited<ReturnType<typeof invoiced>>) => service.pay('2.32')],
  ])('expires on time when it is %s, even if its timer is late', async (_, use) => {
    const service = await invoiced();
    vi.setSystemTime(START + 30 * MINUTE);
    await use(service);
    expect((await service.state()).invoices).toMatchObject([{ status: 'expired' }]);
    expect(await service.kinds()).toContain('invoice_expiry');
    expect(await service.has(PAYER)).toEqual(['10.00', '10.00']);
  });

  it('refunds an insufficient payment to each payer', async () => {
    const service = await invoiced();
    await service.control('POST', '/transfers', { to: ADDRESS, currency: 'TRX', amount: '1' });
    await service.pay('1.5');
    await service.pay('0.319999', 'TRX', ADDRESS);
    await service.pay('0.16', 'USDT');
    service.clock.advance(30 * MINUTE);
    expect((await service.get()).status).toBe('expired');
    expect(await service.has(PAYER)).toEqual(['10.00', '10.00']);
    expect(await service.has(ADDRESS)).toEqual(['1.00', '0.00']);
    expect(await service.has(service.paymentAddress)).toEqual(['0.00', '0.00']);
    expect(await service.audit()).toMatchObject({ ok: true, faults: [] });
  });
});

describe('an expired invoice', () => {
  it('sends no event', async () => {
    const service = await invoiced();
    const { url } = await receiveWebhooks(200);
    await service.ask('POST', '/webhooks/configure', { body: { url } });
    service.clock.advance(30 * MINUTE);
    expect((await service.state()).webhook_log).toEqual([]);
  });
});

describe('after a restart from a file', () => {
  it('expires a pending invoice, delegates a paid one and keeps the money', async () => {
    const options = { stateFile: temporaryFile('state.json'), delegateAfterMs: 20_000 };
    const first = await invoiced(options);
    await first.pay('0.5', 'USDT');
    await first.pay('1');
    const body = { address: ADDRESS, transfer_count: 2, duration_hours: 24 };
    const { json } = await first.ask<Invoice>('POST', '/invoices', { body });
    await first.control('POST', `/invoices/${json.invoice_id}/pay`, { amount: '8.449999' });
    first.sandbox.stop();
    const { clock, state } = await serveRental(options);
    clock.advance(20_000);
    expect((await state()).invoices.map(({ status }) => status)).toEqual(['pending', 'delegated']);
    clock.advance(30 * MINUTE);
    const { invoices, audit } = await state();
    expect(invoices.map(({ status }) => status)).toEqual(['expired', 'delegated']);
    expect(audit).toMatchObject({ ok: true, faults: [] });
  });
});

describe('the control API of invoices', () => {
  it.each([
    [undefined, 'paid'],
    [{}, 'paid'],
    [{ currency: 'USDT' }, 'paid'],
    [{ amount: '2.31' }, 'pending'],
    [{ currency: 'USDT', amount: '0.75' }, 'pending'],
  ])('pays %o from an external address: %s', async (body, status) => {
    const service = await invoiced();
    const answer = await service.control<Invoice>('POST', `/invoices/${service.id}/pay`, body);
    expect(answer).toMatchObject({ status: 200, json: { invoice_id: service.id, status } });
    expect((await service.state()).invoices).toMatchObject([answer.json]);
  });

  it.each([
    ['{', 'body: expected a JSON object'],
    [{ currency: 'EUR' }, 'currency: expected TRX or USDT'],
    [
      { amount: '0' },
      'amount: expected a decimal string of more than 0 with up to six decimals, like "12.50"',
    ],
  ])('rejects a payment of %o', async (body, detail) => {
    const service = await invoiced();
    const answer = await service.control('POST', `/invoices/${service.id}/pay`, body);
    expect(answer).toEqual({ status: 422, json: { detail } });
  });
});
