import { setTimeout as delay } from 'node:timers/promises';
import { errors, Pool } from 'undici';
import { z } from 'zod';
import { createLogThrottle, type Log } from '../platform/log.ts';
import type { SharedRateLimiter } from '../platform/rate-limit.ts';
import { parseJson } from '../platform/records.ts';
import {
  type Connect,
  connectOptions,
  describeNetworkError,
  type HttpResult,
  type RecentCalls,
  type Call as RecordedCall,
  type ResponseHead,
  ResponseTimeout,
  requestOnce,
} from '../platform/service-calls.ts';
import { createConnector } from './connections.ts';
import { ENDPOINTS, type Endpoint, type Endpoints, type InvoiceRequest } from './endpoints.ts';
import { createRateLimits, type Priority, readWait } from './rate-limits.ts';
import { type Profile, toPrintable, type WebhookLogEntry } from './schemas.ts';

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

/** Returns the wait, in milliseconds, of a request that wasn't sent because of a rate limit, otherwise `undefined`. */
export function heldBackMs(
  outcome: Outcome<unknown> | { kind: 'other-account' } | undefined,
): number | undefined {
  return outcome?.kind === 'not-sent' && outcome.reason === 'limited' ? outcome.retryAfterMs : undefined;
}

/** Returns whether the response was unreadable or didn't match the request. */
export function isUnexpectedReply(outcome: Outcome<unknown> | undefined): boolean {
  return outcome?.kind === 'unknown' && (outcome.reason === 'mismatch' || outcome.reason === 'unreadable');
}

/** Returns whether the service didn't respond or failed. A rejected request and an unreadable response count as responses. */
export function hasNoResponse(outcome: Outcome<unknown> | undefined): boolean {
  if (outcome?.kind === 'not-sent') return outcome.reason === 'offline';
  return outcome?.kind === 'unknown' && !isUnexpectedReply(outcome);
}

/**
 * Timeouts in milliseconds. `readMs`, `changeMs` and `moneyMs` apply to a whole call. `unusedMs` applies to a connection that
 * was opened ahead and waits for its request. It is shorter than servers' timeouts for idle connections.
 */
const TIMEOUTS = {
  connectMs: 5_000,
  unusedMs: 3_000,
  readTryMs: 5_000,
  readMs: 10_000,
  changeMs: 10_000,
  moneyMs: 30_000,
};

const TRIES = 3;
const FIRST_BACKOFF_MS = 250;
const LONGEST_WAIT_MS = 3_000;
const MAX_BODY_BYTES = 1_048_576;

/** Method that calls an endpoint. An endpoint without request fields has a method without a request. */
type Method<Request, Value> = [Request] extends [undefined]
  ? (key: string) => Promise<Outcome<Value>>
  : (key: string, request: Request) => Promise<Outcome<Value>>;

type Methods = {
  [Name in keyof Endpoints]: Method<
    z.infer<Endpoints[Name]['request']>,
    z.infer<Endpoints[Name]['response']>
  >;
};

/**
 * Creates a client of the service at `baseUrl`, the specification's `{base_url}`: one method per endpoint (section 4, see
 * `ENDPOINTS`). Its arguments are the account's API key (section 5) and, if the endpoint has any, the request's fields.
 * Methods never reject. Reads are retried; everything else is sent at most once. Requests that violate a documented limit
 * (section 8) aren't sent. Amounts of TRX are decimal strings.
 */
