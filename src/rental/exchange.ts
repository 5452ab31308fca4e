import { type Dispatcher, errors, Pool } from 'undici';
import type { Connect } from '../platform/connect.ts';
import type { Call, RecentCalls } from '../platform/recent-calls.ts';

const MAX_BODY_BYTES = 1_048_576;

export interface Head {
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
export type Exchanged =
  | { kind: 'answered'; head: Head; body: string }
  | { kind: 'broken'; head: Head | undefined; reason: 'timeout' | 'cut' | 'unreadable'; message: string }
  | { kind: 'not-sent'; message: string };

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Timeout for connection, request and response together. */
  timeoutMs: number;
}

export interface Exchange {
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
function callOf(exchanged: Exchanged, ms: number): Call {
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
