import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  text: string;
}

/**
 * One request and its whole answer, without the streams that undici's `request` makes of each
 * (https://undici.nodejs.org/#/docs/api/Dispatcher: dispatch). Rejects with undici's errors, and with the reason of
 * `signal` once that aborts.
 */
export function dispatch(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let status = 0;
    const chunks: Buffer[] = [];

    const reasonOf = ({ reason }: AbortSignal) => (reason instanceof Error ? reason : new Error('aborted'));
    const aborted = () => {
      const reason = reasonOf(signal);
      reject(reason);
      abort?.(reason);
    };
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });

    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        // It may have waited for a free connection.
        if (signal.aborted) return controller.abort(reasonOf(signal));
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart(_controller, statusCode) {
        // What comes before the answer itself has less (https://www.rfc-editor.org/rfc/rfc9110#section-15.2).
        if (statusCode >= 200) status = statusCode;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        signal.removeEventListener('abort', aborted);
        resolve({ status, text: Buffer.concat(chunks).toString('utf8') });
      },
      onResponseError(_controller, error) {
        signal.removeEventListener('abort', aborted);
        reject(error);
      },
    });
  });
}
