import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { Connect } from '../platform/connect.ts';
import type { Log } from '../platform/log.ts';
import type { Call, RecentCalls } from '../platform/recent-calls.ts';
import { type Answer, dispatch } from './dispatch.ts';
import { type Pause, pause } from './pause.ts';

/** Options that grammY passes to `client.fetch`, as far as used here. */
export interface TelegramRequest {
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  /** JSON, or a stream for uploads. */
  body: string | Readable;
  signal: AbortSignal;
}

export interface TelegramResponse {
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

export interface TelegramFetchOptions {
  log: Log;
  /** The pool connects to its origin only. */
  apiRoot: string;
  connections?: number;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
  /** Called with the method of every call. */
  called?: (method: string) => void;
  /** Called for every message sent or changed, with its chat and the start of the call (epoch milliseconds). */
  delivered?: (chat: number, begun: number) => void;
  now?: () => number;
  sleep?: Pause;
  /** Records the result of every call. */
  calls?: Pick<RecentCalls, 'note'>;
}

interface TimedAnswer extends Answer {
  /** Start of the call, in epoch milliseconds. */
  begun: number;
}

/** Longer than a long poll of 30 seconds. */
const LONG_POLL_TIMEOUT_MS = 45_000;
const CALL_TIMEOUT_MS = 10_000;
/** Maximum wait for a free connection. Opening a connection may take 5 seconds. */
const START_TIMEOUT_MS = 10_000;
const LONGEST_WAIT_S = 3;
/** Maximum response size. A hundred updates with the longest texts have about 2 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const tooManyRequests = z.object({ parameters: z.object({ retry_after: z.number().max(LONGEST_WAIT_S) }) });

/** Result of a call that sends or changes a message. */
const messageResult = z.object({ chat: z.object({ id: z.number() }) });

/** Response of the Bot API (https://core.telegram.org/bots/api#making-requests). Doesn't match error pages of a proxy. */
const botApiAnswer = z.union([
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
  const { log, apiRoot, connections = 50, called, delivered, now = Date.now, sleep = pause, calls } = options;
  const { origin } = new URL(apiRoot);
  const pool =
    options.connect?.(origin) ??
    new Pool(origin, {
      connections,
      connect: { timeout: 5_000 },
      keepAliveTimeout: 10_000,
      maxResponseSize: MAX_ANSWER_BYTES,
    });

  async function call(url: URL, { method, headers, body, signal }: TelegramRequest): Promise<TimedAnswer> {
    const name = methodOf(url);
    called?.(name);
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
      if (!signal.aborted) calls?.note({ kind: 'failed', why: nameOf(error) });
      throw error;
    }
  }

  function responseOf({ status, text, begun }: TimedAnswer): TelegramResponse {
    return {
      ok: status >= 200 && status < 300,
      status,
      async json() {
        const answer = botApiAnswer.parse(JSON.parse(text));
        const message = answer.ok ? messageResult.safeParse(answer.result).data : undefined;
        if (message) delivered?.(message.chat.id, begun);
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
function callOf({ status }: Answer, ms: number | undefined): Call {
  const isFailure = status >= 500 || status === 401 || status === 404;
  return isFailure
    ? { kind: 'failed', why: `HTTP ${status}` }
    : { kind: status === 429 ? 'limited' : 'answered', ms };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Returns the wait of a 429 in milliseconds, or undefined if it is too long. */
function shortWait({ status, text }: Answer): number | undefined {
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
