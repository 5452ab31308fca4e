import { setTimeout as delay } from 'node:timers/promises';
import type { Connect } from '../platform/connect.ts';
import type { Log } from '../platform/log.ts';
import { createQuiet } from '../platform/log.ts';
import type { RecentCalls } from '../platform/recent-calls.ts';
import { createCaller } from './call.ts';
import { type ActivationRequest, activateAddress } from './endpoints/activate-address.ts';
import { activateSmartMode, type SmartModeActivation } from './endpoints/activate-smart-mode.ts';
import { type BandwidthPurchase, buyBandwidth } from './endpoints/buy-bandwidth.ts';
import { buyEnergy, type EnergyPurchase } from './endpoints/buy-energy.ts';
import { configureWebhook } from './endpoints/configure-webhook.ts';
import { createInvoice, type InvoiceRequest } from './endpoints/create-invoice.ts';
import { deactivateSubscription } from './endpoints/deactivate-subscription.ts';
import { depositInfo } from './endpoints/deposit-info.ts';
import { deposits } from './endpoints/deposits.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { invoice } from './endpoints/invoice.ts';
import { packageTiers } from './endpoints/package-tiers.ts';
import { prices } from './endpoints/prices.ts';
import { profile } from './endpoints/profile.ts';
import { subscriptions } from './endpoints/subscriptions.ts';
import { toggleSubscription } from './endpoints/toggle-subscription.ts';
import { webhookLogs } from './endpoints/webhook-logs.ts';
import { type WithdrawalRequest, withdraw } from './endpoints/withdraw.ts';
import { withdrawals } from './endpoints/withdrawals.ts';
import { createExchange } from './exchange.ts';
import type { Outcome } from './outcome.ts';
import type { AddressActivation } from './resources/address-activation.ts';
import type { BandwidthOrder } from './resources/bandwidth-order.ts';
import type { DepositInfo } from './resources/deposit-info.ts';
import type { DepositRecord } from './resources/deposit-record.ts';
import type { EnergyOrder } from './resources/energy-order.ts';
import type { Invoice } from './resources/invoice.ts';
import type { PackageTiers } from './resources/package-tiers.ts';
import type { Prices } from './resources/prices.ts';
import type { Profile } from './resources/profile.ts';
import type { SmartModeDeactivation } from './resources/smart-mode-deactivation.ts';
import type { SmartModeSubscription } from './resources/smart-mode-subscription.ts';
import type { WebhookConfiguration } from './resources/webhook-configuration.ts';
import type { WebhookLogEntry } from './resources/webhook-log-entry.ts';
import type { Withdrawal } from './resources/withdrawal.ts';
import { type Pace, tryRead } from './retry.ts';

/**
 * Client of the rental service: one method per endpoint of its specification (section 4). The first argument is the account's
 * API key (section 5). Methods never reject. Reads are retried; everything else is sent at most once. Requests that violate a
 * documented limit (section 8) aren't sent. Amounts of TRX are decimal strings.
 */
export interface Rental {
  /** Endpoint 1. Charges the balance. Accepted only if the response repeats address, amount and hours. */
  buyEnergy(key: string, purchase: EnergyPurchase): Promise<Outcome<EnergyOrder>>;
  /** Endpoint 2. Charges the balance. Accepted only if the response repeats address, amount and hours. */
  buyBandwidth(key: string, purchase: BandwidthPurchase): Promise<Outcome<BandwidthOrder>>;
  /** Endpoint 3. Charges 1.1 TRX. Check `success`: an accepted activation may still have failed. */
  activateAddress(key: string, request: ActivationRequest): Promise<Outcome<AddressActivation>>;
  /** Endpoint 4. Takes either `energy_amount` or `transfer_count`. Accepted only if the response matches the request. */
  createInvoice(key: string, request: InvoiceRequest): Promise<Outcome<Invoice>>;
  /** Endpoint 5. */
  invoice(key: string, invoiceId: number): Promise<Outcome<Invoice>>;
  /** Endpoint 6. Charges the first daily fee. Accepted only if the response repeats the address. */
  activateSmartMode(key: string, activation: SmartModeActivation): Promise<Outcome<SmartModeSubscription>>;
  /** Endpoint 7. Returns active and paused subscriptions. */
  subscriptions(key: string): Promise<Outcome<SmartModeSubscription[]>>;
  /** Endpoint 8. Pauses or resumes. Not idempotent: a second request reverts the first. */
  toggleSubscription(key: string, subscriptionId: number): Promise<Outcome<SmartModeSubscription>>;
  /** Endpoint 9. Can't be undone. */
  deactivateSubscription(key: string, subscriptionId: number): Promise<Outcome<SmartModeDeactivation>>;
  /** Endpoint 10. */
  packageTiers(key: string): Promise<Outcome<PackageTiers>>;
  /** Endpoint 11. */
  profile(key: string): Promise<Outcome<Profile>>;
  /** Endpoint 12. */
  depositInfo(key: string): Promise<Outcome<DepositInfo>>;
  /** Endpoint 13. The service decides the order. */
  deposits(key: string): Promise<Outcome<DepositRecord[]>>;
  /**
   * Endpoint 14. Charges the amount and a fee of 1 TRX. Accepted only if the response repeats address and amount.
   * `totp_code` is required if 2FA is enabled (section 5). It appears in no log and no message.
   */
  withdraw(key: string, request: WithdrawalRequest): Promise<Outcome<Withdrawal>>;
  /** Endpoint 15. The service decides the order. */
  withdrawals(key: string): Promise<Outcome<Withdrawal[]>>;
  /** Endpoint 16. Replaces the account's only webhook URL. An empty URL removes it. */
  configureWebhook(key: string, url: string): Promise<Outcome<WebhookConfiguration>>;
  /** Endpoint 17. The service decides the order. Skips unreadable entries and logs a warning. */
  webhookLogs(key: string): Promise<Outcome<WebhookLogEntry[]>>;
  /** `GET /prices`. The specification doesn't document the response. */
  prices(key: string): Promise<Outcome<Prices>>;
  /** Waits for calls in progress. */
  close(): Promise<void>;
}

