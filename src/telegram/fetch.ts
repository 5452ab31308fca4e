import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { Log } from '../log.ts';
import { dispatch } from './dispatch.ts';
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

export interface TelegramFetch {
  /** For grammY's `client.fetch`: what must see every call, those inside conversations too, belongs in here. */
  fetch(url: string | URL, request: TelegramRequest): Promise<TelegramResponse>;
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

export interface TelegramFetchOptions {
  log: Log;
  /** The pool connects to its origin only. */
  apiRoot: string;
  connections?: number;
  sleep?: Pause;
}

/** Above the 30 seconds that a long poll may take. */
const LONG_POLL_TIMEOUT_MS = 45_000;
const CALL_TIMEOUT_MS = 10_000;
const LONGEST_WAIT_S = 3;
/** A hundred updates with the longest texts have some 2 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const tooManyRequests = z.object({ parameters: z.object({ retry_after: z.number().max(LONGEST_WAIT_S) }) });

/**
 * Calls of the Bot API over a pool of kept-alive connections.
 *
 * A 429 that asks for at most three seconds is waited for and repeated once, save for uploads, whose stream
 * is spent (https://core.telegram.org/bots/api#responseparameters). Nothing else is repeated: a message whose
 * answer was lost may have been sent. Rejects with undici's errors, which carry no address and so no token.
 */
export function createTelegramFetch(options: TelegramFetchOptions): TelegramFetch {
  const { log, apiRoot, connections = 50, sleep = pause } = options;
  const pool = new Pool(new URL(apiRoot).origin, {
    connections,
    connect: { timeout: 5_000 },
    keepAliveTimeout: 10_000,
    maxResponseSize: MAX_ANSWER_BYTES,
  });

  function call(url: URL, { method, headers, body, signal }: TelegramRequest) {
    const timeout = methodOf(url) === 'getUpdates' ? LONG_POLL_TIMEOUT_MS : CALL_TIMEOUT_MS;
    const timeouts = { headersTimeout: timeout, bodyTimeout: timeout };
    const path = url.pathname + url.search;
    return dispatch(pool, { path, method, headers, body, ...timeouts }, signal);
  }

  async function fetch(target: string | URL, request: TelegramRequest): Promise<TelegramResponse> {
    const url = new URL(target);
    let answer = await call(url, request);
    const wait = typeof request.body === 'string' ? shortWait(answer) : undefined;
    if (wait !== undefined) {
      log.info({ method: methodOf(url), ms: wait }, 'Telegram asked to wait');
      await sleep(wait, request.signal);
      answer = await call(url, request);
    }
    const { status, text } = answer;
    return { ok: status >= 200 && status < 300, status, json: async () => JSON.parse(text) };
  }

  return { fetch, close: () => pool.close() };
}

/** How many milliseconds a 429 asks to wait, where that is short. */
function shortWait({ status, text }: { status: number; text: string }): number | undefined {
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
