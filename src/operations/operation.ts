import { z } from 'zod';
import type { Kinds } from './kinds/kinds.ts';

/** Findings of an outcome search that prove nothing. An admin sees them before a manual resolution. */
const seenSchema = z.object({
  /** Account balance at the time of the search, in TRX (decimal). */
  left: z.string().optional(),
  /** Matching order reports whose order belongs, or may belong, to another operation. */
  reports: z.array(z.object({ order: z.number(), status: z.string() })).optional(),
  /** Entries of the service's list that have the same address or were added since the request. */
  listed: z.array(z.object({ id: z.number(), status: z.string(), amount: z.string().optional() })).optional(),
});

export type Seen = z.infer<typeof seenSchema>;

/** Manual resolution of an operation. */
export type ByHand = NonNullable<Operation['decided']>;

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
    /** Account at the rental service that pays. `OPERATORS` for the operator account. */
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
    news: z.number().optional(),
    /** All times are in epoch milliseconds. */
    createdAt: z.number(),
    expiresAt: z.number(),
    claimedAt: z.number().optional(),
    sentAt: z.number().optional(),
    settledAt: z.number().optional(),
    /** Set if the service's own reply settled the operation. It is never reopened then. */
    settledBy: z.literal('answer').optional(),
    /**
     * Random id of the attempt. Without it, two executors in the same millisecond would write equal records, and each
     * would assume that the attempt is its own.
     */
    attempt: z.string().optional(),
    /**
     * Set until the operation is announced: a withdrawal to the other account holders, other kinds to the module that
     * follows them up.
     */
    untold: z.literal(true).optional(),
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
        seen: seenSchema.optional(),
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
