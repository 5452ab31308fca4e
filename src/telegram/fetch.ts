import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Api, type ApiClientOptions, GrammyError, HttpError, InputFile, type Transformer } from 'grammy';
import { errors, Pool } from 'undici';
import { z } from 'zod';
import type { Log } from '../platform/log.ts';
import { readJson } from '../platform/records.ts';
import {
  type Call,
  type Connect,
  connectOptions,
  describeNetworkError,
  type HttpResult,
  type RecentCalls,
  type ResponseHead,
  requestOnce,
} from '../platform/service-calls.ts';

/** Resolves after `ms`. Rejects as soon as `signal` aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const realSleep: Sleep = (ms, signal) => delay(ms, undefined, { signal });

/** Failure before the first byte of a request was written. The request can't have been executed. */
export class NotWrittenError extends Error {
  override readonly name = 'NotWritten';
  override readonly cause: Error;

  constructor(cause: Error) {
    super('not a byte of the request was written');
    this.cause = cause;
  }
}

/** Failure of a call whose response is too large. Of the response, it contains only an id. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  /** Id of the first update in the response, if there is one. */
  readonly updateId: number | undefined;

  constructor(updateId: number | undefined) {
    super('the response is too large');
    this.updateId = updateId;
  }
}

/** Status of an error page of a proxy, which may be Telegram's own. */
const GATEWAY_ERROR = /^50[234] /;

/** Failure of a call whose response isn't of the Bot API. `got`: its status and media type. */
export class UnreadableResponse extends Error {
  override readonly name = 'UnreadableResponse';
  /** Set if the response is probably one of another service. */
  readonly foreign: string | undefined;

  constructor(got: string) {
    const isForeign = !GATEWAY_ERROR.test(got);
    super(isForeign ? `TELEGRAM_API_ROOT: expected a response of the Bot API, got ${got}` : got);
    this.foreign = isForeign ? got : undefined;
  }
}

/**
 * Failure of a Bot API call.
 *
 * - `refused`: Telegram returned an error (https://core.telegram.org/bots/api#making-requests).
 * - `unreached`: there was no readable response. If the request was `written`, it may have been executed. `foreign` has the
 *   status and the media type of a response of another service, to which `TELEGRAM_API_ROOT` may lead.
 */
export type Fault =
  | { kind: 'refused'; status: number; reason: string; retryAfterMs?: number }
  | { kind: 'unreached'; reason: string; written: boolean; foreign?: string | undefined };

/** Converts an error of a call. Rethrows errors that are neither Telegram's nor the network's. */
export function readFault(error: unknown): Fault {
  if (error instanceof GrammyError) {
    const retryAfterMs = retryAfterMsOf(error) || undefined;
    return { kind: 'refused', status: error.error_code, reason: error.description, retryAfterMs };
  }
  if (!(error instanceof HttpError)) throw error;
  const written = !hadNoEffect(error);
  const cause = error.error instanceof NotWrittenError ? error.error.cause : error.error;
  if (cause instanceof UnreadableResponse)
    return { kind: 'unreached', reason: cause.message, written, foreign: cause.foreign };
  return {
    kind: 'unreached',
    reason: cause instanceof Error ? describeNetworkError(cause) : 'unknown',
    written,
  };
}

const TOKEN_ADVICE = 'Set BOT_TOKEN to the present token of this bot from @BotFather.';

/** Returns whether an error means that Telegram knows no bot with this token. */
function isTokenRefused(status: number): boolean {
  return status === 401 || status === 404;
}

/** Throws an error that names BOT_TOKEN if Telegram refused it, otherwise the same error. */
export function explainTokenRefusal(error: unknown): never {
  if (!(error instanceof GrammyError) || !isTokenRefused(error.error_code)) throw error;
  const { error_code: status, description } = error;
  throw new Error(
    `BOT_TOKEN: Telegram knows no bot with this token, expected the present one from @BotFather (${status} ${description})`,
  );
}

export function isTemporary(error: unknown): boolean {
  if (error instanceof GrammyError) return error.error_code === 429 || error.error_code >= 500;
  return error instanceof HttpError;
}

/** Returns whether a call certainly had no effect: Telegram returned an error, or the request wasn't written. */
export function hadNoEffect(error: unknown): boolean {
  if (error instanceof HttpError) return error.error instanceof NotWrittenError;
  return error instanceof GrammyError;
}

