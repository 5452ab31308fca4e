import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { closeConnection, waitForDisconnect } from './chain.ts';
import { type RateLimit, rateLimitDetail, rateLimitHeaders } from './endpoint.ts';
import { type Fault, type FaultKind, nextId } from './state.ts';
import type { World } from './world.ts';

/** Faults ordered for future requests. */
export interface Faults {
  add(fault: Omit<Fault, 'id'>): Fault;
  clear(): void;
  /** Returns the oldest fault ordered for this endpoint and counts it as used once. */
  useNext(endpoint: string): Fault | undefined;
}

export function createFaults(world: World): Faults {
  return {
    add(newFault) {
      const fault = { ...newFault, id: nextId(world.state, 'faults') };
      world.state.faults.push(fault);
      world.changed();
      return fault;
    },
    clear() {
      world.state.faults = [];
      world.changed();
    },
    useNext(endpoint) {
      const { state } = world;
      const fault = state.faults.find((candidate) => candidate.endpoint === endpoint);
      if (!fault) return undefined;
      fault.times -= 1;
      state.faults = state.faults.filter(({ times }) => times > 0);
      world.changed();
      return fault;
    },
  };
}

const DEFAULT_LATENCY_MS = 1_000;
const DEFAULT_LIMIT_MS = 60_000;

interface FaultyRequest {
  c: Context;
  fault: Fault;
  allowance: RateLimit;
  /** Aborted to end delayed and hanging requests. */
  signal: AbortSignal;
  /** Executes the request normally. */
  execute: () => Promise<Response>;
}

/** Responds to a request with a fault. A request that isn't executed changes nothing, not even the rate limit. */
export function respondWithFault(request: FaultyRequest): Promise<Response> {
  for (const [name, value] of rateLimitHeaders(request.allowance)) request.c.header(name, value);
  return answers[request.fault.kind](request);
}

const answers: Record<FaultKind, (request: FaultyRequest) => Promise<Response>> = {
  async latency({ c, fault, signal, execute }) {
    try {
      await sleep(fault.ms ?? DEFAULT_LATENCY_MS, undefined, { signal: signal });
    } catch {
      return closeConnection(c);
    }
    return execute();
  },
  'error-before': async ({ c, fault }) => serverError(c, fault),
  async 'error-after'({ c, fault, execute }) {
    await execute();
    return serverError(c, fault);
  },
  'cut-before': async ({ c }) => closeConnection(c),
  async 'cut-after'({ c, execute }) {
    await execute();
    return closeConnection(c);
  },
  async garbage({ c, execute }) {
    await execute();
    return garbage(c);
  },
  'garbage-before': async ({ c }) => garbage(c),
  'web-page': async ({ c, fault }) =>
    c.html('<!doctype html><title>Welcome</title>', (fault.status ?? 200) as ContentfulStatusCode),
  async 'rate-limit'({ c, fault, allowance }) {
    const reset = Math.ceil((fault.ms ?? DEFAULT_LIMIT_MS) / 1000);
    for (const [name, value] of rateLimitHeaders({ ...allowance, remaining: 0, reset }))
      c.header(name, value);
    return c.json({ detail: rateLimitDetail(reset) }, 429);
  },
  async 'hang-after'({ c, signal, execute }) {
    await execute();
    await waitForDisconnect(c, signal);
    return closeConnection(c);
  },
};

function serverError(c: Context, { status = 500 }: Fault): Response {
  return c.json({ detail: 'Internal Server Error' }, status as ContentfulStatusCode);
}

function garbage(c: Context): Response {
  return c.body('{"order_id": 1<html>', 200, { 'Content-Type': 'application/json' });
}
