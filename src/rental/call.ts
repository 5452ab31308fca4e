import type { Log } from '../platform/log.ts';
import { classify } from './classify.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import type { Exchange, Head } from './exchange.ts';
import type { NotSent, Outcome } from './outcome.ts';
import { createRateLimits, readRateLimit } from './rate-limits.ts';
import { targetOf } from './target.ts';

export interface Call<Request, Value> {
  endpoint: Endpoint<Request, Value>;
  key: string;
  request: Request;
  exchange: Exchange;
  timeoutMs: number;
}

/** Creates a function that makes one attempt of a call: validates it, checks the rate limit, sends it and classifies it. */
export function createCaller({ prefix, log, now }: { prefix: string; log: Log; now: () => number }) {
  const limits = createRateLimits({ now });

  /** Stores the limits of a response. Adds the wait to a 429 that doesn't state it. */
  function learn<Value>(called: Call<unknown, Value>, head: Head, outcome: Outcome<Value>): Outcome<Value> {
    const { endpoint, key } = called;
    const told = readRateLimit(head, { now: now(), perMinute: endpoint.perMinute });
    if (told === undefined) return outcome;
    const named = outcome.kind === 'rejected' ? outcome.retryAfterMs : undefined;
    const resetMs = named ?? told.resetMs;
    limits.note(key, endpoint.name, { remaining: told.remaining, resetMs });
    return outcome.kind === 'rejected' && outcome.status === 429
      ? { ...outcome, retryAfterMs: resetMs }
      : outcome;
  }

  return async function call<Request, Value>(wanted: Call<Request, Value>): Promise<Outcome<Value>> {
    const { endpoint, key, exchange, timeoutMs } = wanted;
    if (!/^[!-~]{1,512}$/.test(key))
      return invalid('key', 'printable characters without spaces are expected');
    const checked = endpoint.request.safeParse(wanted.request);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      return invalid(String(issue?.path[0] ?? ''), issue?.message ?? 'invalid');
    }
    const heldMs = limits.take(key, endpoint.name);
    if (heldMs > 0) {
      const message = 'the rate limit would refuse it';
      return { kind: 'not-sent', reason: 'limited', message, retryAfterMs: heldMs };
    }
    const startedAt = now();
    const { path, body } = targetOf(endpoint.path, checked.data);
    const exchanged = await exchange.send({
      method: endpoint.method,
      path: `${prefix}${path}`,
      headers: headersFor(key, body),
      timeoutMs,
      body,
    });
    const outcome = classify(endpoint, checked.data, exchanged, key);
    const head = exchanged.kind === 'not-sent' ? undefined : exchanged.head;
    log.debug(
      { endpoint: endpoint.name, status: head?.status, ...summary(outcome), ms: now() - startedAt },
      'rental call',
    );
    return head === undefined ? outcome : learn(wanted, head, outcome);
  };
}

function headersFor(key: string, body: string | undefined): Record<string, string> {
  return {
    'x-api-key': key,
    accept: 'application/json',
    'user-agent': 'energy-rental-bot',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function summary(outcome: Outcome<unknown>): { outcome: string; reason?: string; code?: string } {
  if (outcome.kind === 'accepted') return { outcome: outcome.kind };
  if (outcome.kind === 'rejected') return { outcome: outcome.kind, code: outcome.code };
  return { outcome: outcome.kind, reason: outcome.reason };
}

function invalid(field: string, message: string): NotSent {
  return { kind: 'not-sent', reason: 'invalid', field, message };
}
