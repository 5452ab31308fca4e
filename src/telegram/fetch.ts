import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { Connect } from '../connect.ts';
import type { Log } from '../log.ts';
import type { Call, RecentCalls } from '../recent-calls.ts';
import { type Answer, dispatch } from './dispatch.ts';
import { type Pause, pause } from './pause.ts';

/** What grammY hands to `client.fetch`, as far as it concerns us. */
export interface TelegramRequest {
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  /** JSON, or an upload as a stream. */
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
  /** For grammY's `client.fetch`: what must see every call, those inside conversations too, belongs in here. */
  fetch: Fetch;
  /** The same for what nobody waits for: a 429 is handed on at once, so that no other's news waits behind it. */
  fetchOnce: Fetch;
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

export interface TelegramFetchOptions {
  log: Log;
  /** The pool connects to its origin only. */
  apiRoot: string;
  connections?: number;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
  /** Told of every call, by its method. */
  called?: (method: string) => void;
  /** Told of every message that Telegram took or changed: its chat, and when the call began (epoch milliseconds). */
  delivered?: (chat: number, begun: number) => void;
  now?: () => number;
  sleep?: Pause;
  /** Is told of every call what became of it. */
  calls?: Pick<RecentCalls, 'note'>;
}

interface TimedAnswer extends Answer {
  /** When the call began, in epoch milliseconds. */
  begun: number;
}

/** Above the 30 seconds that a long poll may take. */
const LONG_POLL_TIMEOUT_MS = 45_000;
const CALL_TIMEOUT_MS = 10_000;
/** For a free connection, which has 5 seconds of its own to be made. */
const START_TIMEOUT_MS = 10_000;
const LONGEST_WAIT_S = 3;
/** A hundred updates with the longest texts have some 2 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const tooManyRequests = z.object({ parameters: z.object({ retry_after: z.number().max(LONGEST_WAIT_S) }) });

/** Result of a call that sends or changes a message. */
const messageResult = z.object({ chat: z.object({ id: z.number() }) });

/** What every answer of the Bot API is (https://core.telegram.org/bots/api#making-requests), unlike one of a proxy. */
const botApiAnswer = z.union([
  z.looseObject({ ok: z.literal(true), result: z.unknown().nonoptional() }),
  z.looseObject({ ok: z.literal(false), error_code: z.number(), description: z.string() }),
]);

/**
 * Calls of the Bot API over a pool of kept-alive connections.
 *
 * A 429 that asks for at most three seconds is waited for and repeated once, save for uploads, whose stream
 * is spent (https://core.telegram.org/bots/api#responseparameters). Nothing else is repeated: a message whose
 * answer was lost may have been sent. Rejects with undici's errors, which carry no address and so no token.
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
      // A poll answers when something happens.
      calls?.note(callOf(answer, isPoll ? undefined : performance.now() - began));
      return { ...answer, begun };
    } catch (error) {
      // Whoever asked didn't wait for it: that says nothing of Telegram.
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

/** 401 and 404 are of a token that Telegram doesn't know (any more); other refusals are of a message or a chat. */
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

/** How many milliseconds a 429 asks to wait, where that is short. */
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