/** Maximum `retry_after` that is believed, in seconds. Telegram has asked for three hours. It also fits a timer of Node. */
const MAX_RETRY_AFTER_S = 24 * 60 * 60;

/** Returns Telegram's `retry_after` in milliseconds, 0 if there is none. */
export function retryAfterMsOf(error: unknown): number {
  const seconds = error instanceof GrammyError ? Number(error.parameters.retry_after) : 0;
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) * 1000 : 0;
}

/** Casts a platform signal to the polyfill's type that grammY's types require. */
export function toGrammySignal(signal: AbortSignal) {
  return signal as GrammySignal;
}

type GrammySignal = NonNullable<Parameters<Api['deleteWebhook']>[1]>;

/** A call of the Bot API. grammY passes these options to `client.fetch`. */
interface TelegramRequest {
  headers: Record<string, string>;
  /** JSON, or a stream for uploads. */
  body: string | Readable;
  signal?: AbortSignal | undefined;
}

export type TelegramTransport = ReturnType<typeof createTelegramTransport>;

const MAX_CONNECTIONS = 50;
const CALL_TIMEOUT_MS = 10_000;
/** Maximum wait for Telegram's response to the answer to a tap, in milliseconds. Users don't wait longer at a button. */
export const ANSWER_TIMEOUT_MS = 5_000;
/**
 * Maximum waits for the first byte of a response and for each further one, in milliseconds, by method. Longer than a long
 * poll of 30 seconds.
 */
const TIMEOUTS_MS: Record<string, number> = { getUpdates: 45_000, answerCallbackQuery: ANSWER_TIMEOUT_MS };
/** Maximum duration of an upload in all. grammY applies it. */
const UPLOAD_TIMEOUT_S = 50;
/** Maximum wait for a free connection. Opening a connection may take 5 seconds. */
const START_TIMEOUT_MS = 10_000;
/**
 * Maximum time until the whole response has arrived, in milliseconds, by the maximum wait for its first byte. `getUpdates`
 * therefore has 45 seconds for the download of a batch.
 */
const totalOf = (timeoutMs: number) => START_TIMEOUT_MS + 2 * timeoutMs;
const MAX_RETRY_WAIT_S = 3;
/**
 * Maximum response size. An update can have 512 KB (`MAX_EVENT_LEN` in tdlib's `TQueue.cpp`), because each character outside of
 * ASCII takes six bytes or more, and a message can contain another. A batch of a hundred usually has far less.
 */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Key of an update's id in JSON. In a text, the second quotation mark would be escaped. */
const UPDATE_ID = /"update_id":\s*(\d+)/;

const tooManyRequests = z.object({
  error_code: z.literal(429),
  parameters: z.object({ retry_after: z.number().min(0).max(MAX_RETRY_WAIT_S) }),
});

/** Response of the Bot API (https://core.telegram.org/bots/api#making-requests). Doesn't match error pages of a proxy. */
const botApiResponse = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true), result: z.unknown().nonoptional() }),
  z.looseObject({ ok: z.literal(false), error_code: z.number(), description: z.string() }),
]);

