// Record of an operation: its schema, the changes of its state, and its store.

import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../platform/clock.ts';
import {
  defineRecord,
  keyOf,
  type NewRecord,
  type SignedRecord,
  type SignedRecords,
} from '../platform/records.ts';
import type { ChatChanges, Increment } from '../platform/storage.ts';
import { isUnexpectedReply, type Outcome } from '../rental-api/client.ts';
import {
  type Kinds,
  type OperationKind,
  type RefundSearch,
  type Result,
  resultSchema,
} from './kinds/kind.ts';

/** Findings of an outcome search that prove nothing. An admin sees them before a manual resolution. */
const findingsSchema = z.object({
  /** Account balance at the time of the search, in TRX (decimal). */
  left: z.string().optional(),
  /** Deposits that arrived since the request, in TRX (decimal). The balance contains them. */
  deposited: z.string().optional(),
  /** Cost of other purchases since the request, in TRX (decimal). The balance is lower by it. */
  charged: z.string().optional(),
  /** Id of the next operation, if the balance is the one that was read before it. */
  next: z.string().optional(),
  /** Set if an earlier search has seen the balance unchanged. It has changed since. */
  isEarlier: z.literal(true).optional(),
  /** Ids of other unknown operations of this price, one of which may have lowered the balance instead. */
  or: z.array(z.string()).optional(),
  /** Matching order reports whose order belongs, or may belong, to another operation. */
  reports: z.array(z.object({ order: z.number(), status: z.string() })).optional(),
  /** Entries of the service's list that have the same address or were added since the request. */
  listed: z.array(z.object({ id: z.number(), status: z.string(), amount: z.string().optional() })).optional(),
});

/** Decimal strings from the service's prices, as far as it names them. */
const marketSchema = z.object({
  /** TRX that a transfer of `ENERGY_PER_TRANSFER` energy burns without rented energy. */
  burnTrx: z.string().optional(),
  /** Price of one TRX in USD. */
  usdRate: z.string().optional(),
});

export type Market = z.infer<typeof marketSchema>;

const earlierPurchaseSchema = z.object({
  /**
   * `unseen`: it must have arrived, but no report says so. `failed`: it wasn't delivered, and its refund wasn't seen.
   * `unreported`: an invoice whose time is over, but the service hasn't reported whether it was paid. `returned`: money came
   * back for it or for another order.
   * `unknown`: the result of the purchase is unknown. `likely`: the balance shows it. `invoice`: an invoice that can still
   * be paid. `sale`: such an invoice for a customer. `pay-to`: an invoice that is paid at the address of the new order.
   */
  state: z.enum([
    ...['arriving', 'unseen', 'there', 'returned', 'failed', 'unknown', 'likely'],
    ...['invoice', 'unreported', 'sale', 'pay-to'],
  ] as const),
  /** Number of the invoice, or of the order that failed. */
  invoice: z.number().optional(),
  /** Id of the operation that bought it or made the invoice. Cards of former versions lack it. */
  id: z.string().optional(),
  /** As far as it was delivered, if that is known. */
  energy: z.number(),
  hours: z.number(),
  /** Time of the purchase, and end of the rental or of the invoice. Epoch milliseconds. */
  at: z.number(),
  until: z.number(),
  /**
   * All running rentals for the address, if there are more than this purchase. `unseen`: how many of them weren't seen to
   * arrive; `returned`: for how many of these money may have come back. `until`: when the next one ends.
   */
  running: z
    .object({
      count: z.number(),
      energy: z.number(),
      unseen: z.number(),
      returned: z.number().optional(),
      until: z.number(),
    })
    .optional(),
});

/** Purchase of energy, or invoice for a customer, that the card of another one points out. */
export type EarlierPurchase = z.infer<typeof earlierPurchaseSchema>;

export type SearchFindings = z.infer<typeof findingsSchema>;

