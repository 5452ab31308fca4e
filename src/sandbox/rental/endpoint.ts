import type { HonoRequest } from 'hono';
import { z } from 'zod';
import { ApiError, type Code } from './api-error.ts';
import type { RentalParts } from './parts.ts';
import type { Account } from './state.ts';
import { sunFromTrx } from './sun.ts';
import { CURRENCIES } from './wallets.ts';
import type { World } from './world.ts';

const numberFormat = new Intl.NumberFormat('en-US');

/** Returns a schema for an integer from `min` to `max`, inclusive. */
export function whole(min: number, max: number) {
  const error = `expected a whole number from ${numberFormat.format(min)} to ${numberFormat.format(max)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** Returns a schema for a string. `what` is its description and part of its error text. */
export function text(what: string) {
  return z.string({ error: `expected ${what}` }).describe(what);
}

/** Schema for a decimal string of TRX. Its output is in sun. */
export const trx = text('a decimal string of TRX, like "12.50"').transform((value, context) => {
  const sun = sunFromTrx(value);
  if (sun !== undefined) return sun;
  context.addIssue('expected a decimal string of TRX with up to six decimals, like "12.50"');
  return z.NEVER;
});

/** Schema for an amount of TRX or USDT above 0. Its output is in the smallest unit; both have six decimals. */
export const money = text('a decimal string, like "12.50"').transform((value, context) => {
  const amount = sunFromTrx(value);
  if (amount) return amount;
  context.addIssue('expected a decimal string of more than 0 with up to six decimals, like "12.50"');
  return z.NEVER;
});

export const currency = z.enum(CURRENCIES, { error: 'expected TRX or USDT' });

/** Parses the JSON body of a request. @throws ApiError 422 that names each invalid field and the expected value. */
export async function readBody<Body>(request: HonoRequest, schema: z.ZodType<Body>): Promise<Body> {
  const result = schema.safeParse(parse(await request.text()));
  if (result.success) return result.data;
  const faults = new Map<string, string>();
  for (const issue of result.error.issues) {
    const field = issue.path.join('.') || 'body';
    const whatever = issue.path.length === 0 && issue.code === 'invalid_type';
    if (!faults.has(field)) faults.set(field, whatever ? 'expected a JSON object' : issue.message);
  }
  throw new ApiError(422, [...faults].map(([field, message]) => `${field}: ${message}`).join('; '));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Parameters of a path in the specification's form: `/invoices/{invoice_id}` has `{ invoice_id: number }`. */
type PathParams<Path extends string> = { readonly [Name in NameIn<Path>]: number };

type NameIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NameIn<Rest>
  : never;

const PARAM = /\{(\w+)\}/g;

/** Converts a path to the router's syntax: `/invoices/:invoice_id`. */
export function routePath(path: string): string {
  return path.replace(PARAM, ':$1');
}

/** Parses the parameters of a request's path. @throws ApiError 422 if one isn't a number (section 4). */
export function readParams<Path extends string>(path: Path, request: HonoRequest): PathParams<Path> {
  const names = [...path.matchAll(PARAM)].map(([, name = '']) => name);
  return Object.fromEntries(
    names.map((name) => [name, readNumber(name, request.param(name))]),
  ) as PathParams<Path>;
}

function readNumber(name: string, text = ''): number {
  if (!/^\d{1,15}$/.test(text)) throw new ApiError(422, `${name}: expected a number`);
  return Number(text);
}

const WINDOW_MS = 60_000;

export interface RateLimit {
  granted: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/**
 * Rate limits of section 8, per key and endpoint. A window begins with a request and lasts a minute. If the limit is shared, the
 * endpoints that section 8 doesn't list have one window per key.
 */
export interface RateLimits {
  /** Counts a request and returns the allowance. A rejected request isn't counted. */
  consume(key: string, endpoint: LimitedEndpoint): RateLimit;
  /** Returns the current allowance without counting a request. */
  peek(key: string | undefined, endpoint: LimitedEndpoint): RateLimit;
}

type LimitedEndpoint = Pick<Endpoint, 'name' | 'perMinute'>;

const OTHERS_PER_MINUTE = 60;
/** Endpoint that section 8 lists although it has the limit of all others. */
const LISTED = 'GET /prices';

export function createRateLimits(world: World): RateLimits {
  const nameOf = (key: string | undefined, { name, perMinute }: LimitedEndpoint) =>
    world.state.isLimitShared && perMinute === OTHERS_PER_MINUTE && name !== LISTED
      ? `${key} all other endpoints`
      : `${key} ${name}`;
  const windowOf = (name: string) => {
    const now = world.clock.now();
    const window = world.state.rateWindows.get(name);
    return window && now < window.endsAt ? window : { endsAt: now + WINDOW_MS, used: 0 };
  };
  const allowance = (window: { endsAt: number; used: number }, limit: number, granted: boolean) => ({
    granted,
    limit,
    remaining: limit - window.used,
    reset: Math.ceil((window.endsAt - world.clock.now()) / 1000),
  });

  return {
    consume(key, endpoint) {
      const { perMinute } = endpoint;
      const name = nameOf(key, endpoint);
      const window = windowOf(name);
      const granted = window.used < perMinute;
      if (granted) window.used += 1;
      world.state.rateWindows.set(name, window);
      return allowance(window, perMinute, granted);
    },
    peek(key, endpoint) {
      const { perMinute } = endpoint;
      const window = windowOf(nameOf(key, endpoint));
      return allowance(window, perMinute, window.used < perMinute);
    },
  };
}

/** Returns the headers of every response. The specification doesn't define the reset; the sandbox uses seconds from now. */
export function rateLimitHeaders({ limit, remaining, reset }: RateLimit): [name: string, value: string][] {
  return [
    ['X-RateLimit-Limit', String(limit)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(reset)],
  ];
}

/** Returns the `detail` of a 429 (section 7). */
export function rateLimitDetail(seconds: number): string {
  return `Rate limit exceeded. Try again in ${seconds} seconds.`;
}

/** Documentation of an endpoint, in addition to its path, rate limit and body. */
interface EndpointDocs {
  id: string;
  tag: 'Energy' | 'Bandwidth' | 'Invoices' | 'Smart Mode' | 'Transfer packages' | 'Account' | 'Webhooks';
  summary: string;
  description?: string;
  /** Schema of the response. Tests check each response of the sandbox against it. */
  response: z.ZodType;
  /** Error codes by status, in addition to those of every endpoint. */
  refusals?: Partial<Record<400 | 403 | 404 | 409, readonly Code[]>>;
}

/** Endpoint of section 4. */
export interface Endpoint extends EndpointDocs {
  /** Name in the specification's short form: `POST /energy/buy`, `GET /invoices/{invoice_id}`. */
  name: string;
  method: 'GET' | 'POST';
  /** Path in the router's syntax: `/invoices/:invoice_id`. */
  path: string;
  /** Requests allowed per minute (section 8). */
  perMinute: number;
  /** Schema of the body, if the endpoint has one. */
  body?: z.ZodType;
  /** Executes the request. The returned value is sent as JSON. @throws ApiError */
  handle(account: Account, request: HonoRequest, parts: RentalParts): Promise<object> | object;
}

interface Call<Path extends string> {
  account: Account;
  parts: RentalParts;
  /** Values of the path's parameters. */
  params: PathParams<Path>;
}

/** Creates a GET endpoint. */
export function get<Path extends string>(
  path: Path,
  docs: EndpointDocs,
  handle: (call: Call<Path>) => object,
): Endpoint {
  return {
    ...docs,
    name: `GET ${path}`,
    method: 'GET',
    path: routePath(path),
    perMinute: OTHERS_PER_MINUTE,
    handle: (account, request, parts) => handle({ account, parts, params: readParams(path, request) }),
  };
}

/** Creates a POST endpoint with a body, which is validated first. `handle` is synchronous, so requests don't interleave. */
export function post<Path extends string, Body>(
  path: Path,
  {
    body,
    perMinute = OTHERS_PER_MINUTE,
    ...docs
  }: EndpointDocs & { body: z.ZodType<Body>; perMinute?: number },
  handle: (call: Call<Path> & { body: Body }) => object,
): Endpoint {
  return {
    ...docs,
    name: `POST ${path}`,
    method: 'POST',
    path: routePath(path),
    perMinute,
    body,
    handle: async (account, request, parts) =>
      handle({ account, parts, params: readParams(path, request), body: await readBody(request, body) }),
  };
}

/** Creates a POST endpoint that ignores its body. */
export function postWithoutBody<Path extends string>(
  path: Path,
  docs: EndpointDocs,
  handle: (call: Call<Path>) => object,
): Endpoint {
  return { ...get(path, docs, handle), name: `POST ${path}`, method: 'POST' };
}
