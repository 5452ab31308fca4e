import { audit } from '../accounts.ts';
import { type Deposit, depositRecord } from '../deposit.ts';
import { type Order, orderRecord } from '../order.ts';
import { priceList, type TransferPackage } from '../prices.ts';
import type { Account, LedgerEntry, State } from '../state.ts';
import { trxFromSun } from '../sun.ts';
import { type Withdrawal, withdrawalRecord } from '../withdrawal.ts';
import { auditView, chainView } from './chain-views.ts';
import { invoiceView } from './invoices.ts';
import { subscriptionView } from './smart-mode.ts';

/** Returns the whole state for the control API. Most lists are newest first. */
export function stateView(state: State, now: number) {
  return {
    now,
    accounts: state.accounts.map(accountView),
    orders: state.orders.map(orderView).reverse(),
    deposits: state.deposits.map(depositView).reverse(),
    withdrawals: state.withdrawals.map(withdrawalView).reverse(),
    invoices: state.invoices.map(invoiceView).reverse(),
    subscriptions: state.subscriptions.map(subscriptionView).reverse(),
    packages: state.packages.map(packageView).reverse(),
    prices: priceList(state.energyPrices),
    webhook_log: state.webhookLog
      .map((entry) => ({
        id: entry.id,
        account_id: entry.accountId,
        event_type: entry.eventType,
        payload: entry.payload,
        response_status: entry.responseStatus,
        attempts: entry.attempts,
        created_at: time(entry.createdAt),
      }))
      .reverse(),
    faults: state.faults.toReversed(),
    ledger: state.ledger.map(ledgerView).reverse(),
    chain: chainView(state),
    audit: auditView(audit(state)),
  };
}

export function accountView(account: Account) {
  return {
    id: account.id,
    email: account.email,
    key: account.key,
    balance_trx: trxFromSun(account.balance),
    chain_address: account.chainAddress,
    deposit_address: account.depositAddress,
    totp_enabled: account.totpSecret !== undefined,
    totp_secret: account.totpSecret ?? null,
    webhook: account.webhook ? { url: account.webhook.url, active: true } : null,
  };
}

export function orderView(order: Order) {
  return {
    ...orderRecord(order),
    kind: order.kind,
    account_id: order.accountId,
    created_at: time(order.createdAt),
  };
}

export function depositView(deposit: Deposit) {
  return { ...depositRecord(deposit), account_id: deposit.accountId, from: deposit.from };
}

export function withdrawalView(withdrawal: Withdrawal) {
  return { ...withdrawalRecord(withdrawal), account_id: withdrawal.accountId };
}

function packageView({ id, accountId, address, size, active, createdAt }: TransferPackage) {
  return { id, account_id: accountId, address, size, active, created_at: time(createdAt) };
}

export function ledgerView(entry: LedgerEntry) {
  return {
    id: entry.id,
    at: time(entry.at),
    account_id: entry.accountId,
    kind: entry.kind,
    amount_trx: trxFromSun(entry.amount),
    balance_trx: trxFromSun(entry.balance),
    order_id: entry.orderId,
    deposit_id: entry.depositId,
    withdrawal_id: entry.withdrawalId,
    invoice_id: entry.invoiceId,
    subscription_id: entry.subscriptionId,
    paid: entry.paid && { currency: entry.paid.currency, amount: trxFromSun(entry.paid.amount) },
  };
}

function time(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