export function createRental(deps: {
  baseUrl: string;
  log: Log;
  timeouts?: Partial<typeof TIMEOUTS>;
  /** Counts background reads together with those of other replicas. */
  sharedLimiter?: Pick<SharedRateLimiter, 'acquire'>;
  calls?: Pick<RecentCalls, 'note'>;
  /** A refusal of the operator's key counts as a failed call, unlike one of a user's own key. */
  isOperatorKey?: ((key: string) => boolean) | undefined;
  /** Called when the service refuses a key ({@link isKeyRefused}). */
  onKeyRefused?: ((key: string, refusal: Rejected) => void) | undefined;
  /** Used instead of pools of connections. */
  connect?: Connect | undefined;
  now?(): number;
  sleep?(ms: number): Promise<void>;
  random?(): number;
}) {
  const { log, now = Date.now, sleep = delay, random = Math.random } = deps;
  const timeouts = { ...TIMEOUTS, ...deps.timeouts };
  const { origin, pathname } = new URL(deps.baseUrl);
  const prefix = `${pathname.replace(/\/+$/, '')}/v1`;
  const limits = createRateLimits({ now, sharedLimiter: deps.sharedLimiter });
  const throttle = createLogThrottle();
  const connector = createConnector(origin, timeouts);
  /** Connections that stay open, for reads. */
  const kept = connect({ pipelining: 1, connect: connectOptions(timeouts.connectMs) });
  /** A new connection per request, so that no request is lost on a connection that the server is about to close. */
  const fresh = connect({ pipelining: 0, connect: connector.connect });
  let closing: Promise<unknown> | undefined;

  function connect(options: Pick<Pool.Options, 'pipelining' | 'connect'>) {
    return (
      deps.connect?.(origin) ??
      new Pool(origin, {
        ...options,
        allowH2: false,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxResponseSize: MAX_BODY_BYTES,
      })
    );
  }

  /** Sends a request once. `timeoutMs` applies to connection, request and response together. */
  async function send<Request, Value>(
    endpoint: Endpoint<Request, Value>,
    key: string,
    request: Request,
    timeoutMs: number,
  ): Promise<{ result: HttpResult; ms: number }> {
    const { path, body } = targetOf(endpoint.path, request);
    const [connections, method] = endpoint.kind === 'read' ? [kept, 'GET'] : [fresh, 'POST'];
    const startedAt = performance.now();
    const result = await requestOnce(
      connections,
      { method, path: `${prefix}${path}`, headers: headersFor(key, body), body: body ?? null },
      { totalMs: timeoutMs },
    );
    return { result, ms: performance.now() - startedAt };
  }

  /** Makes one attempt of a call: validates it, checks the rate limit, sends it and classifies the response. */
  async function attempt<Request, Value>(
    endpoint: Endpoint<Request, Value>,
    key: string,
    request: Request,
    { timeoutMs, priority }: { timeoutMs: number; priority: Priority },
  ): Promise<Outcome<Value>> {
    if (!/^[!-~]{1,512}$/.test(key))
      return invalid('key', 'printable characters without spaces are expected');
    const checked = endpoint.request.safeParse(request);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      return invalid(String(issue?.path[0] ?? ''), issue?.message ?? 'invalid');
    }
    const begun = limits.begin({ key, endpoint: endpoint.name, priority });
    let heldMs = begun.kind === 'held' ? begun.waitMs : 0;
    if (begun.kind === 'begun' && priority === 'background') heldMs = await begun.count();
    if (begun.kind === 'held' || heldMs > 0) {
      log.debug({ endpoint: endpoint.name, ms: heldMs }, 'rental call held back');
      const message = 'the rate limit would refuse it';
      return { kind: 'not-sent', reason: 'limited', message, retryAfterMs: heldMs };
    }
    const startedAt = now();
    const { result, ms } = await send(endpoint, key, checked.data, timeoutMs);
    const outcome = classify(endpoint, checked.data, result, key);
    const isRefused = isKeyRefused(outcome) && deps.isOperatorKey?.(key);
    deps.calls?.note(callOf(endpoint.name, result, isRefused ? undefined : outcome, ms));
    if (isKeyRefused(outcome)) deps.onKeyRefused?.(key, outcome);
    const head = result.kind === 'not-sent' ? undefined : result.head;
    log.debug(
      { endpoint: endpoint.name, status: head?.status, ...summary(outcome), ms: now() - startedAt },
      'rental call',
    );
    if (result.kind === 'not-sent') {
      begun.notSent();
      return outcome;
    }
    const statedMs = outcome.kind === 'rejected' ? outcome.retryAfterMs : undefined;
    const retryAfterMs = begun.answered(head, statedMs);
    return outcome.kind === 'rejected' && retryAfterMs !== undefined ? { ...outcome, retryAfterMs } : outcome;
  }

  /**
   * Tries a read up to three times within `readMs`. Retries after a lost connection, a timeout, a 5xx or no connection with
   * exponential backoff and jitter. Retries after a rate limit if its wait is at most three seconds. A read in the background
   * that was held back isn't retried.
   */
  async function read<Request, Value>(
    endpoint: Endpoint<Request, Value>,
    key: string,
    request: Request,
    priority: Priority,
  ) {
    const deadline = now() + timeouts.readMs;
    for (let tries = 1; ; tries += 1) {
      const timeoutMs = Math.min(timeouts.readTryMs, Math.max(1, deadline - now()));
      const outcome = await attempt(endpoint, key, request, { timeoutMs, priority });
      if (priority === 'background' && heldBackMs(outcome) !== undefined) return outcome;
      const wait = waitBeforeNext(outcome, tries, random());
      if (tries === TRIES || wait === undefined || now() + wait >= deadline) return outcome;
      await sleep(wait);
    }
  }

  function callsWithPriority(priority: Priority) {
    const methodOf =
      <Request, Value>(endpoint: Endpoint<Request, Value>) =>
      (key: string, request: Request) => {
        if (endpoint.kind === 'read') return read(endpoint, key, request, priority);
        const timeoutMs = endpoint.kind === 'money' ? timeouts.moneyMs : timeouts.changeMs;
        return attempt(endpoint, key, request, { timeoutMs, priority: 'operation' });
      };
    const methods = Object.fromEntries(
      Object.values(ENDPOINTS).map((endpoint) => [endpoint.name, methodOf<unknown, unknown>(endpoint)]),
    ) as Methods;
    return {
      ...methods,
      /** Skips unreadable entries and logs a warning. */
      async webhookLogs(key: string): Promise<Outcome<WebhookLogEntry[]>> {
        const logs = await methods.webhookLogs(key);
        if (logs.kind !== 'accepted') return logs;
        const { entries, unreadable } = logs.value;
        if (unreadable > 0 && throttle('webhook log')) {
          log.warn({ endpoint: 'webhookLogs', count: unreadable }, 'entries could not be read');
        }
        return { kind: 'accepted', value: entries };
      },
    };
  }

  return {
    ...callsWithPriority('user'),
    /**
     * Returns the methods of all endpoints with another priority of their reads than `user`. A read in the background that
     * would use requests kept for others is *not sent*, with the reason `limited`.
     *
     * @example const deposits = await rental.withPriority('background').deposits(key);
     */
    withPriority: callsWithPriority,
    /**
     * Requests the profile once without a key, which shows whether the service responds: it refuses that. Counts against
     * no rate limit of a key.
     */
    async profileWithoutKey(): Promise<Outcome<Profile>> {
      const { result, ms } = await send(ENDPOINTS.profile, '', undefined, timeouts.readTryMs);
      const outcome = classify(ENDPOINTS.profile, undefined, result, '');
      deps.calls?.note(callOf(ENDPOINTS.profile.name, result, outcome, ms));
      return outcome;
    },
    /**
     * Opens a connection ahead, so that the next POST doesn't wait for one. If no POST uses the connection within three
     * seconds, closes it.
     */
    openConnection(): void {
      if (deps.connect === undefined && closing === undefined) connector.openAhead();
    },
    async close(): Promise<void> {
      connector.close();
      closing ??= Promise.all([kept.close(), fresh.close()]);
      await closing;
    },
  };
}

