import { z } from 'zod';
import type { TextKey } from '../../i18n/keys.ts';
import type { Words } from '../../i18n/texts.ts';
import type { AccountReads } from '../../rental-api/account-reader.ts';
import type { OperatorInvoices, Outcome, RentalCalls } from '../../rental-api/client.ts';
import type { Prices } from '../../rental-api/schemas.ts';
import type { RentalEvent } from '../../rental-api/webhook.ts';

/** Request of an operation as it is stored: the kind's name and the fields of its schema. */
export interface OperationRequest {
  kind: string;
}

/** Search for the refund of an order in the balance of its account. */
const refundSearchSchema = z.object({
  /** Number of checks, and the times of the first and the last one in epoch milliseconds. */
  checks: z.number(),
  since: z.number(),
  at: z.number(),
  /** Last balance that was read, in TRX (decimal), and between which times. */
  left: z.object({ trx: z.string(), at: z.number(), until: z.number() }).optional(),
  /**
   * Finding of the last check:
   * - `back`: the balance rose by exactly the price, and nothing else that the bot knows of may have changed it.
   * - `either`: the balance rose by `rise`, which the refund of this order or those of others explain.
   * - `same`: the balance shows no refund of this order, and nothing else may have changed it.
   * - `moved`: anything else may have changed the balance, so it shows nothing.
   * - `unread`: the balance couldn't be read.
   * - `unlinked`: the user has unlinked the account, so its balance can't be read.
   */
  balance: z.enum(['back', 'either', 'same', 'moved', 'unread', 'unlinked']),
  /**
   * TRX, decimal. With `back`: the refunds of this order and of those in `among` together. With `moved`: the refund of this
   * order, or money of the operation in `open`.
   */
  rise: z.string().optional(),
  /** Numbers of the other orders whose refund `rise` may be or, with `back`, contains. */
  among: z.array(z.number()).optional(),
  /** With `back`: id of the earlier operation of the user before which the balance was the same. */
  asBefore: z.string().optional(),
  /** With `moved`: id of another operation of the user that may have changed the balance by an unknown amount. */
  open: z.string().optional(),
  /** Set if an earlier message told the user of the money that came back. */
  isKnown: z.literal(true).optional(),
  /** Whether the search has ended. */
  over: z.boolean(),
  /** Set if the balance is to be compared at once, also after the search's end. */
  recheck: z.literal(true).optional(),
});

export type RefundSearch = z.infer<typeof refundSearchSchema>;

/** Result of an operation, as far as it is known. */
export const resultSchema = z.object({
  /** Id of the order at the service. */
  order: z.number().optional(),
  /** Status of the order at the service: `pending`, `filled`, `failed`. */
  status: z.string().optional(),
  /** TRX, decimal. */
  price: z.string().optional(),
  /** Hash of the transaction on the chain. */
  txHash: z.string().optional(),
  /** Delivered part of the ordered energy or bandwidth. Set while an order is partly delivered. */
  delivered: z.number().optional(),
  /** Time at which the order's first delivery was reported, in epoch milliseconds. */
  deliveredAt: z.number().optional(),
  /** Fee for each transfer from now on, in TRX (decimal). */
  transferFee: z.string().optional(),
  /** Balance after the operation, in TRX (decimal). Only the receipt shows it. */
  balanceLeft: z.string().optional(),
  /** Refund of a failed order that the service reported, in TRX (decimal). */
  refunded: z.string().optional(),
  /** Time of that report, in epoch milliseconds. */
  refundedAt: z.number().optional(),
  refund: refundSearchSchema.optional(),
  /**
   * Money that came back for one of several orders, or for the operation `open` of unknown result, of which messages about
   * this order told the user. TRX, decimal.
   */
  shared: z
    .array(
      z.object({
        trx: z.string(),
        orders: z.array(z.number()),
        at: z.number(),
        open: z.string().optional(),
      }),
    )
    .optional(),
  /** Payment details of an invoice: prices are decimal, `expiresAt` is in epoch milliseconds. */
  invoice: z
    .object({
      paymentAddress: z.string(),
      priceTrx: z.string(),
      priceUsdt: z.string(),
      energy: z.number(),
      expiresAt: z.number(),
    })
    .optional(),
});

export type Result = z.infer<typeof resultSchema>;
export type InvoiceMade = NonNullable<Result['invoice']>;

