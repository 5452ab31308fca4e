/**
 * Outcome of a request (docs/architecture.md, money). A value, never an exception.
 *
 * - `accepted`: a 2xx that fits the schema and, for money, matches the request.
 * - `rejected`: a 429, or 400, 401, 403, 404, 409, 422 with a JSON body. The request was not executed.
 * - `not-sent`: the request was not sent, so it was not executed.
 * - `unknown`: everything else. The request may have been executed.
 */
export type Outcome<T> = Accepted<T> | Rejected | NotSent | Unknown;

export interface Accepted<T> {
  kind: 'accepted';
  value: T;
}

export interface Rejected {
  kind: 'rejected';
  status: number;
  /** Code of the service (`INSUFFICIENT_BALANCE`, …), or one made from the status (`HTTP_401`). */
  code: string;
  /** Message of the service, for logs and users. Not parsed. */
  message: string;
  /** Wait before the same request may succeed, in milliseconds. */
  retryAfterMs?: number;
}

export interface NotSent {
  kind: 'not-sent';
  /** `invalid`: violates a limit of the specification. `limited`: the rate limit is used up. `offline`: no connection. */
  reason: 'invalid' | 'limited' | 'offline';
  /** Name of the invalid field. */
  field?: string;
  message: string;
  retryAfterMs?: number;
}

export interface Unknown {
  kind: 'unknown';
  reason: 'timeout' | 'cut' | 'status' | 'unreadable' | 'mismatch';
  status?: number;
  message: string;
}

/** Returns whether the service refused the key. The specification doesn't document the status (section 7). */
export function isKeyRefused(outcome: Outcome<unknown> | undefined): outcome is Rejected {
  return outcome?.kind === 'rejected' && [401, 403].includes(outcome.status);
}

/** Returns whether the response was unreadable or didn't match the request. */
export function isUnexpectedReply(outcome: Outcome<unknown> | undefined): boolean {
  return outcome?.kind === 'unknown' && (outcome.reason === 'mismatch' || outcome.reason === 'unreadable');
}
