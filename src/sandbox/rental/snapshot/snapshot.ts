import { z } from 'zod';
import type { State } from '../state.ts';
import { account } from './account.ts';
import { purse, transaction } from './chain.ts';
import { deposit } from './deposit.ts';
import { count, mapOf, money, time } from './fields.ts';
import { invoice } from './invoice.ts';
import { fault, ledgerEntry, webhookLogEntry } from './journal.ts';
import { order } from './order.ts';
import { subscription } from './subscription.ts';
import { transferPackage } from './transfer-package.ts';
import { withdrawal } from './withdrawal.ts';

/** Content of a state file. */
export interface Snapshot {
  version: 1;
  /** Time of the sandbox's clock, in epoch milliseconds. */
  now: number;
  state: State;
}

const state = z.strictObject({
  accounts: z.array(account),
  purses: mapOf(purse),
  transactions: z.array(transaction),
  held: money,
  income: money,
  orders: z.array(order),
  deposits: z.array(deposit),
  withdrawals: z.array(withdrawal),
  packages: z.array(transferPackage),
  invoices: z.array(invoice),
  subscriptions: z.array(subscription),
  webhookLog: z.array(webhookLogEntry),
  ledger: z.array(ledgerEntry),
  faults: z.array(fault),
  rateWindows: mapOf(z.strictObject({ endsAt: time, used: count })),
  lastIds: z.strictObject({
    transaction: count,
    order: count,
    deposit: count,
    withdrawal: count,
    invoice: count,
    subscription: count,
    smartTransfer: count,
    webhookLog: count,
    ledger: count,
    fault: count,
  }),
});

/** Codec of state files. Encoding fails for a field of `State` that is missing here. */
export const snapshot = z.strictObject({ version: z.literal(1), now: time, state });
