import { z } from 'zod';
import { isChainAddress } from './chain-address.ts';
import { energySun } from './prices.ts';
import { readJsonFile } from './snapshot.ts';
import type { Seed } from './state.ts';
import { sunFromTrx } from './sun.ts';
import { isTotpSecret } from './two-factor.ts';
import { SERVICE } from './wallets.ts';

/** Reads a seed from a JSON file with the shape of `Seed`. @throws FileError with a line for each fault. */
export function readSeedFile(path: string): Seed {
  return readJsonFile(path, seed);
}

const expected = (what: string) => ({ error: `expected ${what}` });
const whole = (max: number, what: string) =>
  z.int(expected(what)).min(1, expected(what)).max(max, expected(what));
const string = (what: string, isValid: (text: string) => boolean) =>
  z.string(expected(what)).refine(isValid, expected(what));

const id = whole(Number.MAX_SAFE_INTEGER, 'a whole number of 1 or more');
const text = string('a text that is not empty', (value) => value !== '');
const chainAddress = string('a chain address', (value) => isChainAddress(value) && value !== SERVICE);
const time = z.iso.datetime(expected('a time like "2025-01-01T00:00:00.000Z"'));

const account = z.strictObject({
  id,
  email: text,
  key: text,
  balance_trx: string('a decimal string of TRX, like "12.50"', (value) => sunFromTrx(value) !== undefined),
  chain_address: chainAddress,
  deposit_address: chainAddress,
  totp_secret: string('a base32 secret', isTotpSecret).optional(),
  created_at: time,
});

const transferPackage = z.strictObject({
  id,
  account_id: id,
  address: chainAddress,
  size: whole(10_000, 'a whole number from 1 to 10,000'),
  created_at: time,
});

const seed: z.ZodType<Seed> = z
  .strictObject({
    accounts: z.array(account, expected('a list of accounts')),
    packages: z.array(transferPackage, expected('a list of packages')).optional(),
    energy_sun: energySun.optional(),
  })
  .superRefine(({ accounts, packages = [] }, context) => {
    const complain = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const once = (list: 'accounts' | 'packages', field: string, values: (string | number)[]) =>
      values.forEach((value, index) => {
        if (values.indexOf(value) < index) complain([list, index, field], `${value} is used twice`);
      });
    once(
      'accounts',
      'id',
      accounts.map((one) => one.id),
    );
    once(
      'accounts',
      'key',
      accounts.map((one) => one.key),
    );
    once(
      'accounts',
      'deposit_address',
      accounts.map((one) => one.deposit_address),
    );
    once(
      'packages',
      'id',
      packages.map((one) => one.id),
    );
    once(
      'packages',
      'address',
      packages.map((one) => one.address),
    );
    for (const [index, { deposit_address }] of accounts.entries()) {
      if (accounts.every((one) => one.chain_address !== deposit_address)) continue;
      complain(['accounts', index, 'deposit_address'], `${deposit_address} is a chain_address too`);
    }
    for (const [index, { account_id }] of packages.entries()) {
      if (accounts.some((one) => one.id === account_id)) continue;
      complain(['packages', index, 'account_id'], `there is no account ${account_id}`);
    }
  });
