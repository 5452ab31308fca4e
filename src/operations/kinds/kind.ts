import type { z } from 'zod';
import type { TextKey } from '../../i18n/keys.ts';
import type { Words } from '../../i18n/texts.ts';
import type { Rental } from '../../rental-api/client.ts';
import type { Outcome } from '../../rental-api/http.ts';
import type { OperatorInvoices } from '../../rental-api/operator-invoices.ts';
import type { RentalEvent } from '../../rental-api/webhook.ts';

/** What is asked of the service, as it is stored: the kind's name and what its schema says. */
export interface OperationRequest {
  kind: string;
}

/** What a money operation brought, as far as it is known. */
export interface Result {
  /** The service's number of the order. */
  order?: number | undefined;
  /** The service's word for how the order stands: `pending`, `filled`, `failed`. */
  status?: string | undefined;
  /** TRX, decimal. */
  price?: string | undefined;
  /** Of the transaction on the chain. */
  txHash?: string | undefined;
  /** TRX, decimal: what each transfer costs from now on. */
  transferFee?: string | undefined;
  invoice?: InvoiceMade | undefined;
}

/** Where an invoice is to be paid, how much of either currency, decimal, for how much energy; until when, in epoch milliseconds. */
export interface InvoiceMade {
  paymentAddress: string;
  priceTrx: string;
  priceUsdt: string;
  energy: number;
  expiresAt: number;
}

/** The service's report of an order, in an event or in its webhook logs. */
export interface OrderReport {
  order: number;
  /** Whose order numbers. */
  numbering: string;
  status: 'filled' | 'failed';
  /** Epoch milliseconds, where the report says. */
  at?: number | undefined;
  address?: string | undefined;
  amount?: number | undefined;
}

/** A record of one of the service's own lists. */
export interface Listed {
  id: number;
  address: string;
  status: string;
  /** TRX, decimal. */
  amount?: string;
  txHash?: string | undefined;
  /** Epoch milliseconds: when it was made. */
  at?: number;
}

/** For requests that add to a list of the service, or change it: the list itself tells how they stand. */
export interface Listing<Request extends OperationRequest> {
  read(rental: Rental, apiKey: string): Promise<Outcome<Listed[]>>;
  /** Why nothing is to be asked, by the list as it is right before the request. */
  obstacle(request: Request, listed: readonly Listed[]): 'gone' | 'unchanged' | 'listed' | undefined;
  /**
   * What the request may have come to, by what the list proves. `before` has the ids that were on it right before the
   * request, if they are known. The request was sent at `sentAt`.
   */
  proofs(
    request: Request,
    listed: readonly Listed[],
    sent: { before: readonly number[] | undefined; sentAt: number },
  ): Result[];
  /** How what was done stands now, where the list says something new; asked while its status is `pending`. */
  standing?(result: Result, listed: readonly Listed[]): Pick<Result, 'status' | 'txHash'> | undefined;
  /** What nobody else of the account changes meanwhile. */
  lock(request: Request): string;
}

/** What a kind's card says of it, each in the text `{name}-{part}`; everything else that a card says is common. */
export type KindText = 'truth' | 'going' | 'done' | 'refused' | 'likely' | 'again' | 'anyway' | 'filter';

/**
 * A kind of operation: what is asked, how it is sent, how it is known afterwards, and its words. A further kind is a
 * file like `bandwidth.ts`, a line in `kinds.ts`, and its texts.
 */
export interface OperationKind<Request extends OperationRequest = OperationRequest> {
  name: Request['kind'];
  request: z.ZodObject<{ kind: z.ZodLiteral<string> }> & z.ZodType<Request>;
  /** How long its card may be confirmed. */
  lifetimeMs: number;
  /** The address that it is for. */
  target(request: Request): string;
  /** The same for two requests that could be one intention, whatever their duration. */
  likeness(request: Request): string;
  /** What it is, in a line: `⚡ 65,000 energy · 1 hour`. */
  title(words: Words, request: Request): string;
  /** The one request that moves money; with its one-time code, where it needs one. */
  send(rental: Rental, apiKey: string, request: Request, code: string | undefined): Promise<Outcome<Result>>;
  /** The same on the operator's account, which can be asked for nothing else. */
  asOperator?(invoices: OperatorInvoices, request: Request): Promise<Outcome<Result>>;
  /** It moves no money: a lost answer counts as *not made*, and it may be made again. */
  isHarmless?: true;
  /** What was made is taken care of elsewhere from then on. */
  followUp?: true;
  /** Whether a one-time code is asked for after *Confirm*. */
  needsCode?(request: Request): boolean;
  /** So long after one such request of an account the service takes no other, in milliseconds. */
  restMs?: number;
  /** Why it isn't sent with the balance as it is right before the request; `shown` is what the card said. */
  balanceObstacle?(
    request: Request,
    balance: { shown: string | undefined; now: string },
  ): 'balance' | undefined;
  /**
   * TRX, decimal, that it takes out of the account: never the operator's, and everybody who holds the account is told of it.
   * Where it needs no code, the address must have been announced to them, and a day's cap holds.
   */
  takesOut?(request: Request): string;
  /** What it asks for goes on costing by itself, which no cap would hold: never on the operator's account. */
  isOngoing?(request: Request): boolean;
  /** How it stands, in words of its own. */
  statusText?(status: string): TextKey | undefined;
  /** Whose order numbers its results carry: orders of two numberings never meet, however they are numbered. */
  numbering?: string;
  /** Reads the report of one of its orders out of an event. */
  report?(event: RentalEvent): OrderReport | undefined;
  /** Whether a report of an order that nobody else claims is strong evidence for this request. */
  fits?(request: Request, report: OrderReport): boolean;
  /** The list that the request is about. */
  listing?: Listing<Request>;
  /** What its price is in proportion to, so that the last order tells about the next. */
  priced?(request: Request): { amount: number; hours: number; variant?: string } | undefined;
  /** Whether the request by itself costs nothing. */
  isFree?(request: Request): boolean;
  /** What one more of what was done is called, where that isn't its text `again`. */
  oneMore?(request: Request): TextKey | undefined;
  /** What else *Confirm* agrees to, in Telegram's HTML; amounts of TRX, decimal, as far as they are known. */
  terms?(
    words: Words,
    request: Request,
    known: { estimate?: string | undefined; balance?: string | undefined },
  ): string;
  /** Its headline once it is done, where that depends on what came of it. */
  headline?(request: Request, result: Result): TextKey | undefined;
  /** For what succeeds once for all: a name for what is then so, and the codes by which the service says that it is. */
  once?: { mark(request: Request): string; codes: readonly string[] };
}

type Missing<Name extends string> = Exclude<`${Name}-${KindText}`, TextKey>;

/** Checks when it is compiled that every language has the texts that the kind's card needs. */
export function defineKind<Name extends string, Request extends { kind: Name }>(
  kind: OperationKind<Request> &
    ([Missing<Name>] extends [never] ? { name: Name } : { name: Name; missingTexts: Missing<Name> }),
): OperationKind<Request> {
  return kind;
}

/** The key of one of the texts that {@link defineKind} has checked. */
export function kindText(kind: OperationKind, part: KindText): TextKey {
  return `${kind.name}-${part}` as TextKey;
}
