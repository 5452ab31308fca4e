import { z } from 'zod';

const language = z.enum(['en', 'ru']);

/** Message that shows an invoice, in the chat of the user who made it or of a user with its link. */
const cardSchema = z.object({
  chat: z.number(),
  language,
  /** Whether the chat is that of the user who made the invoice. */
  own: z.boolean(),
  message: z.number().optional(),
  /** Telegram rejected the picture. The message is a text until the picture can be added. */
  isText: z.literal(true).optional(),
  /** Face of the shown card: {@link faceOf} at that time. */
  shown: z.string().optional(),
  /** `news`: message id of the short reply below the card. `told`: status that the reply reports. */
  news: z.number().optional(),
  told: z.string().optional(),
  /** Status whose reply was sent once, without a response from Telegram. */
  perhapsTold: z.string().optional(),
});

/**
 * Invoice of the service, as tracked by this bot (specification, section 2). Times are epoch milliseconds, prices
 * decimal strings.
 */
export const invoiceSchema = z.object({
  /** Id and user of the operation that made the invoice. */
  id: z.string(),
  user: z.number(),
  /** Account at the rental service; `OPERATORS` for the operator's. */
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
  /**
   * Status from the service: `pending`, `paid`, `delegated`, `expired`, `failed` or an undocumented one; empty if
   * missing.
   */
  status: z.string(),
  txHash: z.string().optional(),
  /** Time at which the bot learned of the invoice. The service's response doesn't contain its creation time. */
  createdAt: z.number(),
  expiresAt: z.number(),
  paidAt: z.number().optional(),
  delegatedAt: z.number().optional(),
  /** Time at which a person first opened the link. */
  openedAt: z.number().optional(),
  /** Token of the link, sealed for the user who made the invoice. Missing before sharing and after revocation. */
  share: z.string().optional(),
  /** The bot can't check the invoice because no known key opens its account. Never set on a final invoice. */
  unchecked: z.literal(true).optional(),
  /** Times of the last request to the service and of the last successful one. */
  askedAt: z.number().optional(),
  checkedAt: z.number().optional(),
  /** Number of requests to the service since a change was last expected or seen. */
  looks: z.number(),
  cards: z.array(cardSchema),
  /**
   * Chats to which a payable card is being sent, until its message id is recorded. After a crash such a chat may have a card
   * that can't be edited.
   */
  sending: z.array(z.number()).optional(),
});

export type Invoice = z.infer<typeof invoiceSchema>;
export type InvoiceCard = z.infer<typeof cardSchema>;

/** User and id of an invoice: enough to find it. */
export type InvoiceRef = Pick<Invoice, 'user' | 'id'>;

/** Time after expiry during which late payments are still tracked, in milliseconds. */
export const FOLLOWED_MS = 24 * 3600_000;

/** Maximum age of the service's last response for an invoice that is shown as payable, in milliseconds. */
const FRESH_MS = 60_000;

/** Invoice to show. `isStale`: it may have been paid since the service's last response. */
export type CheckedInvoice = Invoice & { isStale?: true };

/**
 * State of an invoice as users see it.
 *
 * - `open`: can be paid. `ending`: can be paid, in the last quarter of its time.
 * - `over`: expired according to the clock or the service, and no payment is known.
 * - `paid`, `delivered`, `failed`: as the service reports. `failed` means that the service refunds the payment.
 * - `late`: paid after it expired.
 * - `unchecked`: the service can't be asked whether it is paid. Not payable, because a second payment would be noticed
 *   too late.
 * - `unrecognized`: the service reports a status that isn't in the specification, for example `underpaid`.
 */
export type InvoiceStanding =
  | 'open'
  | 'ending'
  | 'over'
  | 'paid'
  | 'late'
  | 'delivered'
  | 'failed'
  | 'unchecked'
  | 'unrecognized';

export function standingOf(invoice: Invoice, now: number): InvoiceStanding {
  const { status, createdAt, expiresAt, paidAt, unchecked } = invoice;
  if (status === 'delegated') return 'delivered';
  if (status === 'failed') return 'failed';
  if (status === 'paid') return paidAt !== undefined && paidAt > expiresAt ? 'late' : 'paid';
  if (unchecked) return 'unchecked';
  if (status !== 'pending' && status !== 'expired') return 'unrecognized';
  if (status === 'expired' || now >= expiresAt) return 'over';
  return now >= expiresAt - (expiresAt - createdAt) / 4 ? 'ending' : 'open';
}

/** `stale`: seems payable, but must first be checked at the service. */
export type ShownStanding = InvoiceStanding | 'stale';

/** Returns the state that cards and pages show. */
export function shownStandingOf(invoice: CheckedInvoice, now: number): ShownStanding {
  const standing = standingOf(invoice, now);
  return invoice.isStale && isPayable(standing) ? 'stale' : standing;
}

/**
 * Returns whether the invoice must be checked at the service before it is shown as payable. `dataSince`: data stored
 * before this time may lack a payment.
 */
export function needsCheck(invoice: Invoice, now: number, dataSince: number): boolean {
  // The creation counts as a check: the service reported the invoice as pending.
  const { checkedAt = invoice.createdAt } = invoice;
  const isFresh = now - checkedAt < FRESH_MS && checkedAt >= dataSince;
  return isPayable(standingOf(invoice, now)) && !isFresh;
}

/** Returns whether the service reports a payment. A `failed` invoice was paid too; its payment is refunded. */
export function wasPaid({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'paid' || isFinal({ status });
}

/** Returns whether the QR code and payment address may be shown. */
export function isPayable(standing: ShownStanding): standing is 'open' | 'ending' {
  return standing === 'open' || standing === 'ending';
}

/** Returns when time alone changes the state, in epoch milliseconds; `undefined` if only the service can change it. */
export function nextStandingAt(invoice: Invoice, now: number): number | undefined {
  const standing = standingOf(invoice, now);
  const { createdAt, expiresAt } = invoice;
  if (standing === 'open') return expiresAt - (expiresAt - createdAt) / 4;
  return standing === 'ending' ? expiresAt : undefined;
}

/** Returns everything on a card that can change, as text. A card that shows the same face needs no edit. */
export function faceOf(invoice: CheckedInvoice, now: number, { own }: Pick<InvoiceCard, 'own'>): string {
  const { openedAt, share, unchecked, status } = invoice;
  const standing = shownStandingOf(invoice, now);
  const seen = own ? [openedAt !== undefined, share !== undefined] : [];
  const lost = unchecked ? ['unchecked'] : [];
  const word = standing === 'unrecognized' ? [status] : [];
  return [standing, invoice.txHash ?? '', ...seen, ...lost, ...word].join(' ');
}

/** Returns whether a card with this face shows the QR code. */
export function showsCode(face: string | undefined): boolean {
  return isPayable(face?.split(' ')[0] as ShownStanding);
}

/** Returns whether the status is final. */
export function isFinal({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'delegated' || status === 'failed';
}

/** Returns whether the invoice may still change, so that the service is polled for it. */
export function isFollowed(invoice: Pick<Invoice, 'status' | 'expiresAt'>, now: number): boolean {
  return !isFinal(invoice) && now < invoice.expiresAt + FOLLOWED_MS;
}