/** Timeouts in milliseconds. All but `connectMs` and `readTryMs` apply to a whole call. */
export interface RentalTimeouts {
  connectMs: number;
  readTryMs: number;
  readMs: number;
  changeMs: number;
  moneyMs: number;
}

const TIMEOUTS: RentalTimeouts = {
  connectMs: 3_000,
  readTryMs: 5_000,
  readMs: 10_000,
  changeMs: 10_000,
  moneyMs: 30_000,
};

/** Creates a client of the service at `baseUrl`, the specification's `{base_url}`. */
export function createRental(
  deps: {
    baseUrl: string;
    log: Log;
    timeouts?: Partial<RentalTimeouts>;
    calls?: Pick<RecentCalls, 'note'>;
    /** Used instead of pools of connections. */
    connect?: Connect | undefined;
  } & Partial<Pace>,
): Rental {
  const { now = Date.now, sleep = delay, random = Math.random } = deps;
  const quiet = createQuiet();
  const timeouts = { ...TIMEOUTS, ...deps.timeouts };
  const { origin, pathname } = new URL(deps.baseUrl);
  const { calls, connect } = deps;
  const { connectMs } = timeouts;
  const kept = createExchange({ origin, reuse: true, connectMs, calls, connect });
  const fresh = createExchange({ origin, reuse: false, connectMs, calls, connect });
  const call = createCaller({ prefix: `${pathname.replace(/\/+$/, '')}/v1`, log: deps.log, now });

  const read = <Request, Value>(endpoint: Endpoint<Request, Value>, key: string, request: Request) =>
    tryRead((timeoutMs) => call({ endpoint, key, request, exchange: kept, timeoutMs }), {
      pace: { now, sleep, random },
      tryMs: timeouts.readTryMs,
      wholeMs: timeouts.readMs,
    });
  const post = <Request, Value>(endpoint: Endpoint<Request, Value>, key: string, request: Request) => {
    const timeoutMs = endpoint.kind === 'money' ? timeouts.moneyMs : timeouts.changeMs;
    return call({ endpoint, key, request, exchange: fresh, timeoutMs });
  };

  return {
    buyEnergy: (key, purchase) => post(buyEnergy, key, purchase),
    buyBandwidth: (key, purchase) => post(buyBandwidth, key, purchase),
    activateAddress: (key, request) => post(activateAddress, key, request),
    createInvoice: (key, request) => post(createInvoice, key, request),
    invoice: (key, invoiceId) => read(invoice, key, { invoice_id: invoiceId }),
    activateSmartMode: (key, activation) => post(activateSmartMode, key, activation),
    subscriptions: (key) => read(subscriptions, key, undefined),
    toggleSubscription: (key, id) => post(toggleSubscription, key, { subscription_id: id }),
    deactivateSubscription: (key, id) => post(deactivateSubscription, key, { subscription_id: id }),
    packageTiers: (key) => read(packageTiers, key, undefined),
    profile: (key) => read(profile, key, undefined),
    depositInfo: (key) => read(depositInfo, key, undefined),
    deposits: (key) => read(deposits, key, undefined),
    withdraw: (key, request) => post(withdraw, key, request),
    withdrawals: (key) => read(withdrawals, key, undefined),
    configureWebhook: (key, url) => post(configureWebhook, key, { url }),
    async webhookLogs(key) {
      const logs = await read(webhookLogs, key, undefined);
      if (logs.kind !== 'accepted') return logs;
      const { entries, unreadable } = logs.value;
      if (unreadable > 0 && quiet('webhook log')) {
        deps.log.warn({ endpoint: 'webhookLogs', count: unreadable }, 'entries could not be read');
      }
      return { kind: 'accepted', value: entries };
    },
    prices: (key) => read(prices, key, undefined),
    close: async () => {
      await Promise.all([kept.close(), fresh.close()]);
    },
  };
}
