/**
 * What the answer to a request proves (docs/architecture.md, money). A value, never an exception.
 *
 * - `accepted`: a 2xx that fits the schema and echoes what was asked.
 * - `rejected`: the service refused it: 429, or 400, 401, 403, 404, 409, 422 with a JSON body. Nothing was done.
 * - `not-sent`: nothing left this machine. Nothing was done.
 * - `unknown`: everything else. It may have been done.
 */
export type Outcome<T> = Accepted<T> | Rejected | NotSent | Unknown;

export interface Accepted<T> {
  kind: 'accepted';
  value: T;
}

export interface Rejected {
  kind: 'rejected';
  status: number;
  /** The service's own code (`INSUFFICIENT_BALANCE`, …), or one made from the status (`HTTP_401`). */
  code: string;
  /** The service's words: for the log and a person, never parsed. */
  message: string;
  /** How long to wait before the same request may pass. */
  retryAfterMs?: number;
}

export interface NotSent {
  kind: 'not-sent';
  /** `invalid`: against a limit of the specification; `limited`: the rate limit would refuse it; `offline`: no connection. */
  reason: 'invalid' | 'limited' | 'offline';
  /** The field that is invalid. */
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

/** Whether the service refused the key: it knows no such key, or not for this. Which status says so isn't shown (section 7). */
export function isKeyRefused(outcome: Outcome<unknown> | undefined): outcome is Rejected {
  return outcome?.kind === 'rejected' && [401, 403].includes(outcome.status);
}

/** Whether the service replied with something that can't be read or isn't about the request. */
export function isUnexpectedReply(outcome: Outcome<unknown> | undefined): boolean {
  return outcome?.kind === 'unknown' && (outcome.reason === 'mismatch' || outcome.reason === 'unreadable');
}
