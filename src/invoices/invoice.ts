import { z } from 'zod';

const language = z.enum(['en', 'ru']);

/** A message that shows an invoice, in the chat of whoever made it or was given its link. */
const cardSchema = z.object({
  chat: z.number(),
  language,
  /** Of who made it, rather than of somebody it was shared with. */
  own: z.boolean(),
  message: z.number().optional(),
  /** Telegram didn't take the picture: the message is a text, until the picture can be added. */
  isText: z.literal(true).optional(),
  /** What it shows: {@link faceOf} at that time. */
  shown: z.string().optional(),
  /** The short reply below it, and the status that it told. */
  news: z.number().optional(),
  told: z.string().optional(),
  /** Status whose reply was sent once, without an answer of Telegram. */
  perhapsTold: z.string().optional(),
});

/**
 * An invoice of the service, as this bot follows it (specification, section 2). Times are epoch milliseconds, prices
 * decimal strings.
 */
export const invoiceSchema = z.object({
  /** The operation that made it, and whose that is. */
  id: z.string(),
  user: z.number(),
  /** Of the rental service; `OPERATORS` where it is the operator's. */
  account: z.number(),
  /** The service's number. */
  number: z.number(),
  paymentAddress: z.string(),
  address: z.string(),
  energy: z.number(),
  transfers: z.number().optional(),
  hours: z.number(),
  priceTrx: z.string(),
  priceUsdt: z.string(),
  language,
  /** Made for somebody else to pay, with a line for them. */
  shared: z.boolean(),
  note: z.string().optional(),
  /** The service's word: `pending`, `paid`, `delegated`, `expired`, `failed` or an undocumented one; empty if it sent none. */
  status: z.string(),
  txHash: z.string().optional(),
  /** When this bot knew of it: the service's answer to the request names no time. */
  createdAt: z.number(),
  expiresAt: z.number(),
  paidAt: z.number().optional(),
  delegatedAt: z.number().optional(),
  /** When somebody first opened its link, as people do. */
  openedAt: z.number().optional(),
  /** The token of its link, sealed for who made it; none until it is shared, or once that was revoked. */
  share: z.string().optional(),
  /** The service can't be asked for it: nobody's key opens the account that it was made on. Never of one that is final. */
  unchecked: z.literal(true).optional(),
  /** Time of the last request to the service, and of the last one that it answered. */
  askedAt: z.number().optional(),
  checkedAt: z.number().optional(),
  /** How often the service was asked for it since something was last expected of it. */
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

/** Whose invoice, and which: enough to find it again. */
export type InvoiceRef = Pick<Invoice, 'user' | 'id'>;

/** A payment that comes late is still followed for so long. */
export const FOLLOWED_MS = 24 * 3600_000;

/** An invoice is shown as payable only if the service answered for it within this time. */
const FRESH_MS = 60_000;

/** An invoice to show. `isStale`: it may have been paid since the service last answered for it. */
export type CheckedInvoice = Invoice & { isStale?: true };

/**
 * How it stands for who looks at it.
 *
 * - `open`: it can be paid; `ending`: in the last quarter of its time.
 * - `over`: its time is over, as far as the clock or the service says; nothing came in that the service told of.
 * - `paid`, `delivered`, `failed`: as the service says; `failed` means that it gives the money back.
 * - `late`: it was paid although its time was over.
 * - `unchecked`: nobody knows whether it is paid, since the service can't be asked: who paid it twice would see it too late.
 * - `unrecognized`: the service reports a status that the specification doesn't name, for example `underpaid`.
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

/** `stale`: looks payable, but must be checked with the service first. */
export type ShownStanding = InvoiceStanding | 'stale';

/** Returns what cards and pages show. */
export function shownStandingOf(invoice: CheckedInvoice, now: number): ShownStanding {
  const standing = standingOf(invoice, now);
  return invoice.isStale && isPayable(standing) ? 'stale' : standing;
}

/**
 * Whether the service must be asked before the invoice is shown as payable. `dataSince`: what was stored before then may
 * lack a payment.
 */
export function needsCheck(invoice: Invoice, now: number, dataSince: number): boolean {
  // The service answered that it is pending when it was created.
  const { checkedAt = invoice.createdAt } = invoice;
  const isFresh = now - checkedAt < FRESH_MS && checkedAt >= dataSince;
  return isPayable(standingOf(invoice, now)) && !isFresh;
}

/** Whether the service reports a payment. A `failed` invoice was paid too; its payment is given back. */
export function wasPaid({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'paid' || isFinal({ status });
}

/** Whether its code and payment address may be shown. */
export function isPayable(standing: ShownStanding): standing is 'open' | 'ending' {
  return standing === 'open' || standing === 'ending';
}

/** When it will stand otherwise by itself; `undefined` where only the service can tell. */
export function nextStandingAt(invoice: Invoice, now: number): number | undefined {
  const standing = standingOf(invoice, now);
  const { createdAt, expiresAt } = invoice;
  if (standing === 'open') return expiresAt - (expiresAt - createdAt) / 4;
  return standing === 'ending' ? expiresAt : undefined;
}

/** All that its cards show and that can change: cards that show the same face need no edit. */
export function faceOf(invoice: CheckedInvoice, now: number, { own }: Pick<InvoiceCard, 'own'>): string {
  const { openedAt, share, unchecked, status } = invoice;
  const standing = shownStandingOf(invoice, now);
  const seen = own ? [openedAt !== undefined, share !== undefined] : [];
  const lost = unchecked ? ['unchecked'] : [];
  const word = standing === 'unrecognized' ? [status] : [];
  return [standing, invoice.txHash ?? '', ...seen, ...lost, ...word].join(' ');
}

/** Whether a card with this face, where there is one, shows the code to be scanned. */
export function showsCode(face: string | undefined): boolean {
  return isPayable(face?.split(' ')[0] as ShownStanding);
}

/** Nothing more will come of it. */
export function isFinal({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'delegated' || status === 'failed';
}

/** Something may still come of it, and the service is asked for it as long as that can be. */
export function isFollowed(invoice: Pick<Invoice, 'status' | 'expiresAt'>, now: number): boolean {
  return !isFinal(invoice) && now < invoice.expiresAt + FOLLOWED_MS;
}
