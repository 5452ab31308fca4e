import { z } from 'zod';
import { DAY_MS, HOUR_MS, isRecent, MINUTE_MS } from '../platform/clock.ts';

const language = z.enum(['en', 'ru']);

/** Message that shows an invoice, in the chat of its maker or of a user with its link. */
const cardSchema = z.object({
  chat: z.number(),
  language,
  /** Whether the chat's user made the invoice. */
  isForMaker: z.boolean(),
  message: z.number().optional(),
  /** The link that a payer opened was disabled since. */
  isRevoked: z.literal(true).optional(),
  /** Telegram rejected the picture. The message is a text until the picture can be added. */
  isText: z.literal(true).optional(),
  /** {@link cardFingerprint} of the card's present content. */
  fingerprint: z.string().optional(),
  /** Message id of the reply below the card that reports a change of the status. */
  followUp: z.number().optional(),
  /** Status that the user knows from the card or its follow-up. */
  notifiedStatus: z.string().optional(),
});

/** Tracked invoice (specification, section 2). Times: epoch milliseconds; prices: decimal strings. */
export const invoiceSchema = z.object({
  /** Id and user of the operation that made the invoice. */
  id: z.string(),
  user: z.number(),
  /** Account at the rental service; `OPERATOR_ACCOUNT` for the operator's. */
  account: z.number(),
  /** Invoice number at the service. */
  number: z.number(),
  paymentAddress: z.string(),
  address: z.string(),
  energy: z.number(),
  transfers: z.number().optional(),
  hours: z.number(),
  priceTrx: z.string(),
  priceUsdt: z.string(),
  language,
  /** The invoice is for another person to pay. `note` is a text for that person. */
  shared: z.boolean(),
  note: z.string().optional(),
  /** Service's status: `pending`, `paid`, `delegated`, `expired`, `failed`, undocumented, or empty. */
  status: z.string(),
  /** Delivered energy, if it is less than `energy`. */
  delivered: z.number().optional(),
  txHash: z.string().optional(),
  /** Time at which the bot learned of the invoice. The service doesn't report its creation time. */
  createdAt: z.number(),
  expiresAt: z.number(),
  paidAt: z.number().optional(),
  /** Time at which the payment was first stored. The figures count it on this day. */
  countedAt: z.number().optional(),
  delegatedAt: z.number().optional(),
  openedAt: z.number().optional(),
  /** Token of the share link, sealed for the maker. Missing before sharing and after revocation. */
  share: z.string().optional(),
  /** The bot can't check the invoice because no known key opens its account. Never set on a final invoice. */
  unchecked: z.literal(true).optional(),
  /** Times of the last poll and of the last successful one. */
  askedAt: z.number().optional(),
  checkedAt: z.number().optional(),
  /** Polls without a response since the last one. */
  failedPolls: z.number().optional(),
  /** Time at which a user last opened or checked the invoice, or an event or a poll reported a change. */
  changeExpectedAt: z.number().optional(),
  cards: z.array(cardSchema),
  /** Chats with a payable card being sent. After a crash, such a card may not be editable. */
  sending: z.array(z.number()).optional(),
});

export type Invoice = z.infer<typeof invoiceSchema>;
export type InvoiceCard = z.infer<typeof cardSchema>;

export type InvoiceRef = Pick<Invoice, 'user' | 'id'>;

/** Time after expiry during which the service is polled for late payments, in milliseconds. */
export const TRACKED_AFTER_EXPIRY_MS = DAY_MS;

/** Maximum age of the last successful poll of an invoice that is shown as payable, in milliseconds. */
const MAX_POLL_AGE_MS = MINUTE_MS;

/** Invoice to show. `isStale`: it may have been paid since the last successful poll. */
export type CheckedInvoice = Invoice & { isStale?: boolean };

/**
 * State of an invoice as users see it.
 * - `ending`: can be paid, in the last quarter of its time.
 * - `over`: expired according to the clock or the service, and no payment is known.
 * - `partial`: paid, but less energy than ordered was delivered.
 * - `failed`: paid, but the service refunds the payment.
 * - `late`: paid after it expired.
 * - `unchecked`: no known key opens the account, and the service hasn't reported the expiry. Not payable: a second payment
 *   would be noticed too late.
 * - `unrecognized`: the service reports a status that isn't in the specification, for example `underpaid`.
 */
