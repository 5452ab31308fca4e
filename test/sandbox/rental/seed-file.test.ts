import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSeedFile } from '../../../src/sandbox/rental/seed-file.ts';
import { demoSeed, type SeedAccount, type SeedPackage } from '../../../src/sandbox/rental/state.ts';
import { SERVICE } from '../../../src/sandbox/rental/wallets.ts';
import { serveRental } from './rental-server.ts';

function file(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'seed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'seed.json');
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
  it('replaces the accounts of the demo', async () => {
    const seed = readSeedFile(file(changed({ key: 'mine', balance_trx: '3.5' })));
    const rental = await serveRental({ seed });
    expect((await rental.ask('GET', '/account/profile', { key: 'mine' })).json).toMatchObject({
      balance_trx: '3.50',
    });
    expect((await rental.request('GET', '/account/profile')).status).toBe(401);
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
  it.each([
    ['an invalid id', changed({ id: 0 }), 'accounts.0.id: expected a whole number of 1 or more'],
    ['no key', changed({ key: '' }), 'accounts.0.key: expected a text that is not empty'],
    [
      'no balance',
      changed({ balance_trx: '-1' }),
      'accounts.0.balance_trx: expected a decimal string of TRX, like "12.50"',
    ],
    [
      'an invalid price',
      { ...demoSeed(), energy_sun: { '1h': '0' } },
      'energy_sun.1h: expected a decimal string of sun above 0 and below 1,000,000 with up to two decimals, like "35.68"',
    ],
    ['no address', changed({ chain_address: 'T1' }), 'accounts.0.chain_address: expected a chain address'],
    [
      "the service's own address",
      changed({ deposit_address: SERVICE }),
      'accounts.0.deposit_address: expected a chain address',
    ],
    ['no secret', changed({ totp_secret: 'secret' }), 'accounts.0.totp_secret: expected a base32 secret'],
    [
      'no time',
      changed({ created_at: 'today' }),
      'accounts.0.created_at: expected a time like "2025-01-01T00:00:00.000Z"',
    ],
    ['a duplicate id', changed({ id: 1002 }), 'accounts.1.id: 1002 is used twice'],
    ['a duplicate key', changed({ key: 'merchant-key' }), 'accounts.1.key: merchant-key is used twice'],
    [
      'a duplicate deposit address',
      changed({ deposit_address: merchant?.deposit_address }),
      `accounts.1.deposit_address: ${merchant?.deposit_address} is used twice`,
    ],
    [
      'a deposit address that is also an account’s own address',
      changed({ deposit_address: merchant?.chain_address }),
      `accounts.0.deposit_address: ${merchant?.chain_address} is a chain_address too`,
    ],
    [
      'a package of an unknown account',
      changed({}, { account_id: 9 }),
      'packages.0.account_id: there is no account 9',
    ],
    [
      'too large a package',
      changed({}, { size: 10_001 }),
      'packages.0.size: expected a whole number from 1 to 10,000',
    ],
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