export const refusalSchema = z.object({
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
    'changed',
    'listed',
    'locked',
    'code',
    'code-gone',
    'codes-off',
    'codes-on',
    'blocked',
    'unannounced',
    'cap',
    'not-made',
    'by-hand',
    'guest-open',
    'guest-hour',
    'guest-all',
    'balance',
    'price',
    'operator',
    'operator-cap',
    'operator-ongoing',
    'other',
  ]),
  code: z.string(),
  seconds: z.number(),
  /** Present price in TRX (decimal), if the price rose since the card was shown. */
  price: z.string().optional(),
});

export type Refusal = z.infer<typeof refusalSchema>;

/** The request as it was sent. Only `sentAt` is known of a claim that was found after a rollback of the storage. */
const attemptSchema = z.object({
  /** Random. Makes the records of two executors differ, so that only one of them sends. */
  id: z.string().optional(),
  sentAt: z.number(),
  /** Balance right before the request, in TRX (decimal). Compared with the balance afterwards. */
  balanceBefore: z.string().optional(),
  /** Ids on the service's list right before the request. */
  listedBefore: z.array(z.number()).optional(),
  /** Whether the service sent the account's events to this bot at that time. */
  reported: z.boolean().optional(),
  /** Set until `onExecuted` has reported a withdrawal or a result that another module tracks. */
  onExecutedPending: z.literal(true).optional(),
  /** The outcome is unknown because the service's reply can't be read or isn't about the request. */
  unexpectedReply: z.literal(true).optional(),
});

/** Summary of the searches for an unknown outcome. */
const searchSchema = z.object({
  count: z.number(),
  /** `mixed`: it changed, and other operations may have changed it. */
  balance: z.enum(['same', 'moved', 'mixed', 'unread']),
  /** Whether the automatic searches have ended. */
  over: z.boolean(),
  /** Time of the last search, in epoch milliseconds. */
  at: z.number(),
  seen: findingsSchema.optional(),
});

/** Messages that show an operation to its user, and which changes they show. */
const receiptSchema = z.object({
  /** Message ids of the card, which becomes the receipt, and of the follow-up below it. */
  card: z.number().optional(),
  followUp: z.number().optional(),
  /** When Telegram accepted the latest state of the receipt, in epoch milliseconds. */
  shownAt: z.number().optional(),
  /** All follow-ups that Telegram accepted, oldest first, with the time (epoch milliseconds). Each replaced the one before. */
  sentFollowUps: z.array(z.object({ message: z.number(), at: z.number() })).optional(),
  /** Message id of an earlier follow-up, which is deleted before the next one is sent. */
  outdated: z.number().optional(),
  /** Whether the user knows an earlier outcome. The change is then also sent as a follow-up to the receipt. */
  late: z.boolean(),
  /** Number of follow-ups, including a pending one. Each is a separate message. */
  followUps: z.number().optional(),
  /** Counts the changes that the user should see. `notified` is the last one that the user was shown. */
  revision: z.number(),
  notified: z.number(),
  /**
   * Time at which the operation's process was found lost, in epoch milliseconds. Telegram may still apply its last edit.
   */
  lostAt: z.number().optional(),
});

type Receipt = z.infer<typeof receiptSchema>;

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
 *
 * All times are in epoch milliseconds.
 */
