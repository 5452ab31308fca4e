import { audit } from '../accounts.ts';
import { priceList } from '../prices.ts';
import { type Account, type LedgerEntry, mapRecords, type RECORDS, type State } from '../state.ts';
import { trxFromSun } from '../sun.ts';
import { readTotpSecret, totpCode, totpStep } from '../two-factor.ts';
import { auditView, chainView } from './chain-views.ts';

/** Returns the whole state for the control API. Most lists are newest first. */
export function stateView(state: State, now: number) {
  return {
    now,
    accounts: state.accounts.map((account) => accountView(account, now)),
    ...recordViews(state),
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

export function accountView(account: Account, now: number) {
  const { totpSecret } = account;
  return {
    id: account.id,
    email: account.email,
    key: account.key,
    balance_trx: trxFromSun(account.balance),
    chain_address: account.chainAddress,
    deposit_address: account.depositAddress,
    totp_enabled: totpSecret !== undefined,
    totp_secret: totpSecret ?? null,
    /** Current code by the sandbox's clock. */
    totp_code: totpSecret === undefined ? null : totpCode(readTotpSecret(totpSecret), totpStep(now)),
    webhook: account.webhook ? { url: account.webhook.url, active: true } : null,
  };
}

type RecordViews = { [Name in keyof typeof RECORDS]: ReturnType<(typeof RECORDS)[Name]['view']>[] };

function recordViews(state: State) {
  return mapRecords(({ view }, name) =>
    state[name].map((record) => (view as (record: unknown) => object)(record)).reverse(),
  ) as RecordViews;
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
