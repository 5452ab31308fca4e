import { GrammyError, HttpError } from 'grammy';

/**
 * What went wrong with a call of the Bot API.
 *
 * - `refused`: Telegram answered with an error (https://core.telegram.org/bots/api#making-requests).
 * - `unreached`: there was no answer that could be read; the call may have been executed.
 */
export type Fault =
  | { kind: 'refused'; status: number; reason: string; retryAfterMs?: number }
  | { kind: 'unreached'; reason: string };

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
  if (error instanceof HttpError) return { kind: 'unreached', reason: nameOf(error.error) };
  throw error;
}

function nameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
