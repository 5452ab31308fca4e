import { z } from 'zod';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../../src/sandbox/rental/rental-sandbox.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { addressOf, units } from '../conformance/samples.ts';

/**
 * Minimal requests and responses with just what the sandbox uses. Complete ones cost ten times as much because of
 * streams and signals.
 */
export function bareRequest(
  path: string,
  init: { method: string; headers: Headers; body?: string },
): Request {
  const { method, headers, body = '' } = init;
  return Object.create(Request.prototype, {
    method: { value: method },
    url: { value: `http://sandbox.test${path}` },
    headers: { value: headers },
    text: { value: async () => body },
    json: { value: async () => JSON.parse(body) },
  });
}

/** Replaces the global `Response`. */
export class BareResponse {
  readonly status: number;
  readonly #body: string;
  readonly #init: ResponseInit;
  #headers?: Headers;

  constructor(body: string | null = '', init: ResponseInit = {}) {
    this.status = init.status ?? 200;
    this.#body = body ?? '';
    this.#init = init;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#init.headers);
    return this.#headers;
  }

  async text(): Promise<string> {
    return this.#body;
  }
}

/** An account and its expected balance, derived from the responses to its requests. */
export interface Holder {
  id: number;
  key: string;
  depositAddress: string;
  /** In sun. */
  expected: bigint;
  subscriptions: Subscription[];
}

export interface Subscription {
  id: number;
  address: string;
  daily: bigint;
  transfer: bigint;
}

export type Json = Record<string, unknown>;
export type Currency = 'TRX' | 'USDT';

interface Exchange {
  method: string;
  headers: Headers;
  body?: string;
}

interface Owned {
  id: number;
  holder: Holder;
}

/** A sandbox with accounts and users, and everything they know about its records. */
export interface Market {
  random: Random;
  holders: Holder[];
  /** Addresses of users, who send each other money. */
  addresses: string[];
  orders: (Owned & { price: bigint })[];
  withdrawals: (Owned & { total: bigint })[];
  deposits: (Owned & { credit: bigint })[];
  invoices: (Owned & { paymentAddress: string; price: Record<Currency, bigint> })[];
  /** Value of a million units of USDT's smallest unit, in sun. */
  rate: bigint;
  advance(ms: number): void;
  /** Returns the response, or `undefined` if the request was rejected. */
  api(holder: Holder, method: string, path: string, body?: Json): Promise<Json | undefined>;
  control(method: string, path: string, body?: Json): Promise<Json | undefined>;
  /**
   * Returns the balance in sun from the account's profile, or from the control API if the profile is rate-limited.
   */
  balanceOf(holder: Holder): Promise<bigint>;
  /** Returns the faults of the sandbox's own audit, and every balance that isn't as expected. */
  faults(): Promise<string[]>;
  stop(): void;
}

const HOLDERS = 8;
const PEOPLE = 6;
/** Initial balances. Some accounts soon can't pay. */
const OPENINGS = ['6', '40', '5000'];

const openingOf = (index: number) => OPENINGS[Math.min(index, OPENINGS.length - 1)] ?? '0';
const JsonObject = z.record(z.string(), z.unknown());
const Audited = z.looseObject({
  audit: z.looseObject({ ok: z.boolean(), faults: z.array(z.string()) }),
  accounts: z.array(z.looseObject({ id: z.number(), balance_trx: z.string() })),
});

/**
 * Opens a market. `whole`: uses complete requests and responses; otherwise the global `Response` may be a minimal
 * one.
 */
export async function openMarket(seed: number, { whole = false } = {}): Promise<Market> {
  const holders = Array.from({ length: HOLDERS }, (_, index): Holder => {
    const depositAddress = addressOf(`deposits of holder ${index}`);
    return {
      id: index + 1,
      key: `key-${index}`,
      depositAddress,
      expected: units(openingOf(index)),
      subscriptions: [],
    };
  });
  const bytes = createRandom(seed + 1);
  const clock = createClock();
  const { api, control, stop } = createRentalSandbox({
    clock,
    random: (size) => Uint8Array.from({ length: size }, () => bytes.below(256)),
    seed: {
      accounts: holders.map(({ id, key, depositAddress }, index) => ({
        id,
        key,
        email: `${key}@example.com`,
        balance_trx: openingOf(index),
        chain_address: addressOf(`chain of ${key}`),
        deposit_address: depositAddress,
        created_at: '2025-01-01T00:00:00.000Z',
      })),
    },
  });

  const request = async (app: typeof api, path: string, init: Exchange) => {
    const answer = await (whole ? app.request(path, init) : app.fetch(bareRequest(path, init)));
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(`${init.method} ${path}: ${answer.status} ${text}`);
    return answer.ok ? JsonObject.parse(JSON.parse(text)) : undefined;
  };
  const headers = (key: string) => new Headers({ 'X-API-Key': key, 'Content-Type': 'application/json' });
  const keyed = new Map(holders.map(({ id, key }) => [id, headers(key)]));
  const plain = headers('');

  const look = async () => Audited.parse(await market.control('GET', '/state'));
  const balanceIn = ({ accounts }: z.infer<typeof Audited>, { id }: Holder) =>
    units(accounts.find((account) => account.id === id)?.balance_trx ?? '-1');

  const market: Market = {
    random: createRandom(seed),
    holders,
    addresses: Array.from({ length: PEOPLE }, (_, index) => addressOf(`person ${index}`)),
    orders: [],
    withdrawals: [],
    deposits: [],
    invoices: [],
    rate: 0n,
    advance: clock.advance,
    api: ({ id }, method, path, body) =>
      request(api, `/v1${path}`, {
        method,
        headers: keyed.get(id) ?? plain,
        body: body && JSON.stringify(body),
      }),
    control: (method, path, body) =>
      request(control, path, { method, headers: plain, body: body && JSON.stringify(body) }),
    async balanceOf(holder) {
      const profile = await market.api(holder, 'GET', '/account/profile');
      return profile ? units(String(profile.balance_trx)) : balanceIn(await look(), holder);
    },
    async faults() {
      const state = await look();
      const wrong = holders.flatMap((holder) => {
        const balance = balanceIn(state, holder);
        return balance === holder.expected
          ? []
          : [`account ${holder.id} has ${balance} sun, not ${holder.expected}`];
      });
      return [...(state.audit.ok ? [] : ['the audit fails']), ...state.audit.faults, ...wrong];
    },
    stop,
  };
  for (const to of market.addresses) {
    for (const currency of ['TRX', 'USDT'])
      await market.control('POST', '/transfers', { to, currency, amount: '1000' });
  }
  const [first] = holders;
  const info = first && (await market.api(first, 'GET', '/account/deposit'));
  market.rate = units(String(info?.usdt_to_trx_rate));
  return market;
}
