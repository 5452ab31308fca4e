import type { Dispatcher } from 'undici';
import { MINUTE_MS } from './clock.ts';

/** Returns the dispatcher of requests to an origin: a pool of connections, unless a test replaces it. */
export type Connect = (origin: string) => Pick<Dispatcher, 'dispatch' | 'close'>;

type Headers = Record<string, string | string[] | undefined>;

export interface ResponseHead {
  status: number;
  headers: Headers;
}

/**
 * Result of one HTTP request.
 *
 * - `answered`: the whole response arrived.
 * - `broken`: the request may have been executed, but the response is incomplete or missing. `body` is the part that arrived.
 * - `not-sent`: not a byte of the request was written, so it can't have been executed.
 */
export type HttpResult =
  | { kind: 'answered'; head: ResponseHead; body: string }
  | { kind: 'broken'; head: ResponseHead | undefined; error: Error; body: string }
  | { kind: 'not-sent'; error: Error };

/** Limits of one request. */
export interface RequestLimits {
  signal?: AbortSignal | undefined;
  /** Maximum wait for a connection, in milliseconds. */
  startMs?: number | undefined;
  /** Maximum duration in all, in milliseconds: of the wait for a connection, the request and the response. */
  totalMs?: number | undefined;
}

/** Error of a request whose response wasn't complete after its `totalMs`. */
export class ResponseTimeout extends Error {
  override readonly name = 'ResponseTimeout';

  constructor(totalMs: number) {
    super(`no answer within ${totalMs} ms`);
  }
}

/**
 * Sends a request and reads the whole response. Writes the request at most once, whatever the dispatcher would do. Never
 * rejects. Doesn't create streams like undici's `request` (https://undici.nodejs.org/#/docs/api/Dispatcher: dispatch).
 * If `signal` aborts, its reason is the error.
 */
export function requestOnce(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  { signal, startMs, totalMs }: RequestLimits,
): Promise<HttpResult> {
  return new Promise((resolve) => {
    let isWritten = false;
    let isOver = false;
    let abort: ((reason: Error) => void) | undefined;
    let head: ResponseHead | undefined;
    const chunks: Buffer[] = [];
    const body = () => (chunks.length === 1 ? `${chunks[0]}` : Buffer.concat(chunks).toString('utf8'));

    const end = (result: HttpResult) => {
      isOver = true;
      clearTimeout(starting);
      clearTimeout(total);
      signal?.removeEventListener('abort', aborted);
      resolve(result);
    };
    const fail = (error: Error) => {
      if (!isOver)
        end(isWritten ? { kind: 'broken', head, error, body: body() } : { kind: 'not-sent', error });
    };
    const stop = (error: Error) => {
      fail(error);
      abort?.(error);
    };
    const aborted = () => stop(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    const starting =
      startMs === undefined ? undefined : setTimeout(() => fail(new Error('no free connection')), startMs);
    const total =
      totalMs === undefined ? undefined : setTimeout(() => stop(new ResponseTimeout(totalMs)), totalMs);
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });

    dispatcher.dispatch(request, {
      // Called right before the first byte. undici may call it again to resend the request, and calls it for requests
      // that have waited too long for a connection. Both are aborted here.
      onRequestStart(controller) {
        if (isWritten || isOver) return controller.abort(new Error('written at most once'));
        isWritten = true;
        clearTimeout(starting);
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart(_controller, status, headers) {
        // Ignores informational responses (https://www.rfc-editor.org/rfc/rfc9110#section-15.2).
        if (status >= 200) head = { status, headers };
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        if (!isOver && head) end({ kind: 'answered', head, body: body() });
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    });
  });
}

/**
 * Returns undici's options of connections that may take `timeout` milliseconds. Each address of a host gets up to 2 seconds of
 * it: Node's default of 250 ms gives up on a slow address if the host has another, unreachable one.
 */
export function connectOptions(timeout: number) {
  return { timeout, autoSelectFamilyAttemptTimeout: 2_000 };
}

const CLOSED = 'the other side closed the connection';
/** Codes of network errors in words. Others, for example `ECONNREFUSED`, say it themselves. */
const CODES_IN_WORDS = new Map([
  ['UND_ERR_SOCKET', CLOSED],
  ['ECONNRESET', CLOSED],
  ['EPIPE', CLOSED],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection took too long'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no response in time'],
  ['UND_ERR_BODY_TIMEOUT', 'no complete response in time'],
  ['EAI_AGAIN', "the host name can't be resolved now"],
  ['ENOTFOUND', "the host name can't be resolved"],
]);

