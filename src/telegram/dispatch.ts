import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  text: string;
}

/** Failure before the first byte of a request was written. The request can't have been executed. */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';
  override readonly cause: Error;

  constructor(cause: Error) {
    super('not a byte of the request was written');
    this.cause = cause;
  }
}

export interface Limits {
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
): Promise<Answer> {
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
      reject(isWritten ? error : new NotWritten(error));
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
