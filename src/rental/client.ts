import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { createCaller } from './call.ts';
import { buyEnergy, type EnergyPurchase } from './endpoints/buy-energy.ts';
import { configureWebhook } from './endpoints/configure-webhook.ts';
import { depositInfo } from './endpoints/deposit-info.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { prices } from './endpoints/prices.ts';
import { profile } from './endpoints/profile.ts';
import { webhookLogs } from './endpoints/webhook-logs.ts';
import { createExchange } from './exchange.ts';
import type { Outcome } from './outcome.ts';
import type { DepositInfo } from './resources/deposit-info.ts';
import type { EnergyOrder } from './resources/energy-order.ts';
import type { Prices } from './resources/prices.ts';
import type { Profile } from './resources/profile.ts';
import type { WebhookConfiguration } from './resources/webhook-configuration.ts';
import type { WebhookLogEntry } from './resources/webhook-log-entry.ts';
import { type Pace, tryRead } from './retry.ts';

/** The rental service, section 4. Each method takes the account's API key first and never rejects. */
export interface Rental {
  /** Endpoint 11. */
  profile(key: string): Promise<Outcome<Profile>>;
  /** Endpoint 12. */
  depositInfo(key: string): Promise<Outcome<DepositInfo>>;
  /** `GET /prices`, which the specification names without showing its answer. */
  prices(key: string): Promise<Outcome<Prices>>;
  /** Endpoint 1. Money: sent at most once. */
  buyEnergy(key: string, purchase: EnergyPurchase): Promise<Outcome<EnergyOrder>>;
  /** Endpoint 16. Replaces the account's only URL; an empty one removes it. Sent at most once. */
  configureWebhook(key: string, url: string): Promise<Outcome<WebhookConfiguration>>;
  /** Endpoint 17, as the service orders them. */
  webhookLogs(key: string): Promise<Outcome<WebhookLogEntry[]>>;
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

/** In milliseconds; all but `connectMs` and `readTryMs` are for a whole call. */
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

/** A client of the service at `baseUrl`, the specification's `{base_url}`. */
export function createRental(
  deps: { baseUrl: string; log: Log; timeouts?: Partial<RentalTimeouts> } & Partial<Pace>,
): Rental {
  const { now = Date.now, sleep = delay, random = Math.random } = deps;
  const timeouts = { ...TIMEOUTS, ...deps.timeouts };
  const { origin, pathname } = new URL(deps.baseUrl);
  const kept = createExchange({ origin, reuse: true, connectMs: timeouts.connectMs });
  const fresh = createExchange({ origin, reuse: false, connectMs: timeouts.connectMs });
  const call = createCaller({ prefix: `${pathname.replace(/\/+$/, '')}/v1`, log: deps.log, now });

  const read = <Value>(endpoint: Endpoint<undefined, Value>, key: string) =>
    tryRead((timeoutMs) => call({ endpoint, key, request: undefined, exchange: kept, timeoutMs }), {
      pace: { now, sleep, random },
      tryMs: timeouts.readTryMs,
      wholeMs: timeouts.readMs,
    });
  const post = <Request, Value>(endpoint: Endpoint<Request, Value>, key: string, request: Request) => {
    const timeoutMs = endpoint.kind === 'money' ? timeouts.moneyMs : timeouts.changeMs;
    return call({ endpoint, key, request, exchange: fresh, timeoutMs });
  };

  return {
    profile: (key) => read(profile, key),
    depositInfo: (key) => read(depositInfo, key),
    prices: (key) => read(prices, key),
    buyEnergy: (key, purchase) => post(buyEnergy, key, purchase),
    configureWebhook: (key, url) => post(configureWebhook, key, { url }),
    webhookLogs: (key) => read(webhookLogs, key),
    close: async () => {
      await Promise.all([kept.close(), fresh.close()]);
    },
  };
}
