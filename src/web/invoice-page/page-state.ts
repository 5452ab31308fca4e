import {
  type CheckedInvoice,
  isFinal,
  isPayable,
  shownStandingOf,
  standingOf,
} from '../../invoices/invoice.ts';

/** What a page in a browser must know to be up to date. Times are epoch milliseconds. */
export interface PageState {
  /**
   * All of the invoice's record that the page shows and that can change: another face is another page. That an invoice is
   * stale isn't a part of it, since only the page itself has the service asked.
   */
  face: string;
  /** Nothing more will come of it. */
  final: boolean;
  /** By the server, since devices' clocks may be wrong. */
  now: number;
  /** When it can't be paid any more, as long as it can. */
  endsAt?: number;
}

export function pageStateOf(invoice: CheckedInvoice, now: number): PageState {
  const standing = standingOf(invoice, now);
  const { txHash, unchecked, status } = invoice;
  return {
    face: [
      standing,
      ...(txHash === undefined ? [] : [txHash]),
      ...(unchecked === undefined ? [] : ['unchecked']),
      ...(standing === 'unrecognized' ? [status] : []),
    ].join(' '),
    final: isFinal(invoice),
    now,
    ...(isPayable(shownStandingOf(invoice, now)) && { endsAt: invoice.expiresAt }),
  };
}
