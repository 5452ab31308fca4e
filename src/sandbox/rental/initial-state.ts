import { FAUCET, move, openServicePurse, type Purses, purseOf, SERVICE } from './purses.ts';
import type { Seed, SeedAccount, SeedPackage } from './seed.ts';
import type { Account, State } from './state.ts';
import { sunFromTrx } from './sun.ts';
import type { TransferPackage } from './transfer-package.ts';

/** Creates the initial state from a seed. */
export function createState(seed: Seed): State {
  const accounts = seed.accounts.map(createAccount);
  return {
    accounts,
    purses: createPurses(accounts),
    transactions: [],
    held: { TRX: 0n, USDT: 0n },
    income: { TRX: 0n, USDT: 0n },
    orders: [],
    deposits: [],
    withdrawals: [],
    packages: (seed.packages ?? []).map(createPackage),
    invoices: [],
    subscriptions: [],
    webhookLog: [],
    ledger: [],
    faults: [],
    rateWindows: new Map(),
    lastIds: {
      transaction: 0,
      order: 10_000,
      deposit: 0,
      withdrawal: 0,
      invoice: 0,
      subscription: 0,
      smartTransfer: 0,
      webhookLog: 0,
      ledger: 0,
      fault: 0,
    },
  };
}

function createAccount(seed: SeedAccount): Account {
  const balance = sunFromTrx(seed.balance_trx);
  if (balance === undefined) throw new RangeError(`account ${seed.id}: balance_trx isn't an amount of TRX`);
  return {
    id: seed.id,
    email: seed.email,
    key: seed.key,
    openingBalance: balance,
    balance,
    chainAddress: seed.chain_address,
    depositAddress: seed.deposit_address,
    totpSecret: seed.totp_secret,
    usedTotpSteps: [],
    createdAt: Date.parse(seed.created_at),
  };
}

function createPackage({ id, account_id, address, size, created_at }: SeedPackage): TransferPackage {
  return { id, accountId: account_id, address, size, createdAt: Date.parse(created_at), active: true };
}

/** Creates active purses for the accounts' addresses, and funds the service's purse with the sum of the balances. */
function createPurses(accounts: readonly Account[]): Purses {
  const purses: Purses = new Map();
  openServicePurse(purses, SERVICE);
  for (const { chainAddress, depositAddress, balance } of accounts) {
    purseOf(purses, chainAddress).active = true;
    openServicePurse(purses, depositAddress);
    move(purses, { from: FAUCET, to: SERVICE, currency: 'TRX', amount: balance });
  }
  purseOf(purses, FAUCET).active = true;
  return purses;
}