/** Report of an order by the service, in an event or in its webhook logs. */
export const orderReportSchema = z.object({
  order: z.number(),
  /** Order namespace: kinds may number their orders separately. */
  namespace: z.string(),
  status: z.enum(['filled', 'failed']),
  /** Epoch milliseconds, if the report has a time. */
  at: z.number().optional(),
  /** Facts about the order, as the report has them. A fact that the report lacks is missing. */
  address: z.string().optional(),
  /** Also missing if it can't be read as a number. */
  amount: z.number().optional(),
  hours: z.string().optional(),
  price: z.string().optional(),
  /** Refund of a failed order, in TRX (decimal). */
  refunded: z.string().optional(),
  /** The report's own status field. `status` is that of its event type. */
  orderStatus: z.string().optional(),
});

export type OrderReport = z.infer<typeof orderReportSchema>;

/** Fact in which the service contradicts an order. `reported` is missing if the service doesn't name the fact. */
export const differenceSchema = z.object({
  fact: z.enum(['address', 'amount', 'hours', 'price', 'status']),
  ordered: z.string(),
  reported: z.string().optional(),
});

export type Difference = z.infer<typeof differenceSchema>;

/** Record of the service that contradicts an order, a withdrawal or an invoice made through the bot. */
export interface Contradiction {
  account: number;
  /** Order namespace, or `invoice`. */
  namespace: string;
  order: number;
  /** Id of the operation. */
  operation: string;
  difference: Difference;
}

/** Entry of one of the service's own lists. */
export interface Listed {
  id: number;
  address: string;
  status: string;
  /** TRX, decimal. `charge`: the amount with its fee, if the service names that. */
  amount?: string;
  charge?: string;
  txHash?: string | undefined;
  /** Time of creation, in epoch milliseconds. */
  at?: number;
}

/** List of the service that a request adds to or changes. The list shows the outcome of the request. */
interface Listing<Request extends OperationRequest> {
  read(reads: AccountReads): Promise<Outcome<Listed[]>>;
  /** Returns why the request must not be sent, given the list right before it. */
  obstacle(request: Request, listed: readonly Listed[]): 'gone' | 'unchanged' | 'listed' | undefined;
  /**
   * Returns the possible results that the list proves. `before`: ids on the list right before the request, if known.
   * `sentAt`: time of the request, in epoch milliseconds.
   */
  proofs(
    request: Request,
    listed: readonly Listed[],
    sent: { before: readonly number[] | undefined; sentAt: number },
  ): Result[];
  /**
   * Returns in which fact the entry of a completed request contradicts it. Set if the list shows the status of such
   * requests.
   */
  difference?(request: Request, entry: Listed): Difference | undefined;
  /** Returns the name of the target that other operations of the account must not change at the same time. */
  lock(request: Request): string;
}

/** Fees of a subscription that the service named, in TRX (decimal). */
export interface NamedFees {
  daily?: string | undefined;
  /** Whole fee of a transfer, without and with BW Guarantee. */
  transfer?: string | undefined;
  guaranteedTransfer?: string | undefined;
}

/** Choice on a card before its confirmation. */
export interface CardOption {
  label: string;
  /** One to 20 letters and digits. */
  value: string;
  isChosen: boolean;
}

/** Variables of a text with the end of a rental: epoch seconds, and Telegram's format and our text for that time. */
export type UntilVariables = Record<'unix' | 'format' | 'at', string>;

/** Parts of a card that differ between kinds. Each is the text `{name}-{part}`. All other texts are shared. */
export type KindText = 'truth' | 'going' | 'done' | 'refused' | 'likely' | 'again' | 'anyway' | 'filter';

/**
 * Kind of operation: its request, how to send it, how to find its outcome, and its texts.
 *
 * To add a kind, add a definition like `bandwidth`, a line in `KINDS`, and its texts.
 */