/** Describes a network error by its code, in words if the code is cryptic, and another error by its name. */
export function describeNetworkError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const words = CODES_IN_WORDS.get(code);
  return words ? `${words} (${code})` : code;
}

const MINUTES = 5;
/** Maximum number of durations stored per minute. All calls are counted. */
const TIMED = 500;

/** Result of one call, and the `Date` header of its response. */
export type Call = { date?: Headers['date'] } & (
  | { kind: 'answered' | 'limited'; ms?: number | undefined }
  /** `endpoint`: name of the endpoint, or Telegram's method. `reason`: description without the request's content. */
  | { kind: 'failed'; endpoint: string; reason: string }
);

/** Statistics of the calls to a service in this process. */
export interface CallsSeen {
  /** Time since the last success in milliseconds, by this process's clock, which may differ from the one of Redis. */
  sinceSuccessMs: number | undefined;
  /** Numbers of all, failed and rate-limited calls in the last five minutes. */
  calls: number;
  failed: number;
  limited: number;
  /**
   * Endpoint of the last failure, or Telegram's method, with its reason and the time since then in milliseconds;
   * `undefined` if no call failed in the last five minutes.
   */
  lastFailed: { endpoint: string; reason: string; agoMs: number } | undefined;
  /** Median duration in milliseconds; `undefined` if no call was timed. */
  medianMs: number | undefined;
  /**
   * Difference of the service's clock from this process's, by the `Date` header of its last response, in milliseconds.
   * Accurate to about a second. Positive if the service's clock is ahead.
   */
  clockDifferenceMs: number | undefined;
}

export type RecentCalls = ReturnType<typeof createRecentCalls>;

interface Minute {
  of: number;
  answered: number;
  failed: number;
  limited: number;
  times: number[];
}

/** Creates a recorder of call results. `now` returns epoch milliseconds. `onCall` gets every call. */
export function createRecentCalls({
  now,
  onCall,
}: {
  now: () => number;
  onCall?: ((call: Call) => void) | undefined;
}) {
  let minutes: Minute[] = [];
  let lastSuccessAt: number | undefined;
  let lastFailed: { endpoint: string; reason: string; at: number } | undefined;
  let clockDifferenceMs: number | undefined;

  function present(): Minute {
    const of = Math.floor(now() / MINUTE_MS);
    const last = minutes.at(-1);
    if (last?.of === of) return last;
    const begun: Minute = { of, answered: 0, failed: 0, limited: 0, times: [] };
    minutes = [...minutes.filter((minute) => isCounted(minute, of)), begun];
    return begun;
  }

  return {
    note(call: Call) {
      onCall?.(call);
      const minute = present();
      const serverTime = Date.parse(String(call.date));
      if (!Number.isNaN(serverTime)) clockDifferenceMs = serverTime - now();
      if (call.kind === 'failed') lastFailed = { endpoint: call.endpoint, reason: call.reason, at: now() };
      else {
        lastSuccessAt = now();
        if (call.ms !== undefined) minute.times[(minute.answered + minute.limited) % TIMED] = call.ms;
      }
      minute[call.kind] += 1;
    },
    seen(): CallsSeen {
      const of = Math.floor(now() / MINUTE_MS);
      const recent = minutes.filter((minute) => isCounted(minute, of));
      const sum = (kind: Call['kind']) => recent.reduce((all, minute) => all + minute[kind], 0);
      const [failed, limited] = [sum('failed'), sum('limited')];
      return {
        sinceSuccessMs: lastSuccessAt === undefined ? undefined : now() - lastSuccessAt,
        failed,
        limited,
        lastFailed:
          failed > 0 && lastFailed
            ? { endpoint: lastFailed.endpoint, reason: lastFailed.reason, agoMs: now() - lastFailed.at }
            : undefined,
        calls: sum('answered') + failed + limited,
        clockDifferenceMs,
        medianMs: median(recent.flatMap(({ times }) => times)),
      };
    },
  };
}

/** Returns whether a minute is one of the last {@link MINUTES}, including the current one. */
function isCounted(minute: Minute, of: number): boolean {
  return minute.of > of - MINUTES && minute.of <= of;
}

function median(times: number[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined).toSorted((one, other) => one - other);
  return known[Math.floor((known.length - 1) / 2)];
}
