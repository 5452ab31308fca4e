import type { Seed, SeedAccount } from './seed.ts';
import { type Sun, sunFromTrx } from './sun.ts';

/** Everything the service knows. Lists are oldest first; times are epoch milliseconds of the sandbox's clock. */
export interface State {
  accounts: Account[];
  orders: EnergyOrder[];
  deposits: Deposit[];
  webhookLog: WebhookLogEntry[];
  ledger: LedgerEntry[];
  faults: Fault[];
  rateWindows: Map<string, RateWindow>;
  lastIds: { order: number; deposit: number; webhookLog: number; ledger: number; fault: number };
}

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly key: string;
  readonly chainAddress: string;
  readonly depositAddress: string;
  readonly totpEnabled: boolean;
  readonly createdAt: number;
  balance: Sun;
  webhook?: Webhook;
}

export interface Webhook {
  url: string;
  secret: string;
}

export interface EnergyOrder {
  readonly id: number;
  readonly accountId: number;
  readonly address: string;
  readonly energyAmount: number;
  readonly durationHours: 1 | 24;
  readonly price: Sun;
  readonly createdAt: number;
  status: 'pending' | 'filled' | 'failed';
}

export interface Deposit {
  readonly id: number;
  readonly accountId: number;
  readonly amount: Sun;
  readonly txHash: string;
  readonly createdAt: number;
}

export interface WebhookLogEntry {
  readonly id: number;
  readonly accountId: number;
  readonly eventType: string;
  readonly payload: Record<string, unknown>;
  readonly createdAt: number;
  /** What the last attempt was answered with; 0: no answer, or no attempt yet. */
  responseStatus: number;
  attempts: number;
}

/** Something that was executed, and what it did to a balance. */
export interface LedgerEntry {
  readonly id: number;
  readonly at: number;
  readonly accountId: number;
  readonly kind: LedgerKind;
  /** Negative when it was charged. */
  readonly amount: Sun;
  /** The balance afterwards. */
  readonly balance: Sun;
  readonly orderId?: number;
}

/** `energy`: an order bought, `fill` and `refund`: how it ended; `adjustment`: a balance set by hand; `webhook`: a URL set or removed. */
export type LedgerKind = 'energy' | 'fill' | 'refund' | 'deposit' | 'adjustment' | 'webhook';

export interface Fault {
  readonly id: number;
  readonly endpoint: string;
  readonly kind: FaultKind;
  readonly ms?: number;
  readonly status?: number;
  /** How many requests are still to meet it. */
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

export interface RateWindow {
  endsAt: number;
  used: number;
}

/** The state that a seed describes. @throws RangeError when one of its balances isn't an amount of TRX. */
export function createState(seed: Seed): State {
  return {
    accounts: seed.accounts.map(createAccount),
    orders: [],
    deposits: [],
    webhookLog: [],
    ledger: [],
    faults: [],
    rateWindows: new Map(),
    lastIds: { order: 10_000, deposit: 0, webhookLog: 0, ledger: 0, fault: 0 },
  };
}

/** The next number of a kind of record. */
export function nextId(state: State, kind: keyof State['lastIds']): number {
  state.lastIds[kind] += 1;
  return state.lastIds[kind];
}

function createAccount(seed: SeedAccount): Account {
  const balance = sunFromTrx(seed.balance_trx);
  if (balance === undefined) throw new RangeError(`account ${seed.id}: balance_trx isn't an amount of TRX`);
  return {
    id: seed.id,
    email: seed.email,
    key: seed.key,
    balance,
    chainAddress: seed.chain_address,
    depositAddress: seed.deposit_address,
    totpEnabled: seed.totp_enabled,
    createdAt: Date.parse(seed.created_at),
  };
}
