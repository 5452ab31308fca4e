import type { Readable } from 'node:stream';
import { type Api, GrammyError, HttpError } from 'grammy';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { Connect } from '../platform/connect.ts';
import type { Log } from '../platform/log.ts';
import type { Call, RecentCalls } from '../platform/recent-calls.ts';
import { realSleep, type Sleep } from './rate-limiter.ts';

interface HttpResponse {
  status: number;
  text: string;
}

/** Failure before the first byte of a request was written. The request can't have been executed. */
export class NotWrittenError extends Error {
  override readonly name = 'NotWritten';
  override readonly cause: Error;

  constructor(cause: Error) {
    super('not a byte of the request was written');
    this.cause = cause;
  }
}

interface Limits {
  signal: AbortSignal;
  /** Maximum wait for a connection, in milliseconds. */
  startMs: number;
}

/**
 * Sends a request and returns its whole response. Doesn't create streams like undici's `request`
 * (https://undici.nodejs.org/#/docs/api/Dispatcher: dispatch). Rejects with undici's errors, or with the reason of `signal`
 * if it aborts. Wraps the error in `NotWritten` if nothing was written.
 */
export function dispatch(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  { signal, startMs }: Limits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let isWritten = false;
    let isOver = false;
    let abort: ((reason: Error) => void) | undefined;
    let status = 0;
    const chunks: Buffer[] = [];

    const end = () => {
      isOver = true;
      clearTimeout(starting);
      signal.removeEventListener('abort', aborted);
    };
    const fail = (error: Error) => {
      if (isOver) return;
      end();
      reject(isWritten ? error : new NotWrittenError(error));
      abort?.(error);
    };
    const aborted = () => fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    const starting = setTimeout(() => fail(new Error('no free connection')), startMs);
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });

    dispatcher.dispatch(request, {
      // Called right before the first byte. undici may call it again to resend the request, and calls it for requests that
      // have waited too long for a connection. Both are aborted here.
      onRequestStart(controller) {
        if (isWritten || isOver) return controller.abort(new Error('written at most once'));
        isWritten = true;
        clearTimeout(starting);
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart(_controller, statusCode) {
        // Ignores informational responses (https://www.rfc-editor.org/rfc/rfc9110#section-15.2).
        if (statusCode >= 200) status = statusCode;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        if (isOver) return;
        end();
        resolve({ status, text: Buffer.concat(chunks).toString('utf8') });
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    });
  });
}

/**
 * Failure of a Bot API call.
 *
 * - `refused`: Telegram returned an error (https://core.telegram.org/bots/api#making-requests).
 * - `unreached`: there was no readable response. If the request was `written`, it may have been executed.
 */
export type Fault =
  | { kind: 'refused'; status: number; reason: string; retryAfterMs?: number }
  | { kind: 'unreached'; reason: string; written: boolean };

/** Converts an error of a call. Rethrows errors that are neither Telegram's nor the network's. */
export function readFault(error: unknown): Fault {
  if (error instanceof GrammyError) {
    const { error_code: status, description: reason, parameters } = error;
    const seconds = parameters.retry_after;
    return {
      kind: 'refused',
      status,
      reason,
      retryAfterMs: seconds === undefined ? undefined : seconds * 1000,
    };
  }
  if (!(error instanceof HttpError)) throw error;
  const { error: cause } = error;
  return cause instanceof NotWrittenError
    ? { kind: 'unreached', reason: causeNameOf(cause.cause), written: false }
    : { kind: 'unreached', reason: causeNameOf(cause), written: true };
}

/** Returns whether a failure is temporary: a 429, a 5xx or a network error. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof GrammyError) return error.error_code === 429 || error.error_code >= 500;
  return error instanceof HttpError;
}

/** Returns whether a call certainly had no effect: Telegram returned an error, or the request wasn't written. */
export function wasNotSent(error: unknown): boolean {
  if (error instanceof HttpError) return error.error instanceof NotWrittenError;
  return error instanceof GrammyError;
}

/** Returns Telegram's `retry_after` in milliseconds, 0 if there is none. */
export function retryAfterMsOf(error: unknown): number {
  return error instanceof GrammyError ? (error.parameters.retry_after ?? 0) * 1000 : 0;
}

function causeNameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/** Casts a platform signal to the polyfill's type that grammY's types require. */
export function toGrammySignal(signal: AbortSignal) {
  return signal as NonNullable<Parameters<Api['deleteWebhook']>[1]>;
}

/** Options that grammY passes to `client.fetch`, as far as used here. */
export interface TelegramRequest {
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  /** JSON, or a stream for uploads. */
  body: string | Readable;
  signal: AbortSignal;
}

interface TelegramResponse {
  ok: boolean;
  status: number;
  json(): Promise<unknown>;
}

type Fetch = (url: string | URL, request: TelegramRequest) => Promise<TelegramResponse>;

export interface TelegramFetch {
  /** For grammY's `client.fetch`. Code that must see every call, also inside conversations, belongs here. */
  fetch: Fetch;
  /** Like `fetch`, but returns a 429 at once, so that other notifications don't wait. For messages outside of updates. */
  fetchOnce: Fetch;
  /** Waits for calls in progress. */
  close(): Promise<void>;
}

interface TelegramFetchOptions {
  log: Log;
  /** The pool connects to its origin only. */
  apiRoot: string;
  connections?: number;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
  /** Called with the method of every call. */
  onCall?: (method: string) => void;
  /** Called for every message sent or changed, with its chat and the start of the call (epoch milliseconds). */
  onDelivered?: (chat: number, begun: number) => void;
  now?: () => number;
  sleep?: Sleep;
  /** Records the result of every call. */
  calls?: Pick<RecentCalls, 'note'>;
}

interface TimedResponse extends HttpResponse {
  /** Start of the call, in epoch milliseconds. */
  begun: number;
}

/** Longer than a long poll of 30 seconds. */
const LONG_POLL_TIMEOUT_MS = 45_000;
const CALL_TIMEOUT_MS = 10_000;
/** Maximum wait for a free connection. Opening a connection may take 5 seconds. */
const START_TIMEOUT_MS = 10_000;
const MAX_RETRY_WAIT_S = 3;
/** Maximum response size. A hundred updates with the longest texts have about 2 MB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const tooManyRequests = z.object({ parameters: z.object({ retry_after: z.number().max(MAX_RETRY_WAIT_S) }) });

/** Result of a call that sends or changes a message. */
const messageResult = z.object({ chat: z.object({ id: z.number() }) });

/** Response of the Bot API (https://core.telegram.org/bots/api#making-requests). Doesn't match error pages of a proxy. */
const botApiResponse = z.union([
  z.looseObject({ ok: z.literal(true), result: z.unknown().nonoptional() }),
  z.looseObject({ ok: z.literal(false), error_code: z.number(), description: z.string() }),
]);

/**
 * Calls the Bot API over a pool of keep-alive connections.
 *
 * After a 429 with a wait of at most three seconds, waits and repeats the call once, except uploads, whose stream is consumed
 * (https://core.telegram.org/bots/api#responseparameters). Repeats nothing else, because a message whose response was lost
 * may have been sent. Rejects with undici's errors, which contain no URL and therefore no token.
 */