export function createOperationSchema(kinds: Pick<Kinds, 'request'>) {
  const drafted = z.object({
    id: z.string(),
    /** Telegram id of the user who owns the operation. Also the id of the private chat. */
    user: z.number(),
    /** Account at the rental service that pays. `OPERATOR_ACCOUNT` for the operator account. */
    account: z.number(),
    /** Set if an admin pays from the operator account through a reference to it. */
    usesOperatorAccount: z.literal(true).optional(),
    language: z.enum(['en', 'ru']),
    request: kinds.request,
    /** Estimated cost and balance as the card showed them, in TRX (decimal). */
    estimate: z.string().optional(),
    balance: z.string().optional(),
    /** Time of an old price behind `estimate`. The service named no newer one. */
    estimateAt: z.number().optional(),
    /** Estimate of the refused card that this card repeats, in TRX (decimal). */
    formerEstimate: z.string().optional(),
    /** Market prices that were known when the card was made. */
    market: marketSchema.optional(),
    /** Warnings on the card. They are repeated whenever the card is shown again. */
    warnings: z.object({
      lookalike: z.string().optional(),
      /** Unresolved operation with the same intention. */
      like: z.string().optional(),
      /** Set if that operation has most likely gone through. */
      isLikeLikely: z.literal(true).optional(),
      /** Void card that this card repeats. It may have been used. */
      voided: z.string().optional(),
      /** Energy for the same address that the user has ordered before, and that isn't over. */
      earlier: earlierPurchaseSchema.optional(),
      /** Set if Smart Mode of the same account supplies the address with what is bought. */
      isSupplied: z.literal(true).optional(),
      /** Hours that the user asked for. They aren't offered, so the request has others. */
      wantedHours: z.number().optional(),
    }),
    /** Epoch of the stored data when the draft was made. In another epoch the card is void. */
    epoch: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
    /**
     * End of the cooldown that applied when the card was made, if it lies later. With a one-time code, *Confirm* works
     * before that time, but the request isn't sent before it.
     */
    confirmableFrom: z.number().optional(),
    /** Number of wrong codes in a row before this card, which repeats the same request. */
    wrongCodes: z.number().optional(),
    receipt: receiptSchema,
  });
  const confirmed = drafted.extend({ claimedAt: z.number() });
  const sent = confirmed.extend({ attempt: attemptSchema, search: searchSchema.optional() });
  const settled = {
    settledAt: z.number(),
    /** Set if the service's own reply settled the operation. It is never reopened then. */
    settledBy: z.literal('reply').optional(),
    /** Set if an admin settled the operation, because no other source shows the outcome. */
    decided: z
      .object({
        reason: z.string(),
        /** Telegram id. */
        admin: z.number(),
      })
      .optional(),
  };
  return z.discriminatedUnion('state', [
    drafted.extend({ state: z.literal(['draft', 'cancelled', 'replaced', 'expired', 'void', 'awaiting']) }),
    confirmed.extend({ state: z.literal('claimed') }),
    sent.extend({ state: z.literal('sent') }),
    sent.extend({ state: z.literal('unknown') }),
    sent.extend({
      state: z.literal('likely'),
      settledAt: z.number(),
      /** Search for its refund: the balance shows the charge, so it also shows the refund. */
      refund: resultSchema.shape.refund,
    }),
    sent.extend({ state: z.literal('done'), result: resultSchema, ...settled }),
    // Without an attempt, nothing was sent.
    sent.partial({ attempt: true }).extend({
      state: z.literal('refused'),
      refusal: refusalSchema,
      /** Set once a card with the same request is in the chat, after a wrong code. */
      isRepeated: z.literal(true).optional(),
      ...settled,
    }),
    sent.extend({
      state: z.literal('closed'),
      settledAt: z.number(),
      /** Set if it had most likely gone through. */
      wasLikely: z.literal(true).optional(),
    }),
  ]);
}

export type Operation = z.infer<ReturnType<typeof createOperationSchema>>;

type InState<State extends Operation['state']> = Extract<Operation, { state: State }>;

export type ClaimedOperation = InState<'claimed'>;
export type SentOperation = InState<'sent'>;
export type UncertainOperation = InState<'unknown' | 'likely'>;
export type DoneOperation = InState<'done'>;
/** Confirmed operation without a final outcome. */
export type UnresolvedOperation = ClaimedOperation | SentOperation | UncertainOperation;
export type ConfirmedOperation = Extract<Operation, { claimedAt: number }>;
/** Operation before its confirmation, or one that was never confirmed. */
export type UnconfirmedOperation = Exclude<Operation, ConfirmedOperation>;
/** Fields of an operation whose request may have left. */
export type Attempted = Omit<SentOperation, 'state'>;

/** Manual resolution of an operation by an admin. */
export interface ManualResolution {
  outcome: 'done' | 'not-done';
  reason: string;
  /** Telegram id. */
  admin: number;
}