export interface OperationKind<Request extends OperationRequest = OperationRequest> {
  name: Request['kind'];
  request: z.ZodObject<{ kind: z.ZodLiteral<string> }> & z.ZodType<Request>;
  /** Valid request for `SAMPLE_ADDRESS`. Tests show its card in every state and language. */
  sample: Request;
  /** Time for which the card can be confirmed, in milliseconds. */
  lifetimeMs: number;
  /** Returns the address that the request is for. */
  target(request: Request): string;
  /** Returns the duplicate key. It is equal for requests that may have the same intention, whatever their duration. */
  duplicateKey(request: Request): string;
  /** Returns a title of one line: `⚡ 65,000 energy · 1 h`. */
  title(words: Words, request: Request): string;
  /** Text of the line with the target. Default: `operation-address`. */
  targetText?: TextKey;
  /** Returns a short title for tables, as plain text without an emoji: `65,000 energy`. */
  shortTitle(words: Words, request: Request): string;
  /** Sends the only request that moves money. `code`: the one-time code, if the request needs one. */
  send(
    rental: RentalCalls,
    apiKey: string,
    request: Request,
    code: string | undefined,
  ): Promise<Outcome<Result>>;
  /** Sends the request on the operator account, which accepts no other requests. */
  asOperator?(invoices: OperatorInvoices, request: Request): Promise<Outcome<Result>>;
  /** Set if the request moves no money. A lost reply then counts as *not made*, and the user may repeat the request. */
  isSafeToRepeat?: true;
  /** Set if another module tracks the result. */
  isTrackedElsewhere?: true;
  /** Returns whether that module shows the result in the receipt's message, which then isn't a receipt any more. */
  isShownElsewhere?(request: Request): boolean;
  /** Returns whether the user must enter a one-time code after *Confirm*. */
  needsCode?(request: Request): boolean;
  /** Time in which the service accepts no further such request of the account, in milliseconds. */
  cooldownMs?: number;
  /** Returns why the request isn't sent with the balance right before it. `shown`: the balance on the card. */
  balanceObstacle?(
    request: Request,
    balance: { shown: string | undefined; now: string },
  ): 'balance' | undefined;
  /**
   * Returns the amount that leaves the account, in TRX (decimal). Such a request is never allowed on the operator
   * account, and all account holders are notified. If it needs no one-time code, the address must have been announced
   * to them, and a daily limit applies.
   */
  withdrawalAmount?(request: Request): string;
  /** Returns whether the request causes ongoing costs. It is then never allowed on the operator account. */
  causesOngoingCosts?(request: Request): boolean;
  /** Returns what a completed operation has changed, instead of its charge and status, as Telegram HTML. */
  receipt?(
    words: Words,
    request: Request,
    result: Result,
    attempt: { balanceBefore?: string | undefined },
  ): string;
  /** Returns what the user can do with a delivered order until the end of its time, as Telegram HTML. */
  delivered?(words: Words, request: Request, until: UntilVariables): string;
  /** Returns the kind's own text for a status. */
  statusText?(status: string): TextKey | undefined;
  /** Order namespace of the results. Orders of different namespaces are different, even if their numbers are equal. */
  namespace?: string;
  /** Parses an event as a report of one of the kind's orders. Events that name no amount may be about any kind. */
  report?(event: RentalEvent): OrderReport | undefined;
  /** Set if an equal report is strong evidence for a request, unless its order belongs to another operation. */
  isProvenByReports?: true;
  /** Returns the ordered energy or bandwidth. */
  orderedAmount?(request: Request): number;
  /**
   * Reads what the card promises, such as an offer's price, right before the request. `changed` refuses the request, and
   * so does a failed read. Unlike {@link listing}, it proves no outcome.
   */
  preflight?(reads: AccountReads, request: Request): Promise<Outcome<'changed' | 'unchanged'>>;
  /**
   * Returns the price by a list of prices, in TRX (decimal). If it rose since the card was shown, the request is refused.
   * An unread list refuses nothing.
   */
  listedPrice?(request: Request, prices: Prices): string | undefined;
  /** List of the service that the request is about. */
  listing?: Listing<Request>;
  /** Returns what the price is proportional to, so that the last price gives an estimate for the next one. */
  priced?(request: Request): { amount: number; hours: number } | undefined;
  /** Returns for how many hours the request rents something. */
  rentedHours?(request: Request): number;
  /** Returns the rented energy. A transfer without it burns TRX. */
  rentedEnergy?(request: Request): number;
  /** Returns whether another person pays for the result. The card then has no saving and nothing that can't be undone. */
  isPaidByOther?(request: Request): boolean;
  /** Returns whether the request itself costs nothing. */
  isFree?(request: Request): boolean;
  /**
   * Returns whether the button that makes the request also confirms it, so that no card is shown. Only for requests that
   * cost nothing and can be undone.
   */
  isConfirmedByItsButton?(request: Request): boolean;
  /** Returns whether the request only ends costs. Suspended users may confirm it, and everyone during maintenance. */
  onlyEndsCosts?(request: Request): boolean;
  /** Returns the fees that the service named in its reply. The bot remembers them for later cards. */
  namedFees?(request: Request, result: Result): NamedFees | undefined;
  /** Button on the receipt that opens the list which the request has changed. */
  listButton?: { text: TextKey; data: string };
  /** Returns the label of the button that repeats a completed operation, if it isn't the text `again`. */
  oneMore?(request: Request): TextKey | undefined;
  /** Returns the label of *Confirm*, if it is another one. */
  confirmLabel?(request: Request): TextKey | undefined;
  /** Returns the choices on the card. Each replaces the draft of the message by one with another request. */
  options?(words: Words, request: Request): CardOption[][];
  /** Returns the request with what a typed text changes, such as `131k 24h`. `undefined` if the text says anything else. */
  withText?(request: Request, text: string): Request | undefined;
  /** Returns why a text that names an amount or a duration can't change the request, as Telegram HTML, or `undefined`. */
  textProblem?(words: Words, text: string): string | undefined;
  /** Returns the questions that the card leads to, by the names of the flow's steps, with their buttons. */
  questions?(request: Request): Readonly<Record<string, TextKey>>;
  /** Returns the request with the option of this value, or `undefined` for an unknown one. */
  withOption?(request: Request, value: string): Request | undefined;
  /**
   * Returns further terms of *Confirm* as Telegram HTML, with the price if the request is charged. Amounts are in TRX
   * (decimal), as far as they are known.
   */
  terms?(
    words: Words,
    request: Request,
    known: { estimate?: string | undefined; balance?: string | undefined },
  ): string;
  /**
   * Returns whether the balance, in TRX (decimal) if it is known, may not cover the request. Card and receipt then offer a
   * deposit.
   */
  mayLackBalance?(request: Request, balance: string | undefined): boolean;
  /** Returns the line with the user's note, as Telegram HTML. A card that ended without a request keeps it. */
  noteLine?(words: Words, request: Request): string | undefined;
  /** Returns the headline of a request that was refused because it would change nothing, as Telegram HTML. */
  unchangedHeadline?(words: Words, request: Request): string;
  /** Returns the headline of a completed operation, if it depends on the result. */
  headline?(request: Request, result: Result): TextKey | undefined;
  /** For requests that succeed only once: the name of the resulting state, and the service's error codes for it. */
  once?: { mark(request: Request): string; codes: readonly string[] };
}