export function createTelegramFetch(options: TelegramFetchOptions): TelegramFetch {
  const {
    log,
    apiRoot,
    connections = 50,
    onCall,
    onDelivered,
    now = Date.now,
    sleep = realSleep,
    calls,
  } = options;
  const { origin } = new URL(apiRoot);
  const pool =
    options.connect?.(origin) ??
    new Pool(origin, {
      connections,
      connect: { timeout: 5_000 },
      keepAliveTimeout: 10_000,
      maxResponseSize: MAX_RESPONSE_BYTES,
    });

  async function call(url: URL, { method, headers, body, signal }: TelegramRequest): Promise<TimedResponse> {
    const name = methodOf(url);
    onCall?.(name);
    const isPoll = name === 'getUpdates';
    const timeout = isPoll ? LONG_POLL_TIMEOUT_MS : CALL_TIMEOUT_MS;
    const timeouts = { headersTimeout: timeout, bodyTimeout: timeout };
    const path = url.pathname + url.search;
    const limits = { signal, startMs: START_TIMEOUT_MS };
    const began = performance.now();
    const begun = now();
    try {
      const answer = await dispatch(pool, { path, method, headers, body, ...timeouts }, limits);
      // The duration of a long poll isn't a response time.
      calls?.note(callOf(answer, isPoll ? undefined : performance.now() - began));
      return { ...answer, begun };
    } catch (error) {
      // The caller aborted the call, so the error isn't Telegram's.
      if (!signal.aborted) calls?.note({ kind: 'failed', why: errorNameOf(error) });
      throw error;
    }
  }

  function responseOf({ status, text, begun }: TimedResponse): TelegramResponse {
    return {
      ok: status >= 200 && status < 300,
      status,
      async json() {
        const answer = botApiResponse.parse(JSON.parse(text));
        const message = answer.ok ? messageResult.safeParse(answer.result).data : undefined;
        if (message) onDelivered?.(message.chat.id, begun);
        return answer;
      },
    };
  }

  return {
    async fetch(target, request) {
      const url = new URL(target);
      const answer = await call(url, request);
      const wait = typeof request.body === 'string' ? shortWait(answer) : undefined;
      if (wait === undefined) return responseOf(answer);
      log.info({ method: methodOf(url), ms: wait }, 'Telegram asked to wait');
      await sleep(wait, request.signal);
      return responseOf(await call(url, request));
    },
    fetchOnce: async (target, request) => responseOf(await call(new URL(target), request)),
    close: () => pool.close(),
  };
}

/** Classifies a response. 401 and 404 mean an invalid token and count as failures. Other 4xx concern a message or a chat. */
function callOf({ status }: HttpResponse, ms: number | undefined): Call {
  const isFailure = status >= 500 || status === 401 || status === 404;
  return isFailure
    ? { kind: 'failed', why: `HTTP ${status}` }
    : { kind: status === 429 ? 'limited' : 'answered', ms };
}

function errorNameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Returns the wait of a 429 in milliseconds, or undefined if it is too long. */
function shortWait({ status, text }: HttpResponse): number | undefined {
  if (status !== 429) return undefined;
  try {
    return tooManyRequests.parse(JSON.parse(text)).parameters.retry_after * 1000;
  } catch {
    return undefined;
  }
}

function methodOf(url: URL): string {
  return url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
}

interface RetryOptions {
  log: Log;
  signal?: AbortSignal;
  /** Retries permanent refusals as well, for example of a wrong token. */
  retriesRefusals?: boolean;
  /** Maximum sum of waits in milliseconds. Unlimited by default. */
  maxTotalWaitMs?: number;
  sleep?: Sleep;
}

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/**
 * Repeats an idempotent call until Telegram accepts it. Waits 1, 2, 4 … 30 seconds in between, or as long as Telegram asks.
 * Rejects with a permanent refusal, and with any error once `maxTotalWaitMs` is used up or `signal` aborts.
 */
export async function callWithRetry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const {
    log,
    signal,
    retriesRefusals = false,
    maxTotalWaitMs = Number.POSITIVE_INFINITY,
    sleep = realSleep,
  } = options;
  let waited = 0;
  for (let wait = FIRST_BACKOFF_MS; ; wait = Math.min(wait * 2, MAX_BACKOFF_MS)) {
    try {
      return await call();
    } catch (error) {
      const fault = readFault(error);
      if (signal?.aborted || !(retriesRefusals || isTemporary(error))) throw error;
      const ms = Math.max(wait, retryAfterMsOf(error));
      waited += ms;
      if (waited > maxTotalWaitMs) throw error;
      report(log, fault, ms);
      await sleep(ms, signal);
    }
  }
}

function report(log: Log, fault: Fault, ms: number): void {
  if (fault.kind === 'unreached') {
    log.warn({ reason: fault.reason, ms }, 'Telegram is out of reach, trying again');
  } else if (fault.status === 409) {
    log.error({ reason: fault.reason, ms }, 'something else takes the updates of this bot, trying again');
  } else {
    log.error({ reason: fault.reason, status: fault.status, ms }, 'Telegram refused, trying again');
  }
}
