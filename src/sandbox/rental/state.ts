import type { Deposit } from './deposit.ts';
import type { Invoice } from './invoice.ts';
import type { Order } from './order.ts';
import type { Currency, Money, Purses } from './purses.ts';
import type { Subscription } from './subscription.ts';
import type { Sun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import type { TransferPackage } from './transfer-package.ts';
import type { Withdrawal } from './withdrawal.ts';

/** State of the service. Lists are oldest first. Times are epoch milliseconds of the sandbox's clock. */
export interface State {
  accounts: Account[];
  /** Purses of the chain. */
  purses: Purses;
  transactions: Transaction[];
  /** Money in the service's purse for pending records. */
  held: Money;
  /** The service's own money in its purse. */
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

export interface RateWindow {
  endsAt: number;
  used: number;
}

/** Returns the next id of a kind of record. */
export function nextId(state: State, kind: keyof State['lastIds']): number {
  state.lastIds[kind] += 1;
  return state.lastIds[kind];
}
