import { createHash } from 'node:crypto';
import type { Head } from './exchange.ts';

const LONGEST_HOLD_MS = 60_000;
const MOST_SCOPES = 10_000;
/** Maximum wait to report. A longer one is an error of the service. */
const LONGEST_TOLD_MS = 3600_000;

export interface RateLimits {
  /** Returns the wait until a request is allowed, in milliseconds. 0 allows and counts it. */
  take(key: string, endpoint: string): number;
  /** Stores the limit from a response. */
  note(key: string, endpoint: string, told: ToldLimit): void;
}

export interface ToldLimit {
  remaining: number;
  /** Time until the limit resets, in milliseconds. */
  resetMs: number;
}

/**
 * Stores the limits that the service reported (section 8), by API key and endpoint. Keys are hashed. Delays requests for at
 * most a minute. Doesn't limit before the service has reported a limit.
 */
export function createRateLimits({
  now,
  most = MOST_SCOPES,
}: {
  now: () => number;
  most?: number;
}): RateLimits {
  const scopes = new Map<string, { remaining: number; until: number }>();
  return {
    take(key, endpoint) {
      const name = scopeOf(key, endpoint);
      const scope = scopes.get(name);
      if (scope === undefined) return 0;
      const left = scope.until - now();
      if (left <= 0) scopes.delete(name);
      else if (scope.remaining <= 0) return left;
      else scope.remaining -= 1;
      return 0;
    },
    note(key, endpoint, { remaining, resetMs }) {
      const name = scopeOf(key, endpoint);
      scopes.delete(name);
      for (const oldest of scopes.keys()) {
        if (scopes.size < most) break;
        scopes.delete(oldest);
      }
      scopes.set(name, { remaining, until: now() + Math.min(resetMs, LONGEST_HOLD_MS) });
    },
  };
}

function scopeOf(key: string, endpoint: string): string {
  return `${createHash('sha256').update(key).digest('base64url')} ${endpoint}`;
}

/**
 * Reads the `X-RateLimit-*` headers and `Retry-After` of a response. The specification doesn't say whether the reset is in
 * seconds or an epoch, so its size decides. If it is missing, the reset is 60 seconds divided by `perMinute`.
 */
export function readRateLimit(
  { status, headers }: Head,
  { now, perMinute }: { now: number; perMinute: number },
): ToldLimit | undefined {
  const remaining = status === 429 ? 0 : integer(headers['x-ratelimit-remaining']);
  if (remaining === undefined) return undefined;
  const named = status === 429 ? integer(headers['retry-after']) : undefined;
  const reset = integer(headers['x-ratelimit-reset']);
  const resetMs =
    named !== undefined
      ? named * 1000
      : reset === undefined
        ? Math.ceil(60_000 / perMinute)
        : fromNow(reset, now);
  return { remaining, resetMs: Math.min(resetMs, LONGEST_TOLD_MS) };
}

function fromNow(reset: number, now: number): number {
  if (reset < 1e8) return reset * 1000;
  return Math.max(0, (reset < 1e11 ? reset * 1000 : reset) - now);
}

function integer(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header.trim()) ? Number(header) : undefined;
}
