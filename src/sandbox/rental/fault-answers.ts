import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { cut, untilGone } from './connection.ts';
import { type Allowance, rateLimitDetail, rateLimitHeaders } from './rate-limits.ts';
import type { Fault, FaultKind } from './state.ts';

const DEFAULT_LATENCY_MS = 1_000;
const DEFAULT_LIMIT_MS = 60_000;

export interface FaultyRequest {
  c: Context;
  fault: Fault;
  allowance: Allowance;
  /** Aborted to end delayed and hanging requests. */
  life: AbortSignal;
  /** Executes the request normally. */
  execute: () => Promise<Response>;
}

/** Responds to a request with a fault. A request that isn't executed changes nothing, not even the rate limit. */
export function answerWithFault(request: FaultyRequest): Promise<Response> {
  for (const [name, value] of rateLimitHeaders(request.allowance)) request.c.header(name, value);
  return answers[request.fault.kind](request);
}

const answers: Record<FaultKind, (request: FaultyRequest) => Promise<Response>> = {
  async latency({ c, fault, life, execute }) {
    try {
      await sleep(fault.ms ?? DEFAULT_LATENCY_MS, undefined, { signal: life });
    } catch {
      return cut(c);
    }
    return execute();
  },
  'error-before': async ({ c, fault }) => serverError(c, fault),
  async 'error-after'({ c, fault, execute }) {
    await execute();
    return serverError(c, fault);
  },
  'cut-before': async ({ c }) => cut(c),
  async 'cut-after'({ c, execute }) {
    await execute();
    return cut(c);
  },
  async garbage({ c, execute }) {
    await execute();
    return garbage(c);
  },
  'garbage-before': async ({ c }) => garbage(c),
  async 'rate-limit'({ c, fault, allowance }) {
    const reset = Math.ceil((fault.ms ?? DEFAULT_LIMIT_MS) / 1000);
    for (const [name, value] of rateLimitHeaders({ ...allowance, remaining: 0, reset }))
      c.header(name, value);
    return c.json({ detail: rateLimitDetail(reset) }, 429);
  },
  async 'hang-after'({ c, life, execute }) {
    await execute();
    await untilGone(c, life);
    return cut(c);
  },
};

function serverError(c: Context, { status = 500 }: Fault): Response {
  return c.json({ detail: 'Internal Server Error' }, status as ContentfulStatusCode);
}

function garbage(c: Context): Response {
  return c.body('{"order_id": 1<html>', 200, { 'Content-Type': 'application/json' });
}