/** Returns the manual resolution that ended an operation, with its time. */
export function decisionOf(operation: Operation): (ManualResolution & { at: number }) | undefined {
  if (!('decided' in operation) || operation.decided === undefined) return undefined;
  const outcome = operation.state === 'done' ? 'done' : 'not-done';
  return { ...operation.decided, outcome, at: operation.settledAt };
}

/** Result of an outcome search. A matching change of the balance makes a result only *likely*. */
export type Evidence =
  | { kind: 'strong'; result: Result }
  | { kind: 'likely'; seen?: SearchFindings }
  | { kind: 'none'; balance: NonNullable<Attempted['search']>['balance']; seen?: SearchFindings };

/** Identifies an operation by its user and its id. */
export interface OperationRef {
  user: number;
  id: string;
}

/** Returns whether the user has confirmed the operation. */
export function isConfirmed(operation: Operation): operation is ConfirmedOperation {
  return 'claimedAt' in operation;
}

/** Returns whether the operation's request may have left. */
export function wasSent(operation: Operation): operation is ConfirmedOperation & Attempted {
  return 'attempt' in operation && operation.attempt !== undefined;
}

/** Returns whether the operation is confirmed, and no outcome is stored yet. */
export function isInProgress(operation: Operation): operation is ClaimedOperation | SentOperation {
  return operation.state === 'claimed' || operation.state === 'sent';
}

/** Returns whether the operation is confirmed and its outcome isn't final. */
export function isUnresolved(operation: Operation): operation is UnresolvedOperation {
  return isInProgress(operation) || isUncertain(operation);
}

/**
 * Returns the message in which another module shows the result, or `undefined` if it stays the receipt. A user who knows an
 * earlier outcome gets the result as a new message, because Telegram doesn't notify of edits.
 */
export function messageForResult(
  { isShownElsewhere }: OperationKind,
  operation: Operation,
): number | undefined {
  const isResult = operation.state === 'done' && operation.result.invoice !== undefined;
  const { card, late } = operation.receipt;
  return isResult && !late && isShownElsewhere?.(operation.request) ? card : undefined;
}

/** Returns whether the request was sent and its outcome isn't known for certain. */
export function isUncertain(operation: Operation): operation is UncertainOperation {
  return operation.state === 'unknown' || operation.state === 'likely';
}

/** Returns whether a report of the service may settle an operation: its outcome isn't certain, even if its user has closed it. */
export function isReportAwaited(operation: Operation): operation is UncertainOperation | InState<'closed'> {
  return isUncertain(operation) || operation.state === 'closed';
}

/** Returns whether the balance shows that the operation has most likely gone through, also after its user has closed it. */
export function isLikely(operation: Operation): boolean {
  return operation.state === 'likely' || (operation.state === 'closed' && operation.wasLikely === true);
}

/** Amount in TRX (decimal). `isApproximate`: the service named none, so it is the price on the card. */
export interface Charge {
  trx: string;
  isApproximate: boolean;
}

/** Returns what an operation costs if it goes through. `undefined` if it is free, or not even its card had a price. */
export function chargeOf(kind: OperationKind, operation: Operation): Charge | undefined {
  if (kind.isFree?.(operation.request)) return undefined;
  const price = operation.state === 'done' ? operation.result.price : undefined;
  const trx = price ?? operation.estimate;
  return trx === undefined ? undefined : { trx, isApproximate: price === undefined };
}

/**
 * Returns whether the operation was made in another epoch of the stored data. The storage may have been rolled back
 * since, so the operation's state proves nothing.
 */
export function isVoid({ epoch }: Pick<Operation, 'epoch'>, present: { epoch: string }): boolean {
  return epoch !== present.epoch;
}

/** Returns the name of an operation in indexes and locks: `501/7Q2K`. */
export function nameOf({ user, id }: OperationRef): string {
  return `${user}/${id}`;
}

/** Returns the reference that {@link nameOf} has named. */
export function refOfName(name: string): OperationRef {
  const [user, id = ''] = name.split('/');
  return { user: Number(user), id };
}

/** Returns whether both references name the same operation. */
export function isSame(left: OperationRef, right: OperationRef): boolean {
  return left.user === right.user && left.id === right.id;
}