const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Calls the Bot API over a pool of keep-alive connections.
 *
 * After a 429 with a wait of at most three seconds, waits and repeats the call once, except uploads, whose stream is consumed
 * (https://core.telegram.org/bots/api#responseparameters). Repeats nothing else, because a message whose response was lost
 * may have been sent. Rejects with undici's errors, which contain no URL and therefore no token.
 */
export function createTelegramTransport(deps: {
  token: string;
  log: Log;
  /** The pool connects to its origin only. */
  apiRoot: string;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
  /** Called with the method of every call of a client that repeats calls. */
  onCall?: (method: string) => void;
  /** Called for every message sent or changed, with its chat and the start of the call (epoch milliseconds). */
  onDelivered?: (chat: number, begun: number) => void;
  now?: () => number;
  sleep?: Sleep;
  calls?: Pick<RecentCalls, 'note'>;
}) {
  const { token, apiRoot, log, calls, now = Date.now, sleep = realSleep } = deps;
  const { origin, pathname } = new URL(apiRoot);
  const path = `${pathname === '/' ? '' : pathname}/bot${token}/`;
  const pool =
    deps.connect?.(origin) ??
    new Pool(origin, {
      connections: MAX_CONNECTIONS,
      connect: connectOptions(5_000),
      keepAliveTimeout: 10_000,
      maxResponseSize: MAX_RESPONSE_BYTES,
    });

  async function send(method: string, { headers, body, signal }: TelegramRequest): Promise<BotApiResponse> {
    const timeout = TIMEOUTS_MS[method] ?? CALL_TIMEOUT_MS;
    const [started, begun] = [performance.now(), now()];
    const result = await requestOnce(
      pool,
      { path: path + method, method: 'POST', headers, body, headersTimeout: timeout, bodyTimeout: timeout },
      {
        signal,
        startMs: START_TIMEOUT_MS,
        totalMs: typeof body === 'string' ? totalOf(timeout) : undefined,
      },
    );
    if (result.kind !== 'answered') {
      // If the caller aborted the call, the error isn't Telegram's.
      const reason = describeNetworkError(result.error);
      if (!signal?.aborted) calls?.note({ kind: 'failed', endpoint: method, reason });
      throw errorOf(result);
    }
    const { status, headers: received } = result.head;
    const answer = readJson(botApiResponse, result.body);
    if (answer === undefined) {
      const reason = `${status} ${mediaTypeOf(received)}`;
      calls?.note({ kind: 'failed', endpoint: method, reason });
      throw new UnreadableResponse(reason);
    }
    // The duration of a long poll isn't a response time.
    calls?.note({
      ...callOf(method, status, method === 'getUpdates' ? undefined : performance.now() - started),
      date: received.date,
    });
    const chat = answer.ok ? chatOfMessage(answer.result) : undefined;
    if (chat !== undefined) deps.onDelivered?.(chat, begun);
    return answer;
  }

  async function sendOrRepeat(method: string, request: TelegramRequest): Promise<BotApiResponse> {
    deps.onCall?.(method);
    const answer = await send(method, request);
    const wait = typeof request.body === 'string' ? shortWaitMs(answer) : undefined;
    if (wait === undefined) return answer;
    log.info({ method, ms: wait }, 'Telegram asked to wait');
    await sleep(wait, request.signal);
    return send(method, request);
  }

  return {
    /** Client for replies to updates. */
    client: clientOf(sendOrRepeat, { apiRoot }),
    /** Client for messages outside of updates. It returns a 429 at once, so that other notifications don't wait. */
    notificationClient: clientOf(send, { apiRoot }),
    close: () => pool.close(),
  };
}

type BotApiResponse = z.infer<typeof botApiResponse>;
type Send = (method: string, request: TelegramRequest) => Promise<BotApiResponse>;

/** Options and transformer of a client of grammY. Both use the same connections. */
export interface ApiClient {
  options: ApiClientOptions;
  /**
   * The first transformer of the client. It ends the chain: calls are sent from here. Uploads go on to grammY, which encodes
   * them as forms and sends them with `options.fetch`.
   */
  call: Transformer;
}

function clientOf(send: Send, { apiRoot }: { apiRoot: string }): ApiClient {
  const fetch = async (target: string, request: TelegramRequest) => {
    const answer = await send(target.slice(target.lastIndexOf('/') + 1), request);
    return { json: async () => answer };
  };
  return {
    options: {
      apiRoot,
      timeoutSeconds: UPLOAD_TIMEOUT_S,
      fetch: fetch as unknown as ApiClientOptions['fetch'],
    },
    async call(upload, method, payload, signal) {
      if (hasFile(payload)) return upload(method, payload, signal);
      const body = JSON.stringify(payload);
      try {
        // Node's signals are compatible with those of the polyfill in grammY's types.
        return (await send(method, { headers: JSON_HEADERS, body, signal: signal as AbortSignal })) as never;
      } catch (error) {
        throw new HttpError(`Network request for '${method}' failed!`, error);
      }
    },
  };
}

/** Creates a client with grammY's typed methods. */
export function createApi(token: string, { options, call }: ApiClient): Api {
  const api = new Api(token, options);
  api.config.use(call);
  return api;
}

/** Returns whether a payload contains a file to upload: itself, or the medium of an edited message. */
function hasFile(payload: object): boolean {
  return Object.values(payload).some(
    (value) => value instanceof InputFile || value?.media instanceof InputFile,
  );
}

function errorOf(result: Exclude<HttpResult, { kind: 'answered' }>): Error {
  if (result.kind === 'not-sent') return new NotWrittenError(result.error);
  if (!(result.error instanceof errors.ResponseExceededMaxSizeError)) return result.error;
  const [, id] = UPDATE_ID.exec(result.body) ?? [];
  return new ResponseTooLarge(id === undefined ? undefined : Number(id));
}

/** Classifies a response. 401 and 404 mean an invalid token and count as failures. Other 4xx concern a message or a chat. */
function callOf(method: string, status: number, ms: number | undefined): Call {
  if (status >= 500 || status === 401 || status === 404)
    return { kind: 'failed', endpoint: method, reason: `HTTP ${status}` };
  return { kind: status === 429 ? 'limited' : 'answered', ms };
}

/** Returns the media type of a response: `text/html`. */
function mediaTypeOf({ 'content-type': type }: ResponseHead['headers']): string {
  return /^[\w.+/-]{1,60}/.exec(String(type ?? ''))?.[0] ?? 'without a media type';
}

/** Returns the chat of the message that a call has sent or changed. */
function chatOfMessage(result: unknown): number | undefined {
  const { chat }: { chat?: { id?: unknown } } = Object(result);
  return typeof chat?.id === 'number' ? chat.id : undefined;
}

/** Returns the wait of a 429 in milliseconds, or undefined if it is too long. */
function shortWaitMs(answer: BotApiResponse): number | undefined {
  const { data } = answer.ok ? {} : tooManyRequests.safeParse(answer);
  return data && data.parameters.retry_after * 1000;
}

export interface RetryOptions {
  log: Log;
  signal?: AbortSignal;
  /** Retries permanent refusals as well, for example of a wrong token. */
  retriesRefusals?: boolean;
  /** Maximum sum of waits in milliseconds. Unlimited by default. */
  maxTotalWaitMs?: number;
  /**
   * Maximum of each wait in milliseconds, also if Telegram asks for a longer one. For calls without which the bot gets no
   * updates. Unlimited by default.
   */
  maxWaitMs?: number;
  sleep?: Sleep;
}

const FIRST_BACKOFF_MS = 1_000;
/** Maximum wait before a repetition, in milliseconds, unless Telegram asks for a longer one. */
export const MAX_BACKOFF_MS = 30_000;

/**
 * Repeats an idempotent call until Telegram accepts it, and passes it `signal`. Waits 1, 2, 4 … 30 seconds in between, or as
 * long as Telegram asks, up to `maxWaitMs`. Rejects with a permanent refusal, and with any error once `maxTotalWaitMs` is
 * used up or `signal` aborts.
 */
export async function callWithRetry<T>(
  call: (signal?: GrammySignal) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { log, signal, retriesRefusals, sleep = realSleep } = options;
  const { maxTotalWaitMs = Number.POSITIVE_INFINITY, maxWaitMs = Number.POSITIVE_INFINITY } = options;
  let waited = 0;
  for (let wait = FIRST_BACKOFF_MS; ; wait = Math.min(wait * 2, MAX_BACKOFF_MS)) {
    try {
      return await call(signal && toGrammySignal(signal));
    } catch (error) {
      const fault = readFault(error);
      if (signal?.aborted || !(retriesRefusals || isTemporary(error))) throw error;
      const ms = Math.min(Math.max(wait, retryAfterMsOf(error)), maxWaitMs);
      waited += ms;
      if (waited > maxTotalWaitMs) throw error;
      report(log, fault, { method: error instanceof GrammyError ? error.method : undefined, ms });
      await sleep(ms, signal);
    }
  }
}

const POLLER_ADVICE = 'Stop the other process or installation that uses this BOT_TOKEN.';
const WEBHOOK_ADVICE =
  'Stop the program that sets a webhook with this BOT_TOKEN; this bot removes it at most once an hour.';

function report(log: Log, fault: Fault, about: { method: string | undefined; ms: number }): void {
  const { kind, reason } = fault;
  if (kind === 'unreached') log.warn({ reason, ...about }, 'Telegram is out of reach, trying again');
  else if (fault.status === 409)
    log.error(
      { reason, ...about, advice: /webhook/i.test(reason) ? WEBHOOK_ADVICE : POLLER_ADVICE },
      'something else takes the updates of this bot, trying again',
    );
  else if (isTokenRefused(fault.status))
    log.error({ reason, ...about, advice: TOKEN_ADVICE }, 'Telegram refuses the token, trying again');
  else log.warn({ reason, status: fault.status, ...about }, 'Telegram refused, trying again');
}