export type InvoiceState =
  | 'open'
  | 'ending'
  | 'over'
  | 'paid'
  | 'late'
  | 'delivered'
  | 'partial'
  | 'failed'
  | 'unchecked'
  | 'unrecognized';

export function invoiceStateOf(invoice: Invoice, now: number): InvoiceState {
  const { status, createdAt, expiresAt, paidAt, unchecked } = invoice;
  if (status === 'delegated') return invoice.delivered === undefined ? 'delivered' : 'partial';
  if (status === 'failed') return 'failed';
  if (status === 'paid') return paidAt !== undefined && paidAt > expiresAt ? 'late' : 'paid';
  if (status === 'expired') return 'over';
  if (unchecked) return 'unchecked';
  if (status !== 'pending') return 'unrecognized';
  if (now >= expiresAt) return 'over';
  return now >= expiresAt - (expiresAt - createdAt) / 4 ? 'ending' : 'open';
}

/** Returns the status for messages: the service's, or `expired` once it has reported no payment after the deadline. */
export function reportedStatus(invoice: Invoice, now: number): string {
  return displayedStateOf(invoice, now) === 'over' ? 'expired' : invoice.status;
}

/**
 * Returns whether the user of a card knows this status. A user who read of the expiry while the clock was ahead gets
 * no second message about it.
 */
export function isStatusKnown(
  { notifiedStatus }: Pick<InvoiceCard, 'notifiedStatus'>,
  status: string,
): boolean {
  return notifiedStatus === status || (notifiedStatus === 'expired' && status === 'pending');
}

/**
 * State in lists. `unreported`: the deadline is over, but the service hasn't responded since, so the invoice may have been
 * paid.
 */
export type ListedState = InvoiceState | 'unreported';

export function listedStateOf(invoice: Invoice, now: number): ListedState {
  const state = invoiceStateOf(invoice, now);
  const { status, checkedAt = 0, expiresAt } = invoice;
  return state === 'over' && status === 'pending' && checkedAt < expiresAt ? 'unreported' : state;
}

/**
 * State on cards and pages. `stale`: seems payable, but the service must be polled first. `ended`: delivered, and the
 * rental is over.
 */
export type DisplayedState = ListedState | 'stale' | 'ended';

export function displayedStateOf(invoice: CheckedInvoice, now: number): DisplayedState {
  const state = listedStateOf(invoice, now);
  if (state === 'delivered' && isRentalOver(invoice, now)) return 'ended';
  return invoice.isStale && isPayable(state) ? 'stale' : state;
}

/** State on a card. `revoked`: it could be paid, but the seller has disabled the link that the payer opened. */
export type CardState = DisplayedState | 'revoked';

/** Data beside the invoice on which a card's content depends. */
export interface CardReader {
  isForMaker: boolean;
  isRevoked?: boolean | undefined;
}

export function cardStateOf(
  invoice: CheckedInvoice,
  now: number,
  { isRevoked }: Pick<CardReader, 'isRevoked'>,
): CardState {
  return isRevoked && isPayable(invoiceStateOf(invoice, now)) ? 'revoked' : displayedStateOf(invoice, now);
}

/** Returns whether a chat isn't the maker's, and the link that it opened was disabled. */
export function isRevokedFor({ user, share, cards }: Invoice, chat: number): boolean {
  return user !== chat && (share === undefined || cards.some((one) => one.chat === chat && one.isRevoked));
}

/** Returns whether to poll before showing the invoice as payable or as over. Data before `dataSince` may lack one. */
export function needsCheck(invoice: Invoice, now: number, dataSince: number): boolean {
  // The creation counts as a poll: the service reported the invoice as pending.
  const { checkedAt = invoice.createdAt } = invoice;
  const isFresh = isRecent(checkedAt, MAX_POLL_AGE_MS, now) && checkedAt >= dataSince;
  const state = displayedStateOf(invoice, now);
  return state === 'unreported' || ((isPayable(state) || state === 'stale') && !isFresh);
}

