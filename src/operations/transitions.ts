import { isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { Evidence } from './evidence.ts';
import type { Result } from './kinds/kind.ts';
import type { Operation, Refusal } from './operation.ts';

/** Code of a refusal after an unexpected reply. Its text differs from that of a service that doesn't respond. */
const UNEXPECTED_REPLY = 'UNEXPECTED_REPLY';

/**
 * Applies a request's outcome to an operation (docs/architecture.md, money). If `isHarmless`, a lost reply counts as
 * not made. Removes an earlier manual resolution.
 */
export function settled(
  { decided: _, ...operation }: Operation,
  outcome: Outcome<Result>,
  at: number,
  isHarmless = false,
): Operation {
  switch (outcome.kind) {
    case 'accepted': {
      const result = { ...operation.result, ...outcome.value };
      return revised(operation, { state: 'done', result, settledAt: at });
    }
    case 'rejected':
      return refused(operation, rejection(outcome), at);
    case 'not-sent':
      return refused(operation, notSent(outcome), at);
    case 'unknown':
      return isHarmless ? notMade(operation, at, outcome) : revised(operation, unknownBy(outcome));
  }
}

/** Refuses an operation that moves no money and whose reply was lost or unexpected. The user may repeat it. */
export function notMade(operation: Operation, at: number, outcome?: Outcome<unknown>): Operation {
  const code = isUnexpectedReply(outcome) ? UNEXPECTED_REPLY : 'NOT_MADE';
  return refused(operation, { reason: 'not-made', code, seconds: 0 }, at);
}

function unknownBy(outcome: Outcome<unknown>): Partial<Operation> {
  return { state: 'unknown', ...(isUnexpectedReply(outcome) && { unexpectedReply: true }) };
}

/** Refusal of a claim whose process ended, or whose storage was unreachable, before the request. Nothing was sent. */
export const INTERRUPTED: Refusal = { reason: 'interrupted', code: 'INTERRUPTED', seconds: 0 };

/** Refuses an operation that an admin resolved manually as not done. */
export function refusedByHand(operation: Operation, at: number): Operation {
  return refused(operation, { reason: 'by-hand', code: 'BY_HAND', seconds: 0 }, at);
}

/** Sets an operation back to *unknown*, because its evidence belongs to another operation. The user is notified. */
export function reopened(operation: Operation): Operation {
  const { result: _, settledAt: __, ...rest } = operation;
  return revised(rest, { state: 'unknown', late: true });
}

/** Applies a later status of the order. Returns `undefined` if the status isn't new. */
export function withStatus(
  operation: Operation,
  { status, ...more }: Pick<Result, 'status' | 'txHash'>,
): Operation | undefined {
  if (operation.result === undefined || operation.result.status === status) return undefined;
  const late = operation.late || operation.notified >= operation.revision;
  return revised(operation, { result: { ...operation.result, status, ...more }, late });
}

export function refused(operation: Operation, refusal: Refusal, at: number): Operation {
  return revised(operation, { state: 'refused', refusal, settledAt: at });
}

/** Returns the summary of the searches after one more search without strong evidence. */
export function searched(
  { search }: Operation,
  evidence: Exclude<Evidence, { kind: 'strong' }>,
  { over, at }: { over: boolean; at: number },
): NonNullable<Operation['search']> {
  const { seen } = evidence;
  const balance = evidence.kind === 'likely' ? 'moved' : evidence.balance;
  return { count: (search?.count ?? 0) + 1, balance, over, at, ...(seen && { seen }) };
}

/** Applies a change that the user should see. */
export function revised(operation: Operation, change: Partial<Operation>): Operation {
  return { ...operation, ...change, revision: operation.revision + 1 };
}

/** Converts an outcome other than *accepted* into a refusal. */
export function refusalOf(outcome: Exclude<Outcome<unknown>, { kind: 'accepted' }>): Refusal {
  if (outcome.kind === 'rejected') return rejection(outcome);
  return outcome.kind === 'not-sent'
    ? notSent(outcome)
    : {
        reason: 'offline',
        code: isUnexpectedReply(outcome) ? UNEXPECTED_REPLY : outcome.reason,
        seconds: 0,
      };
}

function rejection({ status, code, retryAfterMs }: Extract<Outcome<unknown>, { kind: 'rejected' }>): Refusal {
  const known: Record<string, Refusal['reason']> = {
    INSUFFICIENT_BALANCE: 'insufficient',
    INVALID_ADDRESS: 'address',
    ADDRESS_ALREADY_ACTIVE: 'already',
    RATE_LIMITED: 'limited',
    CODE_REFUSED: 'code',
  };
  const byStatus: Record<number, Refusal['reason']> = { 401: 'key', 403: 'key', 429: 'limited' };
  return {
    reason: known[code] ?? byStatus[status] ?? 'other',
    code,
    seconds: seconds(retryAfterMs),
  };
}

function notSent({ reason, retryAfterMs }: Extract<Outcome<unknown>, { kind: 'not-sent' }>): Refusal {
  const reasons = { invalid: 'other', limited: 'limited', offline: 'offline' } as const;
  return { reason: reasons[reason], code: reason.toUpperCase(), seconds: seconds(retryAfterMs) };
}

function seconds(ms: number | undefined): number {
  return Math.ceil((ms ?? 0) / 1000);
}