/**
 * Applies the outcome of an operation's own request (docs/architecture.md, money). If `isSafeToRepeat`, a lost reply
 * counts as not made. Replaces an earlier manual resolution.
 */
export function settled(
  operation: Attempted,
  outcome: Outcome<Result>,
  at: number,
  isSafeToRepeat = false,
): Operation {
  switch (outcome.kind) {
    case 'accepted':
      return { ...done(operation, outcome.value, at), settledBy: 'reply' };
    case 'unknown': {
      if (isSafeToRepeat) return notMade(operation, at, outcome);
      const unexpected = isUnexpectedReply(outcome) && { unexpectedReply: true as const };
      const attempt = { ...operation.attempt, ...unexpected };
      return { ...operation, state: 'unknown', attempt, receipt: revised(operation) };
    }
    default:
      return { ...refused(operation, refusalOf(outcome), at), settledBy: 'reply' };
  }
}

/** Completes an order that has most likely gone through, because the balance shows that its price came back. */
export function returned(
  { refund: _, ...operation }: InState<'likely'>,
  result: Result & { refund: RefundSearch },
  at: number,
): Operation {
  return asLate(done(operation, result, at));
}

/** Completes an operation. Keeps what is known of its result. */
export function done(
  {
    result: before,
    decided: _,
    ...operation
  }: Attempted & Partial<Pick<DoneOperation, 'result' | 'decided'>>,
  result: Result,
  at: number,
): DoneOperation {
  // An older response doesn't revoke a later status that evidence has proven.
  const isKnown =
    before?.order === result.order && before?.status !== undefined && result.status === 'pending';
  return {
    ...operation,
    state: 'done',
    result: { ...before, ...result, ...(isKnown && { status: before.status }) },
    settledAt: at,
    receipt: revised(operation),
  };
}

/** Refuses an operation. Revokes an earlier manual resolution. */
export function refused(
  { decided: _, ...operation }: (ClaimedOperation | Attempted) & Partial<Pick<DoneOperation, 'decided'>>,
  refusal: Refusal,
  at: number,
): InState<'refused'> {
  return { ...operation, state: 'refused', refusal, settledAt: at, receipt: revised(operation) };
}

/** Refuses an operation that moves no money and whose reply was lost or unexpected. The user may repeat it. */
export function notMade(operation: Attempted, at: number, outcome?: Outcome<unknown>): Operation {
  const code = isUnexpectedReply(outcome) ? UNEXPECTED_REPLY : 'NOT_MADE';
  return refused(operation, { reason: 'not-made', code, seconds: 0 }, at);
}

/** Maximum number of wrong codes in a row. Until then, the card of the same request follows by itself. */
export const MAX_WRONG_CODES = 3;

/** Returns the number of wrong codes in a row up to this operation. 0 unless the service refused its code. */
export function wrongCodesOf(operation: Operation): number {
  const isWrong =
    operation.state === 'refused' &&
    operation.refusal.reason === 'code' &&
    operation.settledBy === 'reply' &&
    !operation.decided;
  return isWrong ? (operation.wrongCodes ?? 0) + 1 : 0;
}

/** Refusal of a claim whose process ended, or whose storage was unreachable, before the request. Nothing was sent. */
export const INTERRUPTED: Refusal = { reason: 'interrupted', code: 'INTERRUPTED', seconds: 0 };

/** Applies a manual resolution to an operation with an uncertain outcome. `price`: what the balance fell by, in TRX (decimal). */
export function resolvedManually(
  operation: UncertainOperation,
  { outcome, ...decided }: ManualResolution,
  { at, price }: { at: number; price: string | undefined },
): Operation {
  const ended =
    outcome === 'done'
      ? done(operation, { ...(price !== undefined && { price }) }, at)
      : refused(operation, { reason: 'by-hand', code: 'BY_HAND', seconds: 0 }, at);
  return { ...ended, decided, receipt: withNews(ended.receipt) };
}

/** Sets an operation back to *unknown*, because its evidence belongs to another operation. The user is notified. */
export function reopened({ result: _, settledAt: __, ...operation }: DoneOperation): Operation {
  return { ...operation, state: 'unknown', receipt: withNews(revised(operation)) };
}

