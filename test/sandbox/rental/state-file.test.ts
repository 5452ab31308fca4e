import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { readTotpSecret, totpCode, totpStep } from '../../../src/sandbox/rental/two-factor.ts';
import { eventually } from '../../support/eventually.ts';
import { ADDRESS, ORDER, START, serveRental } from './rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

const HOUR = 3_600_000;

function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'state.json');
}

/** Creates one of each record, with all optional fields. */
async function live(rental: Rental): Promise<void> {
  const post = (path: string, body: object, key?: string) => rental.ask('POST', path, { key, body });
  await post('/webhooks/configure', { url: 'http://127.0.0.1:9/' });
  await post('/energy/buy', ORDER);
  await rental.control('POST', '/orders/10001/fill');
  await post('/energy/buy', ORDER);
  await post('/bandwidth/buy', { address: ADDRESS, bandwidth_amount: 1000, duration_hours: 24 });
  await post('/energy/activate', { address: ADDRESS });
  await post('/invoices', ORDER);
  const { json } = await post('/invoices', ORDER);
  const { invoice_id } = json as { invoice_id: number };
  await rental.control('POST', `/invoices/${invoice_id}/pay`, { currency: 'USDT' });
  await rental.control('POST', `/invoices/${invoice_id}/delegate`);
  await post('/smart-mode/activate', { address: ADDRESS, label: 'mine' });
  await post('/account/withdrawal', { to_address: ADDRESS, amount_trx: '1' });
  await post('/account/withdrawal', { to_address: ADDRESS, amount_trx: '1' }, 'merchant-key');
  await rental.control('POST', '/withdrawals/1/complete');
  await rental.control('POST', '/accounts/1001/deposit', { amount: '3', currency: 'USDT' });
  await rental.control('POST', '/accounts/1001/deposit', { amount: '3', confirm: false });
  await rental.control('POST', '/prices', { energy_sun: { '1h': '30.00' } });
  await rental.control('POST', '/faults', { endpoint: 'GET /prices', kind: 'latency', ms: 0 });
}

/** Returns the state without the webhook log, whose deliveries continue in real time. */
const lasting = async (rental: Rental) => ({ ...(await rental.state()), webhook_log: undefined });

