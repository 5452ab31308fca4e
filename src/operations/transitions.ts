import { isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { Evidence } from './evidence.ts';
import type { Result } from './kinds/kind.ts';
import type { Operation, Refusal } from './operation.ts';

/** Code of a refusal whose text names an unexpected reply instead of a service that doesn't answer. */
const UNEXPECTED_REPLY = 'UNEXPECTED_REPLY';

/**
 * What an outcome makes of an operation (docs/architecture.md, money); of a harmless one a lost answer is none. What a
 * person had decided before counts no more.
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

/** Refuses an operation that moves no money and whose reply was lost or unexpected. The user may make it again. */
export function notMade(operation: Operation, at: number, outcome?: Outcome<unknown>): Operation {
  const code = isUnexpectedReply(outcome) ? UNEXPECTED_REPLY : 'NOT_MADE';
  return refused(operation, { reason: 'not-made', code, seconds: 0 }, at);
}

function unknownBy(outcome: Outcome<unknown>): Partial<Operation> {
  return { state: 'unknown', ...(isUnexpectedReply(outcome) && { unexpectedReply: true }) };
}

/** Why a claim is refused whose process ended, or whose storage was away, before its request. Nothing was sent. */
export const INTERRUPTED: Refusal = { reason: 'interrupted', code: 'INTERRUPTED', seconds: 0 };

/** A person decided that it didn't go through. */
export function refusedByHand(operation: Operation, at: number): Operation {
  return refused(operation, { reason: 'by-hand', code: 'BY_HAND', seconds: 0 }, at);
}

/** Its evidence turned out to be another operation's: nothing is known of it again, and its user hears that. */
export function reopened(operation: Operation): Operation {
  const { result: _, settledAt: __, ...rest } = operation;
  return revised(rest, { state: 'unknown', late: true });
}

/** A later word on the order; `undefined` where it says nothing new. */
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

/** What one more look for its traces came to, for who reads of it. */
export function searched(
  { search }: Operation,
  evidence: Exclude<Evidence, { kind: 'strong' }>,
  { over, at }: { over: boolean; at: number },
): NonNullable<Operation['search']> {
  const { seen } = evidence;
  const balance = evidence.kind === 'likely' ? 'moved' : evidence.balance;
  return { count: (search?.count ?? 0) + 1, balance, over, at, ...(seen && { seen }) };
}

/** A change that its user should see. */
export function revised(operation: Operation, change: Partial<Operation>): Operation {
  return { ...operation, ...change, revision: operation.revision + 1 };
}

/** Why nothing was sent, or what the service had against it, in words of our own. */
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
