import { GrammyError, HttpError } from 'grammy';
import { NotWritten } from './dispatch.ts';

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
  return cause instanceof NotWritten
    ? { kind: 'unreached', reason: nameOf(cause.cause), written: false }
    : { kind: 'unreached', reason: nameOf(cause), written: true };
}

/** Returns whether a failure is temporary: a 429, a 5xx or a network error. */
export function isPassing(error: unknown): boolean {
  if (error instanceof GrammyError) return error.error_code === 429 || error.error_code >= 500;
  return error instanceof HttpError;
}

/** Returns whether a call certainly had no effect: Telegram returned an error, or the request wasn't written. */
export function wasNotSent(error: unknown): boolean {
  if (error instanceof HttpError) return error.error instanceof NotWritten;
  return error instanceof GrammyError;
}

/** Returns Telegram's `retry_after` in milliseconds, 0 if there is none. */
export function askedToWait(error: unknown): number {
  return error instanceof GrammyError ? (error.parameters.retry_after ?? 0) * 1000 : 0;
}

function nameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