type Missing<Name extends string> = Exclude<`${Name}-${KindText}`, TextKey>;

/** Checks at compile time that every language has the texts that the kind's card needs. Returns the kind. */
export function defineKind<Name extends string, Request extends { kind: Name }>(
  kind: OperationKind<Request> &
    ([Missing<Name>] extends [never] ? { name: Name } : { name: Name; missingTexts: Missing<Name> }),
): OperationKind<Request> {
  return kind;
}

/** Returns the key of a text that {@link defineKind} has checked. */
export function kindText({ name }: Pick<OperationKind, 'name'>, part: KindText): TextKey {
  return `${name}-${part}` as TextKey;
}

/** Returns why a request is never allowed on the operator account, or `undefined`. */
export function operatorAccountRefusal(
  kind: Pick<OperationKind, 'withdrawalAmount' | 'causesOngoingCosts'>,
  request: OperationRequest,
): 'operator' | 'operator-ongoing' | undefined {
  if (kind.withdrawalAmount) return 'operator';
  return kind.causesOngoingCosts?.(request) ? 'operator-ongoing' : undefined;
}

/** All kinds of operations that the bot offers. */
export interface Kinds {
  /** All kinds, in the order of the list. */
  readonly all: readonly OperationKind[];
  /** Schema of a stored request of any kind. */
  readonly request: z.ZodType<OperationRequest>;
  /** Returns the kind of a request. Throws if it is unknown. */
  of(request: OperationRequest): OperationKind;
  /** Parses an event as order reports of all kinds that it may be about. */
  reports(event: RentalEvent): OrderReport[];
}

export function createKinds(list: readonly OperationKind[]): Kinds {
  const byName = new Map(list.map((kind) => [kind.name, kind]));
  const [first, ...others] = list.map((kind) => kind.request);
  if (first === undefined) throw new RangeError('at least one kind of operation is needed');
  return {
    all: list,
    request: z.discriminatedUnion('kind', [first, ...others]),
    of({ kind: name }) {
      const kind = byName.get(name);
      if (kind === undefined) throw new RangeError(`unknown kind of operation: ${name}`);
      return kind;
    },
    reports: (event) => list.flatMap((kind) => kind.report?.(event) ?? []),
  };
}