/** Returns whether the service reports a payment. A `failed` invoice was paid, too, and is refunded. */
export function wasPaid({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'paid' || isFinal({ status });
}

/** Returns when the delivered energy ends, in epoch milliseconds; `undefined` if it isn't delivered, or unknown when. */
export function rentedUntil({ status, delegatedAt, hours }: Invoice): number | undefined {
  if (status !== 'delegated' || delegatedAt === undefined) return undefined;
  return delegatedAt + hours * HOUR_MS;
}

export function isRentalOver(invoice: Invoice, now: number): boolean {
  const until = rentedUntil(invoice);
  return until !== undefined && until <= now;
}

/** Returns whether the QR code and payment address may be shown. */
export function isPayable(state: CardState): state is 'open' | 'ending' {
  return state === 'open' || state === 'ending';
}

/** Returns the epoch milliseconds when time alone changes the state; `undefined` if only the service can. */
export function nextStateChangeAt(invoice: Invoice, now: number): number | undefined {
  const state = invoiceStateOf(invoice, now);
  const { createdAt, expiresAt } = invoice;
  if (state === 'open') return expiresAt - (expiresAt - createdAt) / 4;
  return state === 'ending' ? expiresAt : undefined;
}

/** Characters of the sealed share token that tell an invoice's links apart. */
const LINK_TAG_LENGTH = 8;

/** Returns whether an invoice that was payable isn't any more. Its card still shows payers the payment address. */
export function isPast(state: CardState): boolean {
  const past: readonly CardState[] = ['over', 'unreported', 'revoked', 'unchecked', 'unrecognized'];
  return past.includes(state);
}

/** Returns a text of everything on a card that can change. A card with the same fingerprint needs no edit. */
export function cardFingerprint(
  invoice: CheckedInvoice,
  now: number,
  { isForMaker, isRevoked }: CardReader,
): string {
  const { openedAt, share, unchecked, status, paidAt, delegatedAt, txHash = '' } = invoice;
  const state = cardStateOf(invoice, now, { isRevoked });
  return [
    state,
    txHash,
    ...(isForMaker ? [openedAt !== undefined, share?.slice(-LINK_TAG_LENGTH)] : []),
    ...(unchecked ? ['unchecked'] : []),
    ...(state === 'over' && !isTracked(invoice, now) ? ['untracked'] : []),
    ...(state === 'partial' && isRentalOver(invoice, now) ? ['rental over'] : []),
    ...(state === 'unrecognized' ? [status] : []),
    ...(isForMaker && paidAt !== undefined ? [paidAt] : []),
    ...(isForMaker && delegatedAt !== undefined ? [delegatedAt] : []),
  ].join(' ');
}

/** Returns a fingerprint that no content has, of a card that shows the same state. The card is edited once more. */
export function outdatedFingerprint(fingerprint: string): string {
  return shownState(fingerprint);
}

function shownState(fingerprint: string | undefined): CardState {
  return fingerprint?.split(' ')[0] as CardState;
}

export function hasQrCode(fingerprint: string | undefined): boolean {
  return isPayable(shownState(fingerprint));
}

/** Returns whether a card shows the same QR code as the invoice's card does now. A maker's code may contain the link. */
export function keepsQrCode(
  invoice: CheckedInvoice,
  now: number,
  card: CardReader & Pick<InvoiceCard, 'fingerprint'>,
): boolean {
  const linkOf = (fingerprint = '') => fingerprint.split(' ')[3];
  const isSameLink = linkOf(card.fingerprint) === linkOf(cardFingerprint(invoice, now, card));
  return isPayable(cardStateOf(invoice, now, card)) && hasQrCode(card.fingerprint) && isSameLink;
}

/**
 * Returns whether a card shows the deadline as over although the invoice can be paid, because the clock was ahead for a
 * while, or as unreported although the service has responded since.
 */
export function isWronglyExpired(invoice: Invoice, now: number): boolean {
  const state = displayedStateOf(invoice, now);
  return invoice.cards.some(({ fingerprint }) => {
    const shown = shownState(fingerprint);
    return shown === 'unreported' ? state !== shown : shown === 'over' && isPayable(state);
  });
}

export function isFinal({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'delegated' || status === 'failed';
}

/** Returns whether the invoice may still change, so that the service is polled for it. */
export function isTracked(invoice: Pick<Invoice, 'status' | 'expiresAt'>, now: number): boolean {
  return !isFinal(invoice) && now < invoice.expiresAt + TRACKED_AFTER_EXPIRY_MS;
}
