import type { Deposit } from './deposit.ts';
import type { Invoice } from './invoice.ts';
import type { Order } from './order.ts';
import type { Currency, Money, Purses } from './purses.ts';
import type { Subscription } from './subscription.ts';
import type { Sun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import type { TransferPackage } from './transfer-package.ts';
import type { Withdrawal } from './withdrawal.ts';

/** Everything the service knows. Lists are oldest first; times are epoch milliseconds of the sandbox's clock. */
export interface State {
  accounts: Account[];
  /** Of the chain. */
  purses: Purses;
  transactions: Transaction[];
  /** In the service's purse, for what is pending. */
  held: Money;
  /** In the service's purse, and its own. */
  income: Money;
  orders: Order[];
  deposits: Deposit[];
  withdrawals: Withdrawal[];
  packages: TransferPackage[];
  invoices: Invoice[];
  subscriptions: Subscription[];
  webhookLog: WebhookLogEntry[];
  ledger: LedgerEntry[];
  faults: Fault[];
  rateWindows: Map<string, RateWindow>;
  lastIds: {
    transaction: number;
    order: number;
    deposit: number;
    withdrawal: number;
    invoice: number;
    subscription: number;
    smartTransfer: number;
    webhookLog: number;
    ledger: number;
    fault: number;
  };
}

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly key: string;
  readonly chainAddress: string;
  readonly depositAddress: string;
  /** Base32; 2FA is on where there is one. */
  readonly totpSecret?: string;
  readonly createdAt: number;
  /** What it began with; the ledger tells the rest. */
  readonly openingBalance: Sun;
  balance: Sun;
  /** The steps of time whose one-time codes were taken (RFC 6238), as far as they could be sent again. */
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
  readonly depositId?: number;
  readonly withdrawalId?: number;
  readonly invoiceId?: number;
  readonly subscriptionId?: number;
  /** What came to an invoice's payment address, or left it when negative: no balance has a part in it. */
  readonly paid?: { readonly currency: Currency; readonly amount: bigint };
}

/**
 * `energy`, `bandwidth`: an order bought, `fill` and `refund`: how it ended; `withdrawal`: asked for, `withdrawal_refund`:
 * failed; `invoice`: made, `invoice_…`: what became of it; `smart_mode_day`, `smart_mode_transfer`: fees, `smart_mode_…`: changes
 * of a subscription; `adjustment`: a balance set by hand; `webhook`: a URL set or removed.
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

/** The next number of a kind of record. */
export function nextId(state: State, kind: keyof State['lastIds']): number {
  state.lastIds[kind] += 1;
  return state.lastIds[kind];
}