describe('the state file', () => {
  it('restores everything exactly', async () => {
    const stateFile = statePath();
    const first = await serveRental({ stateFile });
    await live(first);
    const before = await lasting(first);
    first.sandbox.stop();
    const second = await serveRental({ stateFile });
    expect(await lasting(second)).toEqual(before);
    expect(before.audit.ok).toBe(true);
    expect(before.ledger.length).toBeGreaterThan(10);
  });

  it('restores the time if the clock would be behind', async () => {
    const stateFile = statePath();
    const first = await serveRental({ stateFile });
    first.clock.advance(5 * HOUR);
    first.sandbox.stop();
    const second = await serveRental({ stateFile });
    expect(second.clock.now()).toBe(START + 5 * HOUR);
  });

  it('continues scheduled events', async () => {
    const stateFile = statePath();
    const options = { stateFile, fillAfterMs: HOUR, confirmAfterMs: HOUR, completeAfterMs: HOUR };
    const first = await serveRental(options);
    await live(first);
    first.clock.advance(HOUR - 1);
    first.sandbox.stop();
    const second = await serveRental(options);
    const energy = async () =>
      (await second.control<{ energy: number }>('GET', `/chain/addresses/${ADDRESS}`)).json.energy;
    const delegated = await energy();
    second.clock.advance(1);
    const { orders, deposits, withdrawals, audit } = await second.state();
    expect([orders, deposits, withdrawals].flat().filter(({ status }) => status === 'pending')).toEqual([]);
    // Two earlier delegations have expired, and an order has been filled.
    expect(await energy()).toBe(delegated - 65_000);
    expect(audit.ok).toBe(true);
  });

  it('keeps a one-time code used', async () => {
    const stateFile = statePath();
    const key = 'totp-key';
    const body = { to_address: ADDRESS, amount_trx: '1', totp_code: '' };
    const withdraw = async (rental: Rental) =>
      (await rental.ask('POST', '/account/withdrawal', { key, body })).status;
    const first = await serveRental({ stateFile });
    body.totp_code = totpCode(readTotpSecret('JBSWY3DPEHPK3PXP'), totpStep(START) + 1);
    expect(await withdraw(first)).toBe(200);
    first.sandbox.stop();
    const second = await serveRental({ stateFile });
    second.clock.advance(60_000);
    expect(await withdraw(second)).toBe(403);
  });

  it('is written soon after a change', async () => {
    const stateFile = statePath();
    const rental = await serveRental({ stateFile });
    await rental.control('POST', '/accounts/1001/balance', { balance_trx: '7' });
    await eventually(() => expect(readFileSync(stateFile, 'utf8')).toContain('"balance":"7000000"'));
    expect(existsSync(`${stateFile}.new`)).toBe(false);
  });

  it('is not written by a stopped sandbox', async () => {
    const stateFile = statePath();
    const first = await serveRental({ stateFile });
    first.sandbox.stop();
    writeFileSync(stateFile, 'somebody else wrote this');
    first.sandbox.stop();
    expect(readFileSync(stateFile, 'utf8')).toBe('somebody else wrote this');
  });

  it('uses the default prices if the file is older than the prices', async () => {
    const stateFile = statePath();
    const first = await serveRental({ stateFile });
    await first.control('POST', '/prices', { energy_sun: { '1h': '30.00' } });
    first.sandbox.stop();
    const saved = JSON.parse(readFileSync(stateFile, 'utf8'));
    expect(saved.state.energyPrices).toEqual({ 1: '3000', 24: '6500' });
    delete saved.state.energyPrices;
    writeFileSync(stateFile, JSON.stringify(saved));
    const second = await serveRental({ stateFile });
    expect((await second.state()).prices.energy_sun).toEqual({ '1h': '35.68', '24h': '65.00' });
  });

  it('is reset to the seed', async () => {
    const stateFile = statePath();
    const first = await serveRental({ stateFile });
    await first.control('POST', '/accounts/1001/balance', { balance_trx: '7' });
    await first.control('POST', '/reset');
    first.sandbox.stop();
    const second = await serveRental({ stateFile });
    expect((await second.state()).accounts[0]?.balance_trx).toBe('1000.00');
  });

  it('is rejected at the start if it cannot be written', () => {
    const start = () =>
      createRentalSandbox({ clock: createClock(), stateFile: join(statePath(), 'nowhere', 'state.json') });
    expect(start).toThrow(
      expect.objectContaining({ name: 'FileError', message: expect.stringContaining("can't be saved") }),
    );
  });

  it('reports a later write failure once and writes the file once possible', async () => {
    const stateFile = statePath();
    const problems: string[] = [];
    const rental = await serveRental({ stateFile, report: (problem) => problems.push(problem) });
    const balance = (trx: string) => rental.control('POST', '/accounts/1001/balance', { balance_trx: trx });
    mkdirSync(`${stateFile}.new`);
    await balance('7');
    await eventually(() => expect(problems).toHaveLength(1));
    expect(problems[0]).toContain(stateFile);
    rmSync(`${stateFile}.new`, { recursive: true });
    await balance('8');
    await eventually(() => expect(readFileSync(stateFile, 'utf8')).toContain('"balance":"8000000"'));
    mkdirSync(`${stateFile}.new`);
    await balance('9');
    await eventually(() => expect(problems).toHaveLength(2));
    rental.sandbox.stop();
    expect(problems).toHaveLength(2);
  });

  it.each([
    ['no JSON', '{"version":1', /JSON/],
    ['another version', '{"version":2,"now":0,"state":{}}', /version: /],
    ['an invalid balance', (text: string) => text.replace('"1000000000"', '"1e9"'), /openingBalance: /],
    ['a missing list', (text: string) => text.replace('"orders":[],', ''), /state\.orders: /],
  ])('is rejected with %s and left unchanged', async (_, content, fault) => {
    const stateFile = statePath();
    const rental = await serveRental({ stateFile });
    rental.sandbox.stop();
    const text = typeof content === 'string' ? content : content(readFileSync(stateFile, 'utf8'));
    writeFileSync(stateFile, text);
    const start = () => createRentalSandbox({ clock: createClock(), stateFile });
    expect(start).toThrow(
      expect.objectContaining({ name: 'FileError', message: expect.stringMatching(fault) }),
    );
    expect(readFileSync(stateFile, 'utf8')).toBe(text);
  });
});
