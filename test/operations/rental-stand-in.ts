import { BigNumber } from 'bignumber.js';
import { type Mock, vi } from 'vitest';
import type { Accepted, NotSent, Rejected, Rental, Unknown } from '../../src/rental-api/client.ts';
import { ENDPOINTS, type EndpointName, type Endpoints } from '../../src/rental-api/endpoints.ts';
import type { Priority } from '../../src/rental-api/rate-limits.ts';
import type {
  EnergyOrder,
  Profile,
  SmartModeSubscription,
  WebhookLogEntry,
} from '../../src/rental-api/schemas.ts';
import { SAMPLE_ADDRESS } from '../../src/rental-api/tron.ts';

export const API_KEY = 'an-api-key-of-the-tests';
export const ACCOUNT = 1001;
export const ADDRESS = SAMPLE_ADDRESS;
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

type Calls = { [Name in EndpointName]: Mock<Rental[Name]> };

/**
 * Returns a simulated rental service whose responses a test can set. By default, a request of money is accepted, with
 * the endpoint's sample as the response. Calls of other endpoints without a default response throw.
 */
export function standInRental() {
  const sampled = Object.values(ENDPOINTS).map((endpoint) => [
    endpoint.name,
    vi.fn((_key: string, request: object) =>
      endpoint.kind === 'money'
        ? Promise.resolve(accepted(sampleResponse(endpoint, request)))
        : unexpected(endpoint.name),
    ),
  ]);
  const calls: Calls = {
    ...(Object.fromEntries(sampled) as Calls),
    profile: vi.fn<Rental['profile']>(async () => profileOf(balanceAfter(calls))),
    prices: vi.fn<Rental['prices']>(async () => accepted({})),
    webhookLogs: vi.fn<Rental['webhookLogs']>(async () => accepted([])),
    deposits: vi.fn<Rental['deposits']>(async () => accepted([])),
    withdrawals: vi.fn<Rental['withdrawals']>(async () => accepted([])),
  };
  return {
    ...calls,
    /** Returns the stand-ins of the endpoints. */
    withPriority: (_priority?: Priority) => calls,
    openConnection: vi.fn<Rental['openConnection']>(),
    profileWithoutKey: vi.fn<Rental['profileWithoutKey']>(),
    close: vi.fn<Rental['close']>(async () => {}),
  } satisfies Rental;
}

/** Returns 1,000 TRX without the prices of the orders that were accepted. */
function balanceAfter({ buyEnergy, buyBandwidth }: Pick<Calls, 'buyEnergy' | 'buyBandwidth'>): string {
  const replies = [...buyEnergy.mock.settledResults, ...buyBandwidth.mock.settledResults];
  const prices = replies.flatMap(({ type, value }) =>
    type === 'fulfilled' && value.kind === 'accepted' ? (value.value.price_trx ?? []) : [],
  );
  return new BigNumber(1_000).minus(BigNumber.sum(0, ...prices)).toFixed(2);
}

/** Returns the endpoint's sample of a response, with the values of this request in the fields that both have. */
function sampleResponse({ sample }: Endpoints[EndpointName], request: object): object {
  const response = Object(sample.response);
  const repeated = Object.entries(request).filter(([field]) => field in response);
  return { ...response, ...Object.fromEntries(repeated) };
}

/** Returns the stand-ins of all endpoints that change something at the service. */
export function changingCalls(rental: StandInRental): Mock[] {
  return Object.values(ENDPOINTS).flatMap(({ kind, name }) =>
    kind === 'read' ? [] : [rental[name] as unknown as Mock],
  );
}

function unexpected(method: string): never {
  throw new Error(`unexpected call of ${method}: set its response`);
}

export type StandInRental = ReturnType<typeof standInRental>;
