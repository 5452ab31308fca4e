import { z } from 'zod';
import type { Kinds } from './kinds/kinds.ts';

/** What a look for traces saw that proved nothing: for who decides by hand. */
const seenSchema = z.object({
  /** TRX, decimal: the balance then. */
  left: z.string().optional(),
  /** Reports that fit, of orders that are another operation's, or may be. */
  reports: z.array(z.object({ order: z.number(), status: z.string() })).optional(),
  /** What the service's list says of the same address, or has come to it since the request. */
  listed: z.array(z.object({ id: z.number(), status: z.string(), amount: z.string().optional() })).optional(),
});

export type Seen = z.infer<typeof seenSchema>;

export type ByHand = NonNullable<Operation['decided']>;

/**
 * One operation with money, from its card to its outcome.
 *
 * draft → [awaiting a one-time code →] claimed (confirmed, once) → sent (the request may have left) → done | refused | unknown;
 * unknown → done | refused | likely | closed. A draft may also be cancelled, or replaced by a newer card; one that
 * wasn't decided on in time is shown as expired. A draft of an earlier epoch is void: the storage was rolled back, and the
 * card may have been confirmed before. A claim whose process ended before the request is refused, or becomes unknown if the
 * storage may have been rolled back since.
 */
export function createOperationSchema(kinds: Pick<Kinds, 'request'>) {
  return z.object({
    id: z.string(),
    /** The Telegram user it belongs to; also the private chat. */
    user: z.number(),
    /** The account of the rental service that pays; `OPERATORS` where the operator's does. */
    account: z.number(),
    /** An admin spends from it by a reference to the operator's account. */
    operators: z.literal(true).optional(),
    language: z.enum(['en', 'ru']),
    request: kinds.request,
    /** TRX, decimal: what the card said it would cost, and the balance that the card showed. */
    estimate: z.string().optional(),
    balance: z.string().optional(),
    /** What the card warned of, so that it does so again wherever it is shown. */
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
    /** The message that is its receipt, and the reply below it that tells what happened later. */
    card: z.number().optional(),
    news: z.number().optional(),
    /** Epoch milliseconds, all of these. */
    createdAt: z.number(),
    expiresAt: z.number(),
    claimedAt: z.number().optional(),
    sentAt: z.number().optional(),
    settledAt: z.number().optional(),
    /** By the service's own answer nothing is left open to evidence. */
    settledBy: z.literal('answer').optional(),
    /** Whose attempt it is: without it two executors at the same millisecond would write the same record, and both believe that it is theirs. */
    attempt: z.string().optional(),
    /** Somebody still has to learn of it: all others who hold the account that money may have left, or who takes care of it. */
    untold: z.literal(true).optional(),
    /** The outcome is unknown because the service's reply can't be read or isn't about the request. */
    unexpectedReply: z.literal(true).optional(),
    /** Whether the service's events of the account came here then. */
    reported: z.boolean().optional(),
    /** TRX, decimal: the balance just before the request was sent, to compare with afterwards. */
    balanceBefore: z.string().optional(),
    /** What was on the service's list right before the request was sent, by number. */
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
        /** Epoch milliseconds: the last look. */
        at: z.number().optional(),
        seen: seenSchema.optional(),
      })
      .optional(),
    /** A person at the operator decided how it ended, since nothing else would tell. */
    decided: z
      .object({
        outcome: z.enum(['done', 'not-done']),
        reason: z.string(),
        /** Telegram's number of who did. */
        admin: z.number(),
        at: z.number(),
      })
      .optional(),
    /** Its user was told an outcome before: what comes now is news, and is also told in a reply to the receipt. */
    late: z.boolean().default(false),
    /** Counts what its user should see; `notified` is what they were shown. */
    revision: z.number(),
    notified: z.number().default(0),
  });
}

export type Operation = z.infer<ReturnType<typeof createOperationSchema>>;

export type Refusal = NonNullable<Operation['refusal']>;

/** Whose operation, and which: enough to find it again. */
export interface OperationRef {
  user: number;
  id: string;
}

/** Confirmed, and its user doesn't know for certain how it ended. */
export function isUnresolved({ state }: Operation): boolean {
  return state === 'claimed' || state === 'sent' || isUncertain({ state });
}

/** Its request was sent, and what became of it isn't known for certain. */
export function isUncertain({ state }: Pick<Operation, 'state'>): boolean {
  return state === 'unknown' || state === 'likely';
}

/** Whether it was made before the storage was rolled back or could have been, so that its state proves nothing. */
export function isVoid({ epoch }: Pick<Operation, 'epoch'>, present: { epoch: string }): boolean {
  return epoch !== present.epoch;
}
