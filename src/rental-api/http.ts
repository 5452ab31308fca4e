import { createHash } from 'node:crypto';
import { type Dispatcher, errors, Pool } from 'undici';
import { z } from 'zod';
import type { Connect } from '../platform/connect.ts';
import type { Log } from '../platform/log.ts';
import type { RecentCalls, Call as RecordedCall } from '../platform/recent-calls.ts';
import type { Endpoint } from './endpoints.ts';
import { toPrintable } from './schemas.ts';

/**
 * Outcome of a request (docs/architecture.md, money). A value, never an exception.
 *
 * - `accepted`: a 2xx that fits the schema and, for money, matches the request.
 * - `rejected`: a 429, or 400, 401, 403, 404, 409, 422 with a JSON body. The request was not executed.
 * - `not-sent`: the request was not sent, so it was not executed.
 * - `unknown`: everything else. The request may have been executed.
 */
export type Outcome<T> = Accepted<T> | Rejected | NotSent | Unknown;

export interface Accepted<T> {
  kind: 'accepted';
  value: T;
}

export interface Rejected {
  kind: 'rejected';
  status: number;
  /** Code of the service (`INSUFFICIENT_BALANCE`, …), or one made from the status (`HTTP_401`). */
  code: string;
  /** Message of the service, for logs and users. Not parsed. */
  message: string;
  /** Wait before the same request may succeed, in milliseconds. */
  retryAfterMs?: number;
}

export interface NotSent {
  kind: 'not-sent';
  /** `invalid`: violates a limit of the specification. `limited`: the rate limit is used up. `offline`: no connection. */
  reason: 'invalid' | 'limited' | 'offline';
  /** Name of the invalid field. */
  field?: string;
  message: string;
  retryAfterMs?: number;
}

export interface Unknown {
  kind: 'unknown';
  reason: 'timeout' | 'cut' | 'status' | 'unreadable' | 'mismatch';
  status?: number;
  message: string;
}

/** Returns whether the service refused the key. The specification doesn't document the status (section 7). */
export function isKeyRefused(outcome: Outcome<unknown> | undefined): outcome is Rejected {
  return outcome?.kind === 'rejected' && [401, 403].includes(outcome.status);
}

/** Returns whether the response was unreadable or didn't match the request. */
export function isUnexpectedReply(outcome: Outcome<unknown> | undefined): boolean {
  return outcome?.kind === 'unknown' && (outcome.reason === 'mismatch' || outcome.reason === 'unreadable');
}

/**
 * Returns path and body of a request. Fields in the path's braces (section 4, path conventions) are inserted there, the others
 * form the body. Without other fields there is no body.
 */
function targetOf(path: string, request: unknown): { path: string; body?: string } {
  const fields = new Map(Object.entries(request ?? {}));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  return fields.size === 0
    ? { path: filled }
    : { path: filled, body: JSON.stringify(Object.fromEntries(fields)) };
}

const MAX_MESSAGE = 300;

/** Error body in both shapes: `{"detail":"text"}` and `{"detail":{"error":{"code","message"}}}`. */
const ErrorBody = z.object({
  detail: z.union([
    z.string().transform((message) => ({ code: undefined, message })),
    z
      .object({ error: z.object({ code: z.string().optional(), message: z.string().optional() }) })
      .transform(({ error }) => error),
  ]),
});

interface Rejection {
  code: string;
  message: string;
  /** Wait that the message states (section 7), in milliseconds. */
  retryAfterMs: number | undefined;
}

/** Reads code and message of a refusal. `body` is parsed JSON or `undefined`. The result contains none of `secrets`. */
function readRejection(status: number, body: unknown, secrets: string[]): Rejection {
  const { code, message = '' } = ErrorBody.safeParse(body).data?.detail ?? {};
  // Removes secrets before shortening. Otherwise a part of a cut secret would remain.
  const words = toPrintable(
    secrets.reduce((text, secret) => text.replaceAll(secret, '…'), withoutInvisible(message)),
    MAX_MESSAGE,
  );
  const isCode = code !== undefined && /^\w{1,64}$/.test(code) && !secrets.some((one) => code.includes(one));
  return {
    code: isCode ? code : `HTTP_${status}`,
    message: words === '' ? `the service answered ${status}` : words,
    retryAfterMs: readWait(words),
  };
}

function withoutInvisible(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim();
}