/**
 * Has a change sent as a follow-up to the receipt, because the user knows an earlier outcome. It replaces the present
 * follow-up: Telegram doesn't notify users of edits.
 */
export function withNews(receipt: Receipt): Receipt {
  const { followUp, outdated, late, followUps = 0 } = receipt;
  // A pending follow-up shows this change, too.
  const isPending = late && followUp === undefined;
  return {
    ...receipt,
    late: true,
    followUp: undefined,
    outdated: followUp ?? outdated,
    followUps: isPending ? followUps : followUps + 1,
  };
}

/** Applies a later result of the order or withdrawal. Returns `undefined` for the present one. */
export function withResult(operation: DoneOperation, result: Result): DoneOperation | undefined {
  if (result === operation.result) return undefined;
  const receipt = revised(operation);
  return { ...operation, result, receipt: isUpToDate(operation) ? withNews(receipt) : receipt };
}

/**
 * Returns the summary of the searches after one more search without strong evidence. What that search couldn't read stays as
 * an earlier one has seen it.
 */
export function searched(
  { search }: UncertainOperation,
  evidence: Exclude<Evidence, { kind: 'strong' }>,
  { over, at }: { over: boolean; at: number },
): NonNullable<Attempted['search']> {
  const seen = (search?.seen ?? evidence.seen) && { ...search?.seen, ...evidence.seen };
  const found = evidence.kind === 'likely' ? 'moved' : evidence.balance;
  const balance = found === 'unread' ? (search?.balance ?? found) : found;
  return { count: (search?.count ?? 0) + 1, balance, over, at, ...(seen && { seen }) };
}

/** Returns whether the user was shown the last change. */
export function isUpToDate({ receipt }: Operation): boolean {
  return receipt.notified >= receipt.revision;
}

/** Has a change of an operation sent as a follow-up to its receipt ({@link withNews}). */
export function asLate(operation: Operation): Operation {
  return { ...operation, receipt: withNews(operation.receipt) };
}

/** Counts a change that the user should see. */
export function revised({ receipt }: { receipt: Receipt }, change?: Partial<Receipt>): Receipt {
  return { ...receipt, ...change, revision: receipt.revision + 1 };
}

/** Code of a refusal after an unexpected reply. Its text differs from that of a service that doesn't respond. */
const UNEXPECTED_REPLY = 'UNEXPECTED_REPLY';
const REASON_BY_CODE: Record<string, Refusal['reason']> = {
  INSUFFICIENT_BALANCE: 'insufficient',
  INVALID_ADDRESS: 'address',
  ADDRESS_ALREADY_ACTIVE: 'already',
  RATE_LIMITED: 'limited',
  CODE_REFUSED: 'code',
  INVALID_2FA_CODE: 'code',
  '2FA_REQUIRED': 'codes-on',
};
const REASON_BY_STATUS: Record<number, Refusal['reason']> = { 401: 'key', 403: 'key', 429: 'limited' };
const REASON_NOT_SENT = { invalid: 'other', limited: 'limited', offline: 'offline' } as const;

/** Converts an outcome other than *accepted* into a refusal. */
export function refusalOf(outcome: Exclude<Outcome<unknown>, { kind: 'accepted' }>): Refusal {
  if (outcome.kind === 'unknown') {
    const code = isUnexpectedReply(outcome) ? UNEXPECTED_REPLY : outcome.reason;
    return { reason: 'offline', code, seconds: 0 };
  }
  const seconds = Math.ceil((outcome.retryAfterMs ?? 0) / 1000);
  if (outcome.kind === 'not-sent')
    return { reason: REASON_NOT_SENT[outcome.reason], code: outcome.reason.toUpperCase(), seconds };
  const { code, status } = outcome;
  return { reason: REASON_BY_CODE[code] ?? REASON_BY_STATUS[status] ?? 'other', code, seconds };
}

