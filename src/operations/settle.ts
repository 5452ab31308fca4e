import type { Outcome } from '../rental/outcome.ts';
import type { Result } from './kinds/kind.ts';
import type { Operation, Refusal } from './operation.ts';

/** What an outcome makes of an operation (design.md, money rules). */
export function settled(operation: Operation, outcome: Outcome<Result>, at: number): Operation {
  const revised = { ...operation, revision: operation.revision + 1 };
  switch (outcome.kind) {
    case 'accepted':
      return { ...revised, state: 'done', result: { ...operation.result, ...outcome.value }, settledAt: at };
    case 'rejected':
      return refused(operation, rejection(outcome), at);
    case 'not-sent':
      return refused(operation, notSent(outcome), at);
    case 'unknown':
      return { ...revised, state: 'unknown' };
  }
}

/** Its evidence turned out to be another operation's: nothing is known of it again. */
export function reopened(operation: Operation): Operation {
  const { result: _, settledAt: __, ...rest } = operation;
  return { ...rest, state: 'unknown', late: false, revision: operation.revision + 1 };
}

/** A later word on the order; `undefined` where it says nothing new. */
export function withStatus(operation: Operation, status: string): Operation | undefined {
  if (operation.result === undefined || operation.result.status === status) return undefined;
  const result = { ...operation.result, status };
  return { ...operation, result, revision: operation.revision + 1 };
}

export function refused(operation: Operation, refusal: Refusal, at: number): Operation {
  return { ...operation, state: 'refused', refusal, settledAt: at, revision: operation.revision + 1 };
}

/** Why nothing was sent, or what the service had against it, in words of our own. */
export function refusalOf(outcome: Exclude<Outcome<unknown>, { kind: 'accepted' }>): Refusal {
  if (outcome.kind === 'rejected') return rejection(outcome);
  return outcome.kind === 'not-sent'
    ? notSent(outcome)
    : { reason: 'offline', code: outcome.reason, seconds: 0 };
}

function rejection({ status, code, retryAfterMs }: Extract<Outcome<unknown>, { kind: 'rejected' }>): Refusal {
  const known: Record<string, Refusal['reason']> = {
    INSUFFICIENT_BALANCE: 'insufficient',
    INVALID_ADDRESS: 'address',
    RATE_LIMITED: 'limited',
  };
  const byStatus: Record<number, Refusal['reason']> = { 401: 'key', 403: 'key', 429: 'limited' };
  return { reason: known[code] ?? byStatus[status] ?? 'other', code, seconds: seconds(retryAfterMs) };
}

function notSent({ reason, retryAfterMs }: Extract<Outcome<unknown>, { kind: 'not-sent' }>): Refusal {
  const reasons = { invalid: 'other', limited: 'limited', offline: 'offline' } as const;
  return { reason: reasons[reason], code: reason.toUpperCase(), seconds: seconds(retryAfterMs) };
}

function seconds(ms: number | undefined): number {
  return Math.ceil((ms ?? 0) / 1000);
}
