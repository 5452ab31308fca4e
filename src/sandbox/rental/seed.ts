import { chainAddressOf } from './chain-address.ts';

/** State of the rental service at its start and after each reset. */
export interface Seed {
  accounts: SeedAccount[];
  packages?: SeedPackage[];
}

export interface SeedAccount {
  id: number;
  email: string;
  /** API key of the account. */
  key: string;
  /** Balance as a decimal string. */
  balance_trx: string;
  chain_address: string;
  deposit_address: string;
  /** Base32, as in authenticator apps. If set, 2FA is on. */
  totp_secret?: string;
  /** ISO 8601. */
  created_at: string;
}

/** Active transfer package. */
export interface SeedPackage {
  id: number;
  account_id: number;
  address: string;
  /** Number of transfers. */
  size: number;
  /** ISO 8601. */
  created_at: string;
}

const CREATED_AT = '2025-01-01T00:00:00.000Z';

/** Returns the demo's accounts: account holder, merchant, operator, one without money, one with 2FA, one with a package. */
export function demoSeed(): Seed {
  return {
    accounts: [
      account(1001, 'demo', '1000.00'),
      account(1002, 'merchant', '250.00'),
      account(1000, 'operator', '500.00'),
      account(1003, 'empty', '0.00'),
      { ...account(1004, 'totp', '300.00'), totp_secret: 'JBSWY3DPEHPK3PXP' },
      account(1005, 'package', '100.00'),
    ],
    packages: [
      {
        id: 1,
        account_id: 1005,
        address: chainAddressOf('package address'),
        size: 100,
        created_at: CREATED_AT,
      },
    ],
  };
}

function account(id: number, name: string, balance: string): SeedAccount {
  return {
    id,
    email: `${name}@example.com`,
    key: `${name}-key`,
    balance_trx: balance,
    chain_address: chainAddressOf(`${name} chain`),
    deposit_address: chainAddressOf(`${name} deposit`),
    created_at: CREATED_AT,
  };
}
