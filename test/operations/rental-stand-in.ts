import { vi } from 'vitest';
import type { Accepted, NotSent, Rejected, Rental, Unknown } from '../../src/rental-api/client.ts';
import type { Priority } from '../../src/rental-api/rate-limits.ts';
import type {
  BandwidthOrder,
  EnergyOrder,
  Profile,
  SmartModeSubscription,
  WebhookLogEntry,
} from '../../src/rental-api/schemas.ts';

export const API_KEY = 'an-api-key-of-the-tests';
export const ACCOUNT = 1001;
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const ORDER = 7;
/** Hash of a transaction. */
export const HASH = 'ab'.repeat(32);

export const OFFLINE: NotSent = { kind: 'not-sent', reason: 'offline', message: 'no connection' };
export const CUT: Unknown = { kind: 'unknown', reason: 'cut', message: 'the connection was cut' };

/** Outcome of a read that the rate limit holds back for `retryAfterMs`. */
export function heldBack(retryAfterMs: number): NotSent {
  return { kind: 'not-sent', reason: 'limited', message: 'held back', retryAfterMs };
}

export function accepted<T>(value: T): Accepted<T> {
  return { kind: 'accepted', value };
}

export function rejected(status: number, code: string, retryAfterMs?: number): Rejected {
  return { kind: 'rejected', status, code, message: 'no', ...(retryAfterMs && { retryAfterMs }) };
}

export function profileOf(balance: string, id = ACCOUNT): Accepted<Profile> {
  return accepted({
    id,
    email: 'holder@example.com',
    chain_address: ADDRESS,
    balance_trx: balance,
    totp_enabled: false,
    created_at: '2025-01-01T00:00:00Z',
  });
}

export function orderOf(more: Partial<EnergyOrder> = {}): Accepted<EnergyOrder> {
  return accepted({
    order_id: ORDER,
    address: ADDRESS,
    energy_amount: 65_000,
    duration_hours: 1,
    price_trx: '2.32',
    status: 'pending',
    ...more,
  });
}

export function subscription(more: Partial<SmartModeSubscription> = {}): SmartModeSubscription {
  return {
    id: 12,
    address: ADDRESS,
    label: 'Shop',
    status: 'active',
    bw_guarantee: true,
    created_at: '2025-06-01T12:00:00Z',
    ...more,
  };
}

export function bandwidthOrderOf(more: Partial<BandwidthOrder> = {}): Accepted<BandwidthOrder> {
  return accepted({
    order_id: ORDER,
    address: ADDRESS,
    bandwidth_amount: 1_000,
    duration_hours: 24,
    price_trx: '9.80',
    status: 'pending',
    ...more,
  });
}

/** Returns a webhook log entry: `order` was filled, or the event of `more.type` happened, at `at`. */
export function logged(
  order: number,
  at: number,
  more: { type?: string; data?: object } = {},
): WebhookLogEntry {
  const { type = 'order.filled', data } = more;
  return {
    id: order,
    event_type: type,
    payload: { order_id: order, address: ADDRESS, energy_amount: 65_000, ...data },
    response_status: 500,
    attempts: 4,
    created_at: new Date(at).toISOString(),
  };
}

/** Returns a simulated rental service whose responses a test can set. Calls without a default response throw. */
export function standInRental() {
  const calls = {
    profile: vi.fn<Rental['profile']>(async () => profileOf('1000.00')),
    buyEnergy: vi.fn<Rental['buyEnergy']>(async (_key, purchase) => orderOf(purchase)),
    buyBandwidth: vi.fn<Rental['buyBandwidth']>(async (_key, purchase) => bandwidthOrderOf(purchase)),
    activateAddress: vi.fn<Rental['activateAddress']>(async () => accepted({ success: true, tx_hash: HASH })),
    webhookLogs: vi.fn<Rental['webhookLogs']>(async () => accepted([])),
    prices: vi.fn<Rental['prices']>(() => unexpected('prices')),
    depositInfo: vi.fn<Rental['depositInfo']>(() => unexpected('depositInfo')),
    deposits: vi.fn<Rental['deposits']>(() => unexpected('deposits')),
    createInvoice: vi.fn<Rental['createInvoice']>(() => unexpected('createInvoice')),
    invoice: vi.fn<Rental['invoice']>(() => unexpected('invoice')),
    activateSmartMode: vi.fn<Rental['activateSmartMode']>(() => unexpected('activateSmartMode')),
    subscriptions: vi.fn<Rental['subscriptions']>(() => unexpected('subscriptions')),
    toggleSubscription: vi.fn<Rental['toggleSubscription']>(() => unexpected('toggleSubscription')),
    deactivateSubscription: vi.fn<Rental['deactivateSubscription']>(() =>
      unexpected('deactivateSubscription'),
    ),
    packageTiers: vi.fn<Rental['packageTiers']>(() => unexpected('packageTiers')),
    withdraw: vi.fn<Rental['withdraw']>(() => unexpected('withdraw')),
    withdrawals: vi.fn<Rental['withdrawals']>(() => unexpected('withdrawals')),
    configureWebhook: vi.fn<Rental['configureWebhook']>(() => unexpected('configureWebhook')),
  };
  return {
    ...calls,
    /** Returns the stand-ins of the endpoints. */
    withPriority: (_priority?: Priority) => calls,
    openConnection: vi.fn<Rental['openConnection']>(),
    close: vi.fn<Rental['close']>(async () => {}),
  } satisfies Rental;
}

function unexpected(method: string): never {
  throw new Error(`unexpected call of ${method}`);
}

export type StandInRental = ReturnType<typeof standInRental>;
