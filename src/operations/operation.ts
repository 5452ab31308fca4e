import { z } from 'zod';
import { isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';

/** Findings of an outcome search that prove nothing. An admin sees them before a manual resolution. */
const findingsSchema = z.object({
  /** Account balance at the time of the search, in TRX (decimal). */
  left: z.string().optional(),
  /** Matching order reports whose order belongs, or may belong, to another operation. */
  reports: z.array(z.object({ order: z.number(), status: z.string() })).optional(),
  /** Entries of the service's list that have the same address or were added since the request. */
  listed: z.array(z.object({ id: z.number(), status: z.string(), amount: z.string().optional() })).optional(),
});

export type SearchFindings = z.infer<typeof findingsSchema>;

/** Manual resolution of an operation. */
export type ManualResolution = NonNullable<Operation['decided']>;

/**
 * Returns the schema of an operation, from its card to its outcome. State transitions:
 *
 * - draft → [awaiting a one-time code →] claimed (confirmed, once) → sent (the request may have left)
 * - sent → done | refused | unknown
 * - unknown → likely | done | refused | closed; likely → done | refused | closed
 *
 * A draft may also be cancelled, or replaced by a newer card. A draft that wasn't confirmed in time is shown as
 * expired. A draft of an earlier epoch is void: the storage was rolled back, and the card may have been confirmed
 * before.
 *
 * A claim whose process ended before the request is refused. If the storage may have been rolled back since, the claim
 * becomes unknown instead.
 */
export function createOperationSchema(kinds: Pick<Kinds, 'request'>) {
  return z.object({
    id: z.string(),
    /** Telegram id of the user who owns the operation. Also the id of the private chat. */
    user: z.number(),
    /** Account at the rental service that pays. `OPERATOR_ACCOUNT` for the operator account. */
    account: z.number(),
    /** Set if an admin pays from the operator account through a reference to it. */
    operators: z.literal(true).optional(),
    language: z.enum(['en', 'ru']),
    request: kinds.request,
    /** Estimated cost and balance as the card showed them, in TRX (decimal). */
    estimate: z.string().optional(),
    balance: z.string().optional(),
    /** Warnings on the card. They are repeated whenever the card is shown again. */
    warnings: z.object({ lookalike: z.string().optional(), like: z.string().optional() }).optional(),
    /** Epoch of the stored data when the draft was made. In another epoch the card is void. */
    epoch: z.string().optional(),
    /** Run id of the store when the operation was claimed. */
    run: z.string().optional(),
    state: z.enum([
      'draft',
      'cancelled',
      'replaced',
      'expired',
      'void',
      'awaiting',
      'claimed',
      'sent',
      'done',
      'refused',
      'unknown',
      'likely',
      'closed',
    ]),
    /** Message ids of the receipt and of the follow-up below it. */
    card: z.number().optional(),
    followUp: z.number().optional(),
    /** All times are in epoch milliseconds. */
    createdAt: z.number(),
    expiresAt: z.number(),
    claimedAt: z.number().optional(),
    sentAt: z.number().optional(),
    settledAt: z.number().optional(),
    /** Set if the service's own reply settled the operation. It is never reopened then. */
    settledBy: z.literal('reply').optional(),
    /**
     * Random id of the attempt. Without it, two executors in the same millisecond would write equal records, and each
     * would assume that the attempt is its own.
     */
    attempt: z.string().optional(),
    /**
     * Set until {@link OperationsDeps.onExecuted} was called: withdrawals are reported to the other account holders, and
     * results such as invoices are tracked by another module.
     */
    onExecutedPending: z.literal(true).optional(),
    /** The outcome is unknown because the service's reply can't be read or isn't about the request. */
    unexpectedReply: z.literal(true).optional(),
    /** Whether the service sent the account's events to this bot at that time. */
    reported: z.boolean().optional(),
    /** Balance right before the request, in TRX (decimal). Compared with the balance afterwards. */
    balanceBefore: z.string().optional(),
    /** Ids on the service's list right before the request. */
    listedBefore: z.array(z.number()).optional(),
    result: z
      .object({
        order: z.number().optional(),
        status: z.string().optional(),
        price: z.string().optional(),
        txHash: z.string().optional(),
        transferFee: z.string().optional(),
        balanceLeft: z.string().optional(),
        invoice: z
          .object({
            paymentAddress: z.string(),
            priceTrx: z.string(),
            priceUsdt: z.string(),
            energy: z.number(),
            expiresAt: z.number(),
          })
          .optional(),
      })
      .optional(),
    refusal: z
      .object({
        reason: z.enum([
          'insufficient',
          'key',
          'limited',
          'address',
          'already',
          'offline',
          'unlinked',
          'expired',
          'interrupted',
          'gone',
          'unchanged',
          'listed',
          'locked',
          'code',
          'code-gone',
          'codes-off',
          'codes-on',
          'struck',
          'unannounced',
          'cap',
          'not-made',
          'by-hand',
          'guest-open',
          'guest-hour',
          'guest-all',
          'balance',
          'operator',
          'operator-cap',
          'operator-ongoing',
          'other',
        ]),
        code: z.string(),
        seconds: z.number(),
      })
      .optional(),
    search: z
      .object({
        count: z.number(),
        balance: z.enum(['same', 'moved', 'unread']),
        over: z.boolean(),
        /** Time of the last search, in epoch milliseconds. */
        at: z.number().optional(),
        seen: findingsSchema.optional(),
      })
      .optional(),
    /** Manual resolution by an admin, because no other source shows the outcome. */
    decided: z
      .object({
        outcome: z.enum(['done', 'not-done']),
        reason: z.string(),
        /** Telegram id of the admin. */
        admin: z.number(),
        at: z.number(),
      })
      .optional(),
    /**
     * Whether the user was notified of an earlier outcome. The change is then also sent as a follow-up to the receipt.
     */
    late: z.boolean().default(false),
    /** Counts the changes that the user should see. `notified` is the last one that the user was shown. */
    revision: z.number(),
    notified: z.number().default(0),
  });
}

export type Operation = z.infer<ReturnType<typeof createOperationSchema>>;

export type Refusal = NonNullable<Operation['refusal']>;

/**
 * Result of an outcome search. Strong evidence proves a result. A matching change of the balance makes it only
 * *likely*.
 */
export type Evidence =
  | { kind: 'strong'; result: Result }
  | { kind: 'likely'; seen?: SearchFindings }
  | { kind: 'none'; balance: 'same' | 'moved' | 'unread'; seen?: SearchFindings };

/** Identifies an operation by its user and its id. */
export interface OperationRef {
  user: number;
  id: string;
}

/** Returns whether the operation is confirmed and its outcome isn't final. */
export function isUnresolved({ state }: Operation): boolean {
  return state === 'claimed' || state === 'sent' || isUncertain({ state });
}

/** Returns whether the request was sent and its outcome isn't known for certain. */
export function isUncertain({ state }: Pick<Operation, 'state'>): boolean {
  return state === 'unknown' || state === 'likely';
}

/**
 * Returns whether the operation was made in another epoch of the stored data. The storage may have been rolled back
 * since, so the operation's state proves nothing.
 */
export function isVoid({ epoch }: Pick<Operation, 'epoch'>, present: { epoch: string }): boolean {
  return epoch !== present.epoch;
}

/** Returns whether both references name the same operation. */
export function isSame(left: OperationRef, right: OperationRef): boolean {
  return left.user === right.user && left.id === right.id;
}

/** Code of a refusal after an unexpected reply. Its text differs from that of a service that doesn't respond. */
const UNEXPECTED_REPLY = 'UNEXPECTED_REPLY';

/**
 * Applies a request's outcome to an operation (docs/architecture.md, money). If `isSafeToRepeat`, a lost reply counts as
 * not made. Removes an earlier manual resolution.
 */
export function settled(
  { decided: _, ...operation }: Operation,
  outcome: Outcome<Result>,
  at: number,
  isSafeToRepeat = false,
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
      return isSafeToRepeat ? notMade(operation, at, outcome) : revised(operation, unknownBy(outcome));
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
export function refusedManually(operation: Operation, at: number): Operation {
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