/** TTL of a confirmed operation, and of the indexes that name it, in milliseconds. */
export const OPERATION_TTL_MS = 90 * DAY_MS;
const DRAFT_TTL_MS = HOUR_MS;
/** States in which nothing was sent. The record isn't needed for long then. */
const SHORT_LIVED: readonly Operation['state'][] = ['draft', 'cancelled', 'replaced', 'awaiting', 'void'];

function ttlOf({ state }: Operation): number {
  return SHORT_LIVED.includes(state) ? DRAFT_TTL_MS : OPERATION_TTL_MS;
}

/** The hash tag is that of the user's chat, so that a chat's commit can also write the record. */
export const OPERATION = defineRecord({
  keys: 'operation:{user}:id',
  content: 'Operation',
  // This schema accepts everything. `createOperationSchema` checks the content, because the kinds are configurable.
  schema: z.custom<Operation>(),
  ttlMs: ttlOf,
  expiry: '1 hour for drafts and cancelled operations, 90 days after the last change for others',
  signed: true,
  retained: { own: 'kept-money' },
});
const MAX_TRIES = 20;

/** Operation as it was read or written, with the record that a change is compared with. */
export interface StoredOperation<Present extends Operation = Operation> {
  operation: Present;
  record: SignedRecord;
}

/** Returns whether the operation is confirmed, and its request wasn't sent yet. */
export function isClaimed(stored: StoredOperation): stored is StoredOperation<ClaimedOperation> {
  return stored.operation.state === 'claimed';
}

/** Operation to start from: as it was last read, or only its reference. */
export type Known = StoredOperation | OperationRef;

/** Parses the key of an operation's record. Returns `undefined` for other keys. */
export function refOfKey(key: string): OperationRef | undefined {
  const [, user, id] = /^operation:\{(\d+)\}:(\w+)$/.exec(key) ?? [];
  return user === undefined || id === undefined ? undefined : { user: Number(user), id };
}

export interface OperationStore {
  /** Writes a new operation, unless its record exists already. Returns the stored one. */
  create(operation: Operation): Promise<StoredOperation>;
  /** Returns `undefined` if the record is missing or fails verification. */
  read(ref: OperationRef): Promise<StoredOperation | undefined>;
  /**
   * Like {@link read}, for callers that can continue without the operation. Returns `unreadable` for a record that this
   * version doesn't understand, and `unverified` for one that fails verification.
   */
  readable(ref: OperationRef): Promise<StoredOperation | undefined | 'unreadable' | 'unverified'>;
  /** Returns an operation; `undefined` if there is none, or if it can't be read. */
  find(ref: OperationRef): Promise<Operation | undefined>;
  /**
   * Applies `change` to the current operation, and again after a concurrent write. Writes nothing if `change` returns
   * `undefined`. Returns the operation as written, or `undefined`.
   */
  change(
    known: Known,
    change: (operation: Operation) => Operation | undefined,
  ): Promise<StoredOperation | undefined>;
  /**
   * Applies the step to *sent* like {@link change}, adds the mark of the attempt that `markOf` returns, and secures the
   * write. All of this takes one round trip. `isDurable`: the write will survive a failover of the storage. It is false
   * if the storage can't confirm that.
   */
  markSent(
    known: Known,
    change: (operation: Operation) => SentOperation | undefined,
    markOf: (operation: Operation) => NewRecord & { key: string },
  ): Promise<{ sent: StoredOperation<SentOperation>; isMarkAdded: boolean; isDurable: boolean } | undefined>;
  /** Writes an operation if its record is missing or fails verification. Returns the operation that is stored then. */
  restore(operation: Operation): Promise<StoredOperation | undefined>;
  /** Returns the write that a chat's commit carries in place of {@link change}, and what it stores. */
  claim<Changed extends Operation>(
    stored: StoredOperation,
    operation: Changed,
  ): { write: NonNullable<ChatChanges['claim']>; claimed: StoredOperation<Changed> };
}

/**
 * Creates the store. Each write that replaces a record or restores a lost one carries its `incrementsOf`, and is then
 * reported to `onWritten`.
 */
