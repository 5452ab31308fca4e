import { chainAddressOf } from './chain-address.ts';

/** What the rental service holds at its start, and after each reset. */
export interface Seed {
  accounts: SeedAccount[];
}

export interface SeedAccount {
  id: number;
  email: string;
  /** The API key: whoever sends it acts for this account. */
  key: string;
  /** Decimal string. */
  balance_trx: string;
  chain_address: string;
  deposit_address: string;
  totp_enabled: boolean;
  /** ISO 8601. */
  created_at: string;
}

/** The accounts of the demo: an account holder's, a merchant's, the operator's, and one without money. */
export function demoSeed(): Seed {
  return {
    accounts: [
      account(1001, 'demo', '1000.00'),
      account(1002, 'merchant', '250.00'),
      account(1000, 'operator', '500.00'),
      account(1003, 'empty', '0.00'),
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
    totp_enabled: false,
    created_at: '2025-01-01T00:00:00.000Z',
  };
}
