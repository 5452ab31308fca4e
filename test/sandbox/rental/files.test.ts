import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { readSeedFile } from '../../../src/sandbox/rental/seed-file.ts';
import {
  createState,
  demoSeed,
  type SeedAccount,
  type SeedPackage,
} from '../../../src/sandbox/rental/state.ts';
import { readTotpSecret, totpCode, totpStep } from '../../../src/sandbox/rental/two-factor.ts';
import { SERVICE } from '../../../src/sandbox/rental/wallets.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../../support/temporary-file.ts';
import { ADDRESS, ORDER, START, serveRental } from './rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;
const HOUR = 3_600_000;
const statePath = () => temporaryFile('state.json');

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
    const energy = async () => (await second.wallet()).energy;
    const delegated = await energy();
    const pending = async () => {
      const { orders, deposits, withdrawals } = await second.state();
      return [orders, deposits, withdrawals].map(
        (list) => list.filter(({ status }) => status === 'pending').length,
      );
    };
    expect(await pending()).toEqual([2, 1, 1]);
    second.clock.advance(1);
    expect(await pending()).toEqual([0, 0, 0]);
    // Two earlier delegations have expired, and an order has been filled.
    expect(await energy()).toBe(delegated - 65_000);
    expect((await second.state()).audit.ok).toBe(true);
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

  it('numbers orders from the first id if the file has no last one', async () => {
    const stateFile = statePath();
    (await serveRental({ stateFile })).sandbox.stop();
    const saved = JSON.parse(readFileSync(stateFile, 'utf8'));
    delete saved.state.lastIds.orders;
    writeFileSync(stateFile, JSON.stringify(saved));
    const second = await serveRental({ stateFile });
    const { json } = await second.ask<{ order_id: number }>('POST', '/energy/buy', { body: ORDER });
    expect(json.order_id).toBe(10_001);
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

function file(content: unknown): string {
  const path = temporaryFile('seed.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
/** Returns the demo's seed with changes to its first account and its package. */
function changed(account: Partial<SeedAccount>, one: Partial<SeedPackage> = {}) {
  const { accounts, packages = [] } = demoSeed();
  return {
    accounts: accounts.map((each, index) => (index === 0 ? { ...each, ...account } : each)),
    packages: packages.map((each) => ({ ...each, ...one })),
  };
}
const message = (path: string): string => {
  try {
    readSeedFile(path);
  } catch (error) {
    return String(error).replaceAll(path, 'seed.json');
  }
  return 'no error';
};

describe('a seed file', () => {
  it('reserves the ids of its packages', () => {
    const [one] = demoSeed().packages ?? [];
    expect(createState({ ...demoSeed(), packages: one && [{ ...one, id: 7 }] }).lastIds.packages).toBe(7);
  });

  it('may omit packages and 2FA', () => {
    const [account] = demoSeed().accounts;
    expect(readSeedFile(file({ accounts: [account] }))).toEqual({ accounts: [account] });
  });

  it('sets the energy prices', async () => {
    const seed = readSeedFile(file({ ...demoSeed(), energy_sun: { '24h': '55.00' } }));
    const rental = await serveRental({ seed });
    expect((await rental.ask('GET', '/prices')).json).toMatchObject({
      energy_sun: { '1h': '35.68', '24h': '55.00' },
    });
  });

  const [demo, merchant] = demoSeed().accounts;
  const priced = (price: string) => ({ ...demoSeed(), energy_sun: { '1h': price } });

  const NO_BALANCE = 'balance_trx: expected a decimal string of TRX, like "12.50"';
  const NO_TIME = 'created_at: expected a time like "2025-01-01T00:00:00.000Z"';
  const PRICE = 'sun above 0 and below 1,000,000 with up to two decimals, like "35.68"';
  const { deposit_address = '', chain_address = '' } = merchant ?? {};
  it.each([
    ['an invalid id', changed({ id: 0 }), 'accounts.0.id: expected a whole number of 1 or more'],
    ['no key', changed({ key: '' }), 'accounts.0.key: expected a text that is not empty'],
    ['no balance', changed({ balance_trx: '-1' }), `accounts.0.${NO_BALANCE}`],
    ['a price of 0', priced('0'), `energy_sun.1h: expected a decimal string of ${PRICE}`],
    ['no address', changed({ chain_address: 'T1' }), 'accounts.0.chain_address: expected a chain address'],
    [
      'a wrong address',
      changed({ deposit_address: SERVICE }),
      'accounts.0.deposit_address: expected a chain address',
    ],
    ['no secret', changed({ totp_secret: 'secret' }), 'accounts.0.totp_secret: expected a base32 secret'],
    ['no time', changed({ created_at: 'today' }), `accounts.0.${NO_TIME}`],
    ['a duplicate id', changed({ id: 1002 }), 'accounts.1.id: 1002 is used twice'],
    ['a duplicate key', changed({ key: 'merchant-key' }), 'accounts.1.key: merchant-key is used twice'],
    [
      'a duplicate',
      changed({ deposit_address }),
      `accounts.1.deposit_address: ${deposit_address} is used twice`,
    ],
    [
      'a deposit address that is also an account’s own address',
      changed({ deposit_address: chain_address }),
      `accounts.0.deposit_address: ${chain_address} is a chain_address too`,
    ],
    ['no such account', changed({}, { account_id: 9 }), 'packages.0.account_id: there is no account 9'],
    ['a package', changed({}, { size: 10_001 }), 'packages.0.size: expected a whole number from 1 to 10,000'],
    ['no accounts', {}, 'accounts: expected a list of accounts'],
    ['an unknown field', { accounts: [demo], package: [] }, 'the whole: Unrecognized key: "package"'],
  ])('is rejected for %s', (_, seed, fault) => {
    expect(message(file(seed))).toBe(`FileError: seed.json: ${fault}`);
  });

  it('is rejected with a line per fault', () => {
    expect(message(file(changed({ id: 0, key: '' })))).toBe(
      [
        'FileError: seed.json: accounts.0.id: expected a whole number of 1 or more',
        'seed.json: accounts.0.key: expected a text that is not empty',
      ].join('\n'),
    );
  });

  it('is rejected if it is missing or not JSON', () => {
    expect(message(file('{'))).toMatch(/^FileError: seed\.json: .*JSON/);
    expect(message('/nowhere/seed.json')).toMatch(/^FileError: seed\.json: ENOENT/);
  });
});
