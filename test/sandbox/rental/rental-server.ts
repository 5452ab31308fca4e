import { Hono } from 'hono';
import { onTestFinished, vi } from 'vitest';
import { createClock } from '../../../src/sandbox/clock.ts';
import type { stateView } from '../../../src/sandbox/rental/control/views.ts';
import {
  createRentalSandbox,
  type RentalSandboxOptions,
} from '../../../src/sandbox/rental/rental-sandbox.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { send } from '../../support/send.ts';
import { expectDocumented } from './documented.ts';

export type State = ReturnType<typeof stateView>;

/** An error response with a code. */
export interface CodedError {
  detail: { error: { code: string; message: string } };
}

export const START = Date.parse('2025-06-01T12:00:00.000Z');
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** Options of vi.waitFor for a busy machine. */
export const PATIENCE = { timeout: 10_000 };
export const ORDER = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };

interface Asked {
  /** `null`: no key. */
  key?: string | null;
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown;
  signal?: AbortSignal;
}

/** Serves the sandbox's rental service over HTTP, with a clock that moves only when a test advances it. */
export async function serveRental(options: Omit<RentalSandboxOptions, 'clock'> = {}) {
  vi.setSystemTime(START);
  const clock = createClock();
  const sandbox = createRentalSandbox({ clock, ...options });
  const app = new Hono().route('/api', sandbox.api).route('/sandbox/rental', sandbox.control);
  const server = await startHttpServer(app.fetch);
  onTestFinished(async () => {
    sandbox.stop();
    vi.useRealTimers();
    await server.close();
  });

  const ask = (method: string, path: string, { key = 'demo-key', body, signal }: Asked = {}) =>
    send(`${server.origin}${path}`, {
      method,
      headers: { ...(key === null ? {} : { 'X-API-Key': key }), 'Content-Type': 'application/json' },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      signal,
    });

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
    async control<Json>(method: string, path: string, body?: unknown) {
      const response = await ask(method, `/sandbox/rental${path}`, { body });
      return { status: response.status, json: (await response.json()) as Json };
    },
    stream: (path: string) => fetch(`${server.origin}/sandbox/rental${path}`),
    async state(): Promise<State> {
      return (await ask('GET', '/sandbox/rental/state')).json() as Promise<State>;
    },
  };
}
