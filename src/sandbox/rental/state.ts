import { chainAddressOf } from './chain-address.ts';
import type { Deposit } from './deposit.ts';
import type { Invoice } from './invoice.ts';
import type { Order } from './order.ts';
import {
  changeEnergyPrices,
  DEFAULT_ENERGY_PRICES,
  type EnergyPrices,
  type EnergySun,
  type TransferPackage,
} from './prices.ts';
import type { Subscription } from './subscription.ts';
import { type Sun, sunFromTrx } from './sun.ts';
import type { Transaction } from './transaction.ts';
import {
  type Currency,
  FAUCET,
  type Money,
  move,
  openServiceWallet,
  SERVICE,
  type Wallets,
  walletOf,
} from './wallets.ts';
import type { Withdrawal } from './withdrawal.ts';

/** State of the rental service at its start and after each reset. */
export interface Seed {
  accounts: SeedAccount[];
  packages?: SeedPackage[];
  /** Prices of a unit of energy in sun, if they differ from the defaults. */
  energy_sun?: EnergySun;
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

/** State of the service. Lists are oldest first. Times are epoch milliseconds of the sandbox's clock. */
export interface State {
  accounts: Account[];
  /** Wallets of the chain. */
  wallets: Wallets;
  transactions: Transaction[];
  /** Money in the service's wallet for pending records. */
  held: Money;
  /** The service's own money in its wallet. */
  income: Money;
  orders: Order[];
  deposits: Deposit[];
  withdrawals: Withdrawal[];
  packages: TransferPackage[];
  energyPrices: EnergyPrices;
  invoices: Invoice[];
  subscriptions: Subscription[];
  webhookLog: WebhookLogEntry[];
  ledger: LedgerEntry[];
  faults: Fault[];
  rateWindows: Map<string, RateWindow>;
  /** All endpoints without a limit of their own share one per key (section 8). */
  isLimitShared: boolean;
  lastIds: Record<RecordKind, number>;
}

/** The last id before the first record of each kind. */
export const INITIAL_IDS = {
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
};

export type RecordKind = keyof typeof INITIAL_IDS;

export interface Account {
  readonly id: number;
  readonly email: string;
  key: string;
  readonly chainAddress: string;
  readonly depositAddress: string;
  /** Base32. If set, 2FA is on. */
  readonly totpSecret?: string;
  readonly createdAt: number;
  /** Balance before the first ledger entry. */
  readonly openingBalance: Sun;
  balance: Sun;
  /** Recent time steps (RFC 6238) whose one-time codes were used and could be replayed. */
  usedTotpSteps: number[];
  webhook?: Webhook;
}

export interface Webhook {
  url: string;
  secret: string;
}

export interface WebhookLogEntry {
  readonly id: number;
  readonly accountId: number;
  readonly eventType: string;
  readonly payload: Record<string, unknown>;
  readonly createdAt: number;
  /** HTTP status of the last attempt. 0 if there was no response or no attempt yet. */
  responseStatus: number;
  attempts: number;
}

/** Executed action and its effect on a balance. */
export interface LedgerEntry {
  readonly id: number;
  readonly at: number;
  readonly accountId: number;
  readonly kind: LedgerKind;
  /** Change of the balance. Negative for charges. */
  readonly amount: Sun;
  /** Balance after the entry. */
  readonly balance: Sun;
  readonly orderId?: number;
  readonly depositId?: number;
  readonly withdrawalId?: number;
  readonly invoiceId?: number;
  readonly subscriptionId?: number;
  /** Money paid to an invoice's payment address, negative if refunded. The balance isn't affected. */
  readonly paid?: { readonly currency: Currency; readonly amount: bigint };
}

/**
 * Kinds of ledger entries:
 * - `energy`, `bandwidth`: new order; `fill`, `refund`: its end.
 * - `withdrawal`: new withdrawal; `withdrawal_refund`: failed withdrawal.
 * - `invoice`: new invoice; `invoice_…`: its later events.
 * - `smart_mode_day`, `smart_mode_transfer`: fees; other `smart_mode_…`: changes of a subscription.
 * - `adjustment`: balance set by the control API; `webhook`: URL set or removed.
 */
export const LEDGER_KINDS = [
  'energy',
  'bandwidth',
  'fill',
  'refund',
  'activation',
  'deposit',
  'withdrawal',
  'withdrawal_refund',
  'invoice',
  'invoice_payment',
  'invoice_delegation',
  'invoice_refund',
  'invoice_failure',
  'invoice_expiry',
  'smart_mode_day',
  'smart_mode_transfer',
  'smart_mode_pause',
  'smart_mode_resumption',
  'smart_mode_end',
  'adjustment',
  'webhook',
] as const;

export type LedgerKind = (typeof LEDGER_KINDS)[number];

export interface Fault {
  readonly id: number;
  readonly endpoint: string;
  readonly kind: FaultKind;
  readonly ms?: number;
  readonly status?: number;
  /** Number of requests that the fault still applies to. */
  times: number;
}

export const FAULT_KINDS = [
  'latency',
  'error-before',
  'error-after',
  'cut-before',
  'cut-after',
  'garbage',
  'garbage-before',
  'rate-limit',
  'hang-after',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

interface RateWindow {
  endsAt: number;
  used: number;
}

/** Returns the next id of a kind of record. */
export function nextId(state: State, kind: RecordKind): number {
  state.lastIds[kind] += 1;
  return state.lastIds[kind];
}

/** Creates the initial state from a seed. */
export function createState(seed: Seed): State {
  const accounts = seed.accounts.map(createAccount);
  return {
    accounts,
    wallets: createWallets(accounts),
    transactions: [],
    held: { TRX: 0n, USDT: 0n },
    income: { TRX: 0n, USDT: 0n },
    orders: [],
    deposits: [],
    withdrawals: [],
    packages: (seed.packages ?? []).map(createPackage),
    energyPrices: changeEnergyPrices(DEFAULT_ENERGY_PRICES, seed.energy_sun ?? {}),
    invoices: [],
    subscriptions: [],
    webhookLog: [],
    ledger: [],
    faults: [],
    rateWindows: new Map(),
    isLimitShared: false,
    lastIds: { ...INITIAL_IDS },
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

/** Creates active wallets for the accounts' addresses, and funds the service's wallet with the sum of the balances. */
function createWallets(accounts: readonly Account[]): Wallets {
  const wallets: Wallets = new Map();
  openServiceWallet(wallets, SERVICE);
  for (const { chainAddress, depositAddress, balance } of accounts) {
    walletOf(wallets, chainAddress).active = true;
    openServiceWallet(wallets, depositAddress);
    move(wallets, { from: FAUCET, to: SERVICE, currency: 'TRX', amount: balance });
  }
  walletOf(wallets, FAUCET).active = true;
  return wallets;
}
