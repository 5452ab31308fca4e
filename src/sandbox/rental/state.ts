import { z } from 'zod';
import { chainAddressOf } from './chain-address.ts';
import { deposits } from './deposit.ts';
import { invoices } from './invoice.ts';
import { orders } from './order.ts';
import { packages } from './package.ts';
import { changeEnergyPrices, DEFAULT_ENERGY_PRICES, type EnergySun } from './prices.ts';
import { count, time, units } from './record.ts';
import { subscriptions } from './subscription.ts';
import { sunFromTrx } from './sun.ts';
import { transactionSchema } from './transaction.ts';
import {
  currencySchema,
  FAUCET,
  moneySchema,
  move,
  openServiceWallet,
  SERVICE,
  type Wallets,
  walletOf,
  walletSchema,
} from './wallets.ts';
import { withdrawals } from './withdrawal.ts';

/** Kinds of records that the API creates. */
export const RECORDS = { orders, deposits, withdrawals, packages, invoices, subscriptions };

type Records = typeof RECORDS;
type RecordLists = { [Name in keyof Records]: z.ZodArray<Records[Name]['schema']> };
const recordLists = mapRecords(({ schema }) => z.array(schema)) as RecordLists;

/** Applies `convert` to each kind of record. */
export function mapRecords(convert: (definition: Records[keyof Records], name: keyof Records) => unknown) {
  const entries = Object.entries(RECORDS) as [keyof Records, Records[keyof Records]][];
  return Object.fromEntries(entries.map(([name, definition]) => [name, convert(definition, name)]));
}

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

const accountSchema = z.strictObject({
  id: count,
  email: z.string(),
  key: z.string(),
  chainAddress: z.string(),
  depositAddress: z.string(),
  /** Base32. If set, 2FA is on. */
  totpSecret: z.string().optional(),
  createdAt: time,
  /** Balance before the first ledger entry. */
  openingBalance: units,
  balance: units,
  /** Recent time steps (RFC 6238) whose one-time codes were used and could be replayed. */
  usedTotpSteps: z.array(count),
  webhook: z.strictObject({ url: z.string(), secret: z.string() }).optional(),
});

export type Account = z.output<typeof accountSchema>;
export type Webhook = NonNullable<Account['webhook']>;

const webhookLogEntry = z.strictObject({
  id: count,
  accountId: count,
  eventType: z.string(),
  payload: z.record(z.string(), z.unknown()),
  createdAt: time,
  /** HTTP status of the last attempt. 0 if there was no response or no attempt yet. */
  responseStatus: count,
  attempts: count,
});

export type WebhookLogEntry = z.output<typeof webhookLogEntry>;

/**
 * Kinds of ledger entries: those of the records, and
 * - `activation`: an activated address.
 * - `adjustment`: balance set by the control API; `webhook`: URL set or removed.
 */
const LEDGER_KINDS = [
  ...Object.values(RECORDS).flatMap(
    ({ ledgerKinds }): readonly Records[keyof Records]['ledgerKinds'][number][] => ledgerKinds,
  ),
  'activation',
  'adjustment',
  'webhook',
] as const;

export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** Executed action and its effect on a balance. */
const ledgerEntry = z.strictObject({
  id: count,
  at: time,
  accountId: count,
  kind: z.enum(LEDGER_KINDS),
  /** Change of the balance. Negative for charges. */
  amount: units,
  /** Balance after the entry. */
  balance: units,
  orderId: count.optional(),
  depositId: count.optional(),
  withdrawalId: count.optional(),
  invoiceId: count.optional(),
  subscriptionId: count.optional(),
  /** Money paid to an invoice's payment address, negative if refunded. The balance isn't affected. */
  paid: z.strictObject({ currency: currencySchema, amount: units }).optional(),
});

export type LedgerEntry = z.output<typeof ledgerEntry>;

export const FAULT_KINDS = [
  'latency',
  'error-before',
  'error-after',
  'cut-before',
  'cut-after',
  'garbage',
  'garbage-before',
  'web-page',
  'rate-limit',
  'hang-after',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

const fault = z.strictObject({
  id: count,
  endpoint: z.string(),
  kind: z.enum(FAULT_KINDS),
  ms: count.optional(),
  status: count.optional(),
  /** Number of requests that the fault still applies to. */
  times: count,
});

export type Fault = z.output<typeof fault>;

/** Returns a codec that stores a map as an object. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z.codec(z.record(z.string(), value), z.map(z.string(), z.custom<z.output<Value>>()), {
    decode: (object) => new Map(Object.entries(object)),
    encode: (map) => Object.fromEntries(map),
  });
}

const OTHER_IDS = ['transactions', 'smartTransfers', 'webhookLog', 'ledger', 'faults'] as const;

type Numbered = keyof Records | (typeof OTHER_IDS)[number];

/** The last id before the first record of each kind. */
const INITIAL_IDS = {
  ...mapRecords(({ lastId = 0 }) => lastId),
  ...Object.fromEntries(OTHER_IDS.map((name) => [name, 0])),
} as Record<Numbered, number>;

/** State of the service. Lists are oldest first. */
export const stateSchema = z.strictObject({
  accounts: z.array(accountSchema),
  /** Wallets of the chain. */
  wallets: mapOf(walletSchema),
  transactions: z.array(transactionSchema),
  /** Money in the service's wallet for pending records. */
  held: moneySchema,
  /** The service's own money in its wallet. */
  income: moneySchema,
  ...recordLists,
  // Files from before the prices could be changed lack this field.
  energyPrices: z.strictObject({ 1: units, 24: units }).default(DEFAULT_ENERGY_PRICES),
  webhookLog: z.array(webhookLogEntry),
  ledger: z.array(ledgerEntry),
  faults: z.array(fault),
  rateWindows: mapOf(z.strictObject({ endsAt: time, used: count })),
  /** All endpoints without a limit of their own share one per key (section 8). */
  isLimitShared: z.boolean().default(false),
  // Files from before a kind of record existed lack its id.
  lastIds: z.strictObject(
    Object.fromEntries(Object.entries(INITIAL_IDS).map(([name, id]) => [name, count.default(id)])) as Record<
      Numbered,
      z.ZodDefault<typeof count>
    >,
  ),
});

export type State = z.output<typeof stateSchema>;

/** Returns the next id of a kind of record. */
export function nextId(state: State, kind: Numbered): number {
  state.lastIds[kind] += 1;
  return state.lastIds[kind];
}

/** Creates the initial state from a seed. */
export function createState(seed: Seed): State {
  const accounts = seed.accounts.map(createAccount);
  const packages = (seed.packages ?? []).map(createPackage);
  return {
    accounts,
    wallets: createWallets(accounts),
    transactions: [],
    held: { TRX: 0n, USDT: 0n },
    income: { TRX: 0n, USDT: 0n },
    ...(mapRecords(() => []) as unknown as z.output<z.ZodObject<RecordLists>>),
    packages,
    energyPrices: changeEnergyPrices(DEFAULT_ENERGY_PRICES, seed.energy_sun ?? {}),
    webhookLog: [],
    ledger: [],
    faults: [],
    rateWindows: new Map(),
    isLimitShared: false,
    lastIds: { ...INITIAL_IDS, packages: Math.max(0, ...packages.map(({ id }) => id)) },
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

function createPackage({
  id,
  account_id,
  address,
  size,
  created_at,
}: SeedPackage): State['packages'][number] {
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
