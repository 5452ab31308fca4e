import { Hono } from 'hono';
import { beforeEach, expect, onTestFinished } from 'vitest';
import type { Clock } from '../../../src/sandbox/clock.ts';
import type { stateView } from '../../../src/sandbox/rental/control/views.ts';
import { endpoints } from '../../../src/sandbox/rental/endpoints.ts';
import {
  createRentalSandbox,
  type RentalSandboxOptions,
} from '../../../src/sandbox/rental/rental-sandbox.ts';
import { RateLimited, Refusal } from '../../../src/sandbox/rental/responses.ts';
import { demoSeed } from '../../../src/sandbox/rental/state.ts';
import { createWorld, type World } from '../../../src/sandbox/rental/world.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { send } from '../../support/send.ts';
import { createStillClock } from '../../support/still-clock.ts';

export type State = ReturnType<typeof stateView>;

/** An error response with a code. */
export interface CodedError {
  detail: { error: { code: string; message: string } };
}

export const START = Date.parse('2025-06-01T12:00:00.000Z');
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const ORDER = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };

interface Wallet {
  active: boolean;
  trx: string;
  usdt: string;
  energy: number;
  bandwidth: number;
}

interface Asked {
  /** `null`: no key. */
  key?: string | null;
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Serves the rental service before each test of the file. The returned functions use the service of the running
 * test. `start` replaces it by one with other options.
 */
export function useRental() {
  let rental: Rental;
  const start = async (options?: ServiceOptions) => {
    rental = await serveRental(options);
  };
  beforeEach(() => start());
  return {
    start,
    request: (...asked: Parameters<Rental['request']>) => rental.request(...asked),
    ask: <Json>(method: string, path: string, asked?: Asked) => rental.ask<Json>(method, path, asked),
    control: <Json>(method: string, path: string, body?: unknown) => rental.control<Json>(method, path, body),
    stream: (path: string) => rental.stream(path),
    state: () => rental.state(),
    balance: (key?: string) => rental.balance(key),
    wallet: (address?: string) => rental.wallet(address),
    get clock() {
      return rental.clock;
    },
    get sandbox() {
      return rental.sandbox;
    },
  };
}

export type Rental = Awaited<ReturnType<typeof serveRental>>;
type ServiceOptions = Omit<RentalSandboxOptions, 'clock'>;

/** Serves the sandbox's rental service over HTTP, with a clock that moves only when a test advances it. */
export async function serveRental(options: ServiceOptions = {}) {
  const clock = createStillClock(START);
  const sandbox = createRentalSandbox({ clock, ...options });
  const app = new Hono().route('/api', sandbox.api).route('/sandbox/rental', sandbox.control);
  const server = await startHttpServer(app.fetch);
  onTestFinished(async () => {
    sandbox.stop();
    await server.close();
  });

  const ask = (method: string, path: string, { key = 'demo-key', body, signal }: Asked = {}) =>
    send(`${server.origin}${path}`, {
      method,
      headers: { ...(key === null ? {} : { 'X-API-Key': key }), 'Content-Type': 'application/json' },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      signal,
    });

  const control = async <Json>(method: string, path: string, body?: unknown) => {
    const response = await ask(method, `/sandbox/rental${path}`, { body });
    return { status: response.status, json: (await response.json()) as Json };
  };

  return {
    clock,
    sandbox,
    /** Sends a request to the service. `path` is relative to `/api/v1`. */
    request: (method: string, path: string, asked?: Asked) => ask(method, `/api/v1${path}`, asked),
    /** Sends a request to the service and returns the parsed response. It must match the OpenAPI document. */
    async ask<Json>(method: string, path: string, asked?: Asked) {
      const response = await ask(method, `/api/v1${path}`, asked);
      const answer = { status: response.status, json: (await response.json()) as Json };
      expectDocumented(method, path, answer);
      return answer;
    },
    /** Sends a request to the control API. */
    control,
    /** Returns an account's balance in TRX. */
    async balance(key = 'demo-key') {
      const response = await ask('GET', '/api/v1/account/profile', { key });
      return ((await response.json()) as { balance_trx: string }).balance_trx;
    },
    /** Returns what an address of the chain holds. */
    wallet: async (address = ADDRESS) => (await control<Wallet>('GET', `/chain/addresses/${address}`)).json,
    stream: (path: string) => fetch(`${server.origin}/sandbox/rental${path}`),
    async state(): Promise<State> {
      return (await ask('GET', '/sandbox/rental/state')).json() as Promise<State>;
    },
  };
}

/**
 * Throws unless a response matches the OpenAPI document of its endpoint: status, code and every field. Unknown paths
 * and responses to faults aren't checked.
 */
export function expectDocumented(
  method: string,
  path: string,
  { status, json }: { status: number; json: unknown },
) {
  const endpoint = endpointOf(method, path);
  if (!endpoint || status >= 500) return;
  const where = `${endpoint.name} → ${status} ${JSON.stringify(json)}`;
  if (status === 200) {
    expect(endpoint.response.safeParse(json).error?.issues, where).toBeUndefined();
    return;
  }
  const { data, error } = (status === 429 ? RateLimited : Refusal).safeParse(json);
  expect(error?.issues, where).toBeUndefined();
  const code = typeof data?.detail === 'object' ? data.detail.error.code : undefined;
  const told: Record<string, readonly (string | undefined)[] | undefined> = {
    401: ['INVALID_API_KEY'],
    422: [undefined],
    429: [undefined],
    ...endpoint.refusals,
  };
  expect(told[status], where).toContain(code);
}

/** Returns the endpoint of a request, for example that of `/invoices/{invoice_id}` for `GET` and `/invoices/7`. */
function endpointOf(method: string, path: string) {
  const [bare = ''] = path.split('?');
  const fits = (name: string) =>
    new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${bare}`);
  return endpoints.find(({ name }) => fits(name));
}

interface Received {
  headers: Record<string, string>;
  body: string;
}

/**
 * Starts a server that receives webhooks. It responds with `statuses` in turn and then repeats the last one. 0 means
 * no response.
 */
export async function receiveWebhooks(...statuses: number[]) {
  const received: Received[] = [];
  const server = await startHttpServer(async (request) => {
    received.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    if (status === 0) return new Promise<Response>(() => {});
    return new Response('ok', { status: status ?? 200, headers: { location: '/elsewhere' } });
  });
  onTestFinished(server.close);
  return { url: `${server.origin}/hook`, received };
}

/** Creates the demo's world with a clock that moves only when a test advances it. */
export function stillWorld(): { world: World; clock: Clock } {
  const clock = createStillClock(START);
  const world = createWorld({ clock, seed: demoSeed() });
  onTestFinished(() => world.stop());
  return { world, clock };
}