export type Rental = ReturnType<typeof createRental>;
/** Methods of the endpoints, with one priority of their reads. */
export type RentalCalls = ReturnType<Rental['withPriority']>;

function waitBeforeNext(outcome: Outcome<unknown>, tries: number, random: number): number | undefined {
  const backoff = FIRST_BACKOFF_MS * 2 ** (tries - 1) * (0.5 + random / 2);
  if (outcome.kind === 'accepted') return undefined;
  if (outcome.kind === 'unknown') return isTemporary(outcome) ? backoff : undefined;
  if (outcome.kind === 'not-sent' && outcome.reason === 'offline') return backoff;
  if (outcome.retryAfterMs === undefined || outcome.retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return outcome.retryAfterMs + backoff;
}

function isTemporary({ reason, status = 0 }: { reason: string; status?: number }): boolean {
  return reason === 'timeout' || reason === 'cut' || (reason === 'status' && status >= 500);
}

/** Account number of the operator account with its configured key. No account of the service has this number. */
export const OPERATOR_ACCOUNT = 0;

/** Creates the invoices of the operator account. Hides its key: other code can only create and read invoices, and read prices. */
export function createOperatorInvoices(deps: {
  rental: Pick<RentalCalls, 'prices'> & {
    withPriority: (priority: Priority) => Pick<RentalCalls, 'createInvoice' | 'invoice'>;
  };
  operatorKey: string;
}) {
  const { rental, operatorKey } = deps;
  return {
    create: (request: InvoiceRequest) => rental.withPriority('operation').createInvoice(operatorKey, request),
    read: (invoiceId: number, priority: Priority) =>
      rental.withPriority(priority).invoice(operatorKey, { invoice_id: invoiceId }),
    prices: () => rental.prices(operatorKey),
  };
}

export type OperatorInvoices = ReturnType<typeof createOperatorInvoices>;

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

/** An empty key is left out. */
function headersFor(key: string, body: string | undefined): Record<string, string> {
  return {
    ...(key !== '' && { 'x-api-key': key }),
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

/** Describes a failed request without its content. */
function failureOf({ kind, error }: Exclude<HttpResult, { kind: 'answered' }>): string {
  if (error instanceof ResponseTimeout) return error.message;
  return `${kind === 'broken' ? 'no whole answer' : 'no connection'}: ${describeNetworkError(error)}`;
}

/**
 * Summarizes a request without its content. A response that isn't of the specified service counts as failed, such as a 404
 * without a code of the service, which a wrong address of the service causes.
 */
/** `outcome`: `undefined` if the service refused the operator's key. */
function callOf(
  endpoint: string,
  result: HttpResult,
  outcome: Outcome<unknown> | undefined,
  ms: number,
): RecordedCall {
  if (result.kind !== 'answered') return { kind: 'failed', endpoint, reason: failureOf(result) };
  const { status, headers } = result.head;
  const { date } = headers;
  const isForeign = outcome?.kind === 'rejected' && outcome.code === 'HTTP_404';
  if (outcome === undefined || outcome.kind === 'unknown' || isForeign)
    return {
      ...{ kind: 'failed', endpoint, date },
      reason: outcome?.kind === 'unknown' ? outcome.message : `HTTP ${status}`,
    };
  return { kind: status === 429 ? 'limited' : 'answered', ms, date };
}

const REJECTION_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422]);

/** Classifies a response (docs/architecture.md, money). Messages never contain `key` or the request's secrets. */
function classify<Request, Value>(
  endpoint: Endpoint<Request, Value>,
  request: Request,
  result: HttpResult,
  key: string,
): Outcome<Value> {
  if (result.kind === 'not-sent') return { kind: 'not-sent', reason: 'offline', message: failureOf(result) };
  const { head } = result;
  const json = result.kind === 'answered' ? parseJson(result.body) : undefined;
  if (head && (head.status === 429 || (REJECTION_STATUSES.has(head.status) && isObject(json)))) {
    return rejected(head.status, json, [key, ...(endpoint.secrets?.(request) ?? [])].filter(Boolean));
  }
  if (result.kind === 'broken') return unknown(reasonOf(result), failureOf(result), head?.status);
  const { status } = result.head;
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

function reasonOf({ head, error }: { head: ResponseHead | undefined; error: Error }): Unknown['reason'] {
  if (error instanceof ResponseTimeout) return 'timeout';
  const isGarbled = error instanceof errors.HTTPParserError && !head;
  return isGarbled || error instanceof errors.ResponseExceededMaxSizeError ? 'unreadable' : 'cut';
}

function unknown(reason: Unknown['reason'], message: string, status?: number): Unknown {
  return { kind: 'unknown', reason, message, ...(status !== undefined && { status }) };
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

/** Reads a refusal. `json` is the parsed body or `undefined`. The result contains none of `secrets`. */
function rejected(status: number, json: unknown, secrets: string[]): Rejected {
  const { code = '', message = '' } = ErrorBody.safeParse(json).data?.detail ?? {};
  // Removes secrets before shortening. Otherwise a part of a cut secret would remain.
  const words = toPrintable(
    secrets.reduce((text, secret) => text.replaceAll(secret, '…'), withoutInvisible(message)),
    MAX_MESSAGE,
  );
  const isCode = /^\w{1,64}$/.test(code) && !secrets.some((one) => code.includes(one));
  const retryAfterMs = status === 429 ? readWait(words) : undefined;
  return {
    kind: 'rejected',
    status,
    code: isCode ? code : `HTTP_${status}`,
    message: words === '' ? `the service answered ${status}` : words,
    ...(retryAfterMs && { retryAfterMs }),
  };
}

function withoutInvisible(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim();
}

function isObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null;
}