/** `Rate limit exceeded. Try again in 12 seconds` → 12,000. */
function readWait(words: string): number | undefined {
  const [, seconds] = /(\d{1,5}(?:\.\d{1,3})?)\s*s(?:ec(?:ond)?s?)?\b/i.exec(words) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

const REJECTION_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422]);

/** Classifies a response (docs/architecture.md, money). Messages never contain `key` or the request's secrets. */
function classify<Request, Value>(
  endpoint: Endpoint<Request, Value>,
  request: Request,
  exchanged: Exchanged,
  key: string,
): Outcome<Value> {
  if (exchanged.kind === 'not-sent') {
    return { kind: 'not-sent', reason: 'offline', message: exchanged.message };
  }
  const { head } = exchanged;
  const json = exchanged.kind === 'answered' ? parseJson(exchanged.body) : undefined;
  if (head && (head.status === 429 || (REJECTION_STATUSES.has(head.status) && isObject(json)))) {
    return rejected(head.status, json, [key, ...(endpoint.secrets?.(request) ?? [])]);
  }
  if (exchanged.kind === 'broken') {
    return unknown(exchanged.reason, exchanged.message, head?.status);
  }
  const { status } = exchanged.head;
  if (status < 200 || status > 299) return unknown('status', `the service answered ${status}`, status);
  if (json === undefined) return unknown('unreadable', 'the answer is not JSON', status);
  const { data: value, error } = endpoint.response.safeParse(json);
  if (error)
    return unknown('mismatch', `the answer does not fit: ${error.issues[0]?.path.join('.')}`, status);
  if (endpoint.kind === 'money' && !endpoint.echoes(request, value)) {
    return unknown('mismatch', 'the answer is not about what was asked', status);
  }
  return { kind: 'accepted', value };
}

function rejected(status: number, json: unknown, secrets: string[]): Rejected {
  const { code, message, retryAfterMs } = readRejection(status, json, secrets);
  return { kind: 'rejected', status, code, message, ...(status === 429 && retryAfterMs && { retryAfterMs }) };
}

function unknown(reason: Unknown['reason'], message: string, status?: number): Unknown {
  return { kind: 'unknown', reason, message, ...(status !== undefined && { status }) };
}

function isObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_HOLD_MS = 60_000;
const MAX_SCOPES = 10_000;
/** Maximum wait to report. A longer one is an error of the service. */
const MAX_REPORTED_WAIT_MS = 3600_000;

interface RateLimits {
  /** Returns the wait until a request is allowed, in milliseconds. 0 allows and counts it. */
  acquire(key: string, endpoint: string): number;
  /** Stores the limit from a response. */
  record(key: string, endpoint: string, reported: ReportedLimit): void;
}

