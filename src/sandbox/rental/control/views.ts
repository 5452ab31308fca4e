import type { Account, EnergyOrder, LedgerEntry, State } from '../state.ts';
import { trxFromSun } from '../sun.ts';

/** The whole state as the control side shows it: lists newest first. */
export function stateView(state: State, now: number) {
  return {
    now,
    accounts: state.accounts.map(accountView),
    orders: state.orders.map(orderView).reverse(),
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
    totp_enabled: account.totpEnabled,
    webhook: account.webhook ? { url: account.webhook.url, active: true } : null,
  };
}

export function orderView(order: EnergyOrder) {
  return {
    order_id: order.id,
    account_id: order.accountId,
    address: order.address,
    energy_amount: order.energyAmount,
    duration_hours: order.durationHours,
    price_trx: trxFromSun(order.price),
    status: order.status,
    created_at: time(order.createdAt),
  };
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
  };
}

function time(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
