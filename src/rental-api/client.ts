import { setTimeout as delay } from 'node:timers/promises';
import type { Connect } from '../platform/connect.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import type { RecentCalls } from '../platform/recent-calls.ts';
import {
  type ActivationRequest,
  activateAddress,
  activateSmartMode,
  type BandwidthPurchase,
  buyBandwidth,
  buyEnergy,
  configureWebhook,
  createInvoice,
  deactivateSubscription,
  depositInfo,
  deposits,
  type Endpoint,
  type EnergyPurchase,
  type InvoiceRequest,
  invoice,
  packageTiers,
  prices,
  profile,
  type SmartModeActivation,
  subscriptions,
  toggleSubscription,
  type WithdrawalRequest,
  webhookLogs,
  withdraw,
  withdrawals,
} from './endpoints.ts';
import { createCaller, createExchange, type Outcome } from './http.ts';
import type {
  AddressActivation,
  BandwidthOrder,
  DepositInfo,
  DepositRecord,
  EnergyOrder,
  Invoice,
  PackageTiers,
  Prices,
  Profile,
  SmartModeDeactivation,
  SmartModeSubscription,
  WebhookConfiguration,
  WebhookLogEntry,
  Withdrawal,
} from './schemas.ts';

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
  const quiet = createLogThrottle();
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

const TRIES = 3;
const FIRST_BACKOFF_MS = 250;
const LONGEST_WAIT_MS = 3_000;

interface Pace {
  now(): number;
  sleep(ms: number): Promise<void>;
  random(): number;
}

/**
 * Tries a read up to three times within `wholeMs`. Retries after a lost connection, a timeout, a 5xx or no connection with
 * exponential backoff and jitter. Retries after a rate limit if its wait is at most three seconds.
 */
async function tryRead<Value>(
  attempt: (timeoutMs: number) => Promise<Outcome<Value>>,
  { pace, tryMs, wholeMs }: { pace: Pace; tryMs: number; wholeMs: number },
): Promise<Outcome<Value>> {
  const deadline = pace.now() + wholeMs;
  for (let tries = 1; ; tries += 1) {
    const outcome = await attempt(Math.min(tryMs, Math.max(1, deadline - pace.now())));
    const wait = waitBeforeNext(outcome, tries, pace.random());
    if (tries === TRIES || wait === undefined || pace.now() + wait >= deadline) return outcome;
    await pace.sleep(wait);
  }
}

function waitBeforeNext(outcome: Outcome<unknown>, tries: number, random: number): number | undefined {
  const backoff = FIRST_BACKOFF_MS * 2 ** (tries - 1) * (0.5 + random / 2);
  if (outcome.kind === 'accepted') return undefined;
  if (outcome.kind === 'unknown') return isTemporary(outcome) ? backoff : undefined;
  if (outcome.kind === 'not-sent' && outcome.reason === 'offline') return backoff;
  if (outcome.retryAfterMs === undefined || outcome.retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return outcome.retryAfterMs + backoff;
}

function isTemporary({ reason, status = 0 }: { reason: string; status?: number }): boolean {
  return reason === 'timeout' || reason === 'cut' || (reason === 'status' && status >= 500);
}

/** Account number of the operator account with its configured key. No account of the service has this number. */
export const OPERATOR_ACCOUNT = 0;

/** Invoices of the operator account. Encapsulates its key: other code can only create and read invoices. */
export interface OperatorInvoices {
  /** Endpoint 4. Sent at most once. */
  create(request: InvoiceRequest): Promise<Outcome<Invoice>>;
  /** Endpoint 5. */
  read(invoiceId: number): Promise<Outcome<Invoice>>;
}

export function createOperatorInvoices({
  rental,
  operatorKey,
}: {
  rental: Pick<Rental, 'createInvoice' | 'invoice'>;
  operatorKey: string;
}): OperatorInvoices {
  return {
    create: (request) => rental.createInvoice(operatorKey, request),
    read: (invoiceId) => rental.invoice(operatorKey, invoiceId),
  };
}