interface ReportedLimit {
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
  most = MAX_SCOPES,
}: {
  now: () => number;
  most?: number;
}): RateLimits {
  const scopes = new Map<string, { remaining: number; until: number }>();
  return {
    acquire(key, endpoint) {
      const name = scopeOf(key, endpoint);
      const scope = scopes.get(name);
      if (scope === undefined) return 0;
      const left = scope.until - now();
      if (left <= 0) scopes.delete(name);
      else if (scope.remaining <= 0) return left;
      else scope.remaining -= 1;
      return 0;
    },
    record(key, endpoint, { remaining, resetMs }) {
      const name = scopeOf(key, endpoint);
      scopes.delete(name);
      for (const oldest of scopes.keys()) {
        if (scopes.size < most) break;
        scopes.delete(oldest);
      }
      scopes.set(name, { remaining, until: now() + Math.min(resetMs, MAX_HOLD_MS) });
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
): ReportedLimit | undefined {
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
  return { remaining, resetMs: Math.min(resetMs, MAX_REPORTED_WAIT_MS) };
}

function fromNow(reset: number, now: number): number {
  if (reset < 1e8) return reset * 1000;
  return Math.max(0, (reset < 1e11 ? reset * 1000 : reset) - now);
}

function integer(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header.trim()) ? Number(header) : undefined;
}

interface Call<Request, Value> {
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
  function recordLimit<Value>(
    called: Call<unknown, Value>,
    head: Head,
    outcome: Outcome<Value>,
  ): Outcome<Value> {
    const { endpoint, key } = called;
    const reported = readRateLimit(head, { now: now(), perMinute: endpoint.perMinute });
    if (reported === undefined) return outcome;
    const statedMs = outcome.kind === 'rejected' ? outcome.retryAfterMs : undefined;
    const resetMs = statedMs ?? reported.resetMs;
    limits.record(key, endpoint.name, { remaining: reported.remaining, resetMs });
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
    const heldMs = limits.acquire(key, endpoint.name);
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
    return head === undefined ? outcome : recordLimit(wanted, head, outcome);
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

const MAX_BODY_BYTES = 1_048_576;

interface Head {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Result of one HTTP request.
 *
 * - `answered`: the whole response arrived.
 * - `broken`: the request may have been sent, but the response is incomplete or missing.
 * - `not-sent`: no byte of the request was written.
 */
type Exchanged =
  | { kind: 'answered'; head: Head; body: string }
  | { kind: 'broken'; head: Head | undefined; reason: 'timeout' | 'cut' | 'unreadable'; message: string }
  | { kind: 'not-sent'; message: string };

interface ExchangeRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Timeout for connection, request and response together. */
  timeoutMs: number;
}

interface Exchange {
  send(request: ExchangeRequest): Promise<Exchanged>;
  /** Waits for requests in progress. */
  close(): Promise<void>;
}

/**
 * Sends requests to one origin. Writes each at most once: no redirects, no retries, no pipelining. Never rejects.
 * `reuse` keeps connections open. Without it each request uses a new connection, so that no request is lost on a connection
 * that the server is about to close.
 */
export function createExchange(options: {
  origin: string;
  reuse: boolean;
  connectMs: number;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
  /** Records the result of every request. */
  calls?: Pick<RecentCalls, 'note'> | undefined;
}): Exchange {
  const pool =
    options.connect?.(options.origin) ??
    new Pool(options.origin, {
      pipelining: options.reuse ? 1 : 0,
      connect: { timeout: options.connectMs },
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_BODY_BYTES,
    });
  let closing: Promise<void> | undefined;
  return {
    async send(request) {
      const began = performance.now();
      const exchanged = await sendOnce(pool, request);
      options.calls?.note(callOf(exchanged, performance.now() - began));
      return exchanged;
    },
    close: () => {
      closing ??= pool.close();
      return closing;
    },
  };
}

/** Summarizes a request without its content. */
function callOf(exchanged: Exchanged, ms: number): RecordedCall {
  if (exchanged.kind !== 'answered') return { kind: 'failed', why: exchanged.message };
  const { status } = exchanged.head;
  if (status >= 500) return { kind: 'failed', why: `HTTP ${status}` };
  return { kind: status === 429 ? 'limited' : 'answered', ms };
}

/** Writes a request at most once, whatever the dispatcher would do. Never rejects. */
export function sendOnce(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  { method, path, headers, body, timeoutMs }: ExchangeRequest,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let started = false;
    let over = false;
    let abort: ((reason: Error) => void) | undefined;
    let head: Head | undefined;
    const chunks: Buffer[] = [];

    const settle = (exchanged: Exchanged) => {
      over = true;
      clearTimeout(timer);
      resolve(exchanged);
    };
    const fail = (reason: 'timeout' | 'cut' | 'unreadable', message: string) => {
      if (!over) settle(started ? { kind: 'broken', head, reason, message } : { kind: 'not-sent', message });
    };
    const timer = setTimeout(() => {
      fail('timeout', `no answer within ${timeoutMs} ms`);
      abort?.(new Error('timeout'));
    }, timeoutMs);

    dispatcher.dispatch(
      { method, path, headers, body: body ?? null },
      {
        // Called right before the first byte is written, so earlier failures were not sent. undici may call it
        // again to resend the request, and calls it for requests that timed out in its queue. Both are aborted here.
        onRequestStart(controller) {
          if (started || over) return controller.abort(new Error('sent at most once'));
          started = true;
          abort = (reason) => controller.abort(reason);
        },
        onResponseStart(_controller, status, responseHeaders) {
          if (status >= 200) head = { status, headers: responseHeaders };
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (!over && head) settle({ kind: 'answered', head, body: Buffer.concat(chunks).toString('utf8') });
        },
        onResponseError(_controller, error) {
          const garbled = error instanceof errors.HTTPParserError && !head;
          const tooLong = error instanceof errors.ResponseExceededMaxSizeError;
          const what = started ? 'no whole answer' : 'no connection';
          fail(garbled || tooLong ? 'unreadable' : 'cut', `${what}: ${errorCode(error)}`);
        },
      },
    );
  });
}

function errorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
