import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { ApiError, errorDetail, respondWithError } from './api-error.ts';
import { createControl } from './control/control.ts';
import {
  createRateLimits,
  type Endpoint,
  type RateLimits,
  rateLimitDetail,
  rateLimitHeaders,
} from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { createFaults, type Faults, respondWithFault } from './faults.ts';
import { serveOpenApi } from './openapi/routes.ts';
import { createParts, type RentalParts } from './parts.ts';
import { loadState, startAutosave } from './snapshot.ts';
import { demoSeed, type Seed } from './state.ts';
import { createWorld } from './world.ts';

/** Endpoint for unknown paths. */
const unknownPath: Pick<Endpoint, 'name' | 'perMinute' | 'handle'> = {
  name: '*',
  perMinute: 60,
  handle() {
    throw new ApiError(404, 'Not Found');
  },
};

/** Creates the specification's endpoints below `/v1`. Checks each request for a fault, then key, rate limit and body. */
function createApi(deps: { parts: RentalParts; limits: RateLimits; faults: Faults }): Hono {
  const { parts, limits, faults } = deps;

  const execute = async (c: Context, endpoint: typeof unknownPath) => {
    const account = parts.accounts.byKey(c.req.header('X-API-Key'));
    const allowance = account ? limits.consume(account.key, endpoint) : limits.peek(undefined, endpoint);
    for (const [name, value] of rateLimitHeaders(allowance)) c.header(name, value);
    try {
      if (!account)
        throw new ApiError(401, errorDetail('INVALID_API_KEY', 'The X-API-Key header carries no known key'));
      if (!allowance.granted) throw new ApiError(429, rateLimitDetail(allowance.reset));
      return c.json(await endpoint.handle(account, c.req, parts));
    } catch (error) {
      return respondWithError(error, c);
    }
  };

  const serve = (endpoint: typeof unknownPath) => (c: Context) => {
    const fault = faults.useNext(endpoint.name);
    if (!fault) return execute(c, endpoint);
    return respondWithFault({
      c,
      fault,
      allowance: limits.peek(c.req.header('X-API-Key'), endpoint),
      signal: parts.world.resetSignal,
      execute: () => execute(c, endpoint),
    });
  };

  const api = new Hono();
  for (const endpoint of endpoints) api.on(endpoint.method, `/v1${endpoint.path}`, serve(endpoint));
  api.all('/v1/*', serve(unknownPath));
  return api;
}

export interface RentalSandboxOptions {
  clock: Clock;
  /** All endpoints without a limit of their own share one per key (section 8). By default each has its own. */
  sharedLimit?: boolean;
  /** Initial state. Defaults to the accounts of the demo. */
  seed?: Seed;
  /** Source of random bytes for webhook secrets. Defaults to `randomBytes`. */
  random?: (size: number) => Uint8Array;
  /** Time until pending orders are filled automatically. If omitted, only the control API fills them. */
  fillAfterMs?: number;
  /** Like `fillAfterMs`, for the confirmation of pending deposits. */
  confirmAfterMs?: number;
  /** Like `fillAfterMs`, for the completion of withdrawals. With 0 their creation returns `completed`. */
  completeAfterMs?: number;
  /** Like `fillAfterMs`, for the delegation of paid invoices. */
  delegateAfterMs?: number;
  /**
   * JSON file for the state. If it exists, it replaces the seed, and the clock is moved to at least the time of the file.
   * Retries of webhook deliveries aren't restored.
   */
  stateFile?: string;
  /** Called if saving the state fails after the start. Defaults to a line on standard error. */
  report?: (problem: string) => void;
  /** Timeout of a webhook delivery, in real time. */
  webhookTimeoutMs?: number;
}

export interface RentalSandbox {
  /** To be mounted at `/api`. Serves `/api/v1/…`, `/api/openapi.json` and `/api/docs`. */
  api: Hono;
  /** To be mounted at `/sandbox/rental`. */
  control: Hono;
  /** Restores the seed. Aborts deliveries and held requests. */
  reset(): void;
  /** Ends streams, held requests, deliveries and timers. A stopped sandbox can't be restarted. */
  stop(): void;
}

/** Creates an in-memory rental service. @throws FileError if the state file can't be read or written. */
export function createRentalSandbox(options: RentalSandboxOptions): RentalSandbox {
  const { clock, seed = demoSeed(), random = randomBytes, webhookTimeoutMs = 10_000, ...others } = options;
  const {
    stateFile,
    sharedLimit,
    report = (problem) => process.stderr.write(`${problem}\n`),
    ...delays
  } = others;
  const saved = stateFile === undefined ? undefined : loadState(stateFile);
  if (saved) clock.advance(Math.max(saved.now - clock.now(), 0));

  const world = createWorld({ clock, seed, sharedLimit, state: saved?.state });
  const parts = createParts(world, { random, webhookTimeoutMs, ...delays });
  const faults = createFaults(world);
  const limits = createRateLimits(world);
  const stopAutosave = stateFile === undefined ? undefined : startAutosave(world, stateFile, report);
  return {
    api: createApi({ parts, limits, faults }).route('/', serveOpenApi()),
    control: createControl({ parts, faults }),
    reset: world.reset,
    stop() {
      stopAutosave?.();
      world.stop();
    },
  };
}
