import {
  type CheckedInvoice,
  isFinal,
  isPayable,
  shownStandingOf,
  standingOf,
} from '../../invoices/invoice.ts';

/** State of an invoice that a page polls or receives by stream. Times are epoch milliseconds. */
export interface PageState {
  /**
   * Fingerprint of the invoice's fields that the page shows and that can change. If it differs, the page has to be reloaded.
   * Doesn't include staleness, because only loading the page checks the invoice with the service.
   */
  face: string;
  /** Whether the invoice can't change any more. */
  final: boolean;
  /** Time of the server, because clocks of devices may be wrong. */
  now: number;
  /** Deadline of the payment. Undefined if the invoice can't be paid any more. */
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
