import { GrammyError, HttpError } from 'grammy';
import { NotWritten } from './dispatch.ts';

/**
 * What went wrong with a call of the Bot API.
 *
 * - `refused`: Telegram answered with an error (https://core.telegram.org/bots/api#making-requests).
 * - `unreached`: there was no answer that could be read. Where the request was `written`, it may have been executed.
 */
export type Fault =
  | { kind: 'refused'; status: number; reason: string; retryAfterMs?: number }
  | { kind: 'unreached'; reason: string; written: boolean };

/** Reads an error that a call threw; rethrows one that is neither Telegram's nor the network's. */
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

/** Whether a call failed for a reason that passes: Telegram refused it for now, has a fault, or can't be reached. */
export function isPassing(error: unknown): boolean {
  if (error instanceof GrammyError) return error.error_code === 429 || error.error_code >= 500;
  return error instanceof HttpError;
}

/** Whether a call certainly had no effect: Telegram answered with an error, or the request wasn't written. */
export function wasNotSent(error: unknown): boolean {
  if (error instanceof HttpError) return error.error instanceof NotWritten;
  return error instanceof GrammyError;
}

/** How long Telegram asked to wait before such a call is made again, in milliseconds. */
export function askedToWait(error: unknown): number {
  return error instanceof GrammyError ? (error.parameters.retry_after ?? 0) * 1000 : 0;
}

function nameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