export function createOperationStore({
  records,
  schema,
  incrementsOf = () => [],
  onWritten = () => undefined,
}: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  incrementsOf?: (before: Operation | undefined, after: Operation) => readonly Increment[];
  onWritten?: (before: Operation | undefined, after: Operation) => void;
}): OperationStore {
  async function read(ref: OperationRef): Promise<StoredOperation | undefined> {
    const record = await records.get(keyOf(OPERATION.keys, ref));
    return record && { operation: schema.parse(JSON.parse(record.content)), record };
  }

  async function readable(ref: OperationRef): ReturnType<OperationStore['readable']> {
    const key = keyOf(OPERATION.keys, ref);
    const record = await records.get(key);
    if (record === undefined && (await records.isNewer(key))) return 'unreadable';
    if (record === undefined) return (await records.has(key)) ? 'unverified' : undefined;
    const operation = records.parse(key, record, schema);
    return operation === undefined ? 'unreadable' : { operation, record };
  }

  /** Applies `change` and `write` until no concurrent write interferes: `write` then returns `undefined`. */
  async function changed<Changed extends Operation, Written>(
    known: Known,
    change: (operation: Operation) => Changed | undefined,
    write: (operation: Changed, before: StoredOperation) => Promise<Written | undefined>,
  ): Promise<Written | undefined> {
    let stored = 'record' in known ? known : await read(known);
    for (let tried = 0; tried < MAX_TRIES && stored; tried++) {
      const operation = change(stored.operation);
      if (operation === undefined) return undefined;
      const written = await write(operation, stored);
      if (written) return written;
      stored = await read(stored.operation);
    }
    if (stored) throw new Error(`operation ${stored.operation.id}: too many concurrent changes`);
    return undefined;
  }

  return {
    async create(operation) {
      const { key, content, lifetime } = recordOf(operation);
      const record = await records.add(key, content, lifetime);
      const stored = record ? { operation, record } : await read(operation);
      if (stored === undefined)
        throw new Error(`operation ${operation.id}: its record disappeared right after it was created`);
      return stored;
    },
    read,
    readable,
    async find(ref) {
      const found = await readable(ref);
      return typeof found === 'object' ? found.operation : undefined;
    },
    change: (known, change) =>
      changed(known, change, async (operation, { operation: before, record: expected }) => {
        const { key, content, lifetime } = recordOf(operation);
        const increments = incrementsOf(before, operation);
        const record = await records.replace(key, expected, content, lifetime, increments);
        if (record === undefined) return undefined;
        onWritten(before, operation);
        return { operation, record };
      }),
    markSent: (known, change, markOf) =>
      changed(known, change, async (operation, { record: expected }) => {
        const { key, content, lifetime } = recordOf(operation);
        const text = records.sign(key, content);
        // Sent right behind the write, so that it checks the written value.
        const [written, isDurable] = await Promise.all([
          records.replaceAndAdd(key, expected, { content, ...lifetime }, markOf(operation)),
          records.secure(key, { content, text }, lifetime).catch(() => false),
        ]);
        return (
          written && { sent: { operation, record: written.record }, isMarkAdded: written.added, isDurable }
        );
      }),
    async restore(operation) {
      const { key, content, lifetime } = recordOf(operation);
      const isWritten = await records.restore(key, content, lifetime, incrementsOf(undefined, operation));
      if (isWritten) onWritten(undefined, operation);
      return read(operation);
    },
    claim({ record: { text: expected } }, operation) {
      const { key, content, lifetime } = recordOf(operation);
      const text = records.sign(key, content);
      return {
        write: { key, expected, value: text, ...lifetime },
        claimed: { operation, record: { content, text } },
      };
    },
  };
}

/** Returns what is stored of an operation. */
function recordOf(operation: Operation) {
  return {
    key: keyOf(OPERATION.keys, operation),
    content: JSON.stringify(operation),
    lifetime: { ttlMs: ttlOf(operation) },
  };
}

/** Returns the reference of an operation in either form. */
export function refOf(known: Known): OperationRef {
  const { user, id } = 'record' in known ? known.operation : known;
  return { user, id };
}
