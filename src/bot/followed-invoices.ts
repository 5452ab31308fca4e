import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import { type Invoice, standingOf } from '../invoices/invoice.ts';

/** Maximum number of invoices listed in one message. */
const MOST = 5;

/**
 * Returns a warning about invoices that can no longer be checked once the account's key is gone, with the first few by
 * number. Returns `false` if there are none.
 */
export function followedInvoices(
  words: Words,
  invoices: readonly Invoice[],
  { about, now }: { about: 'unlink' | 'replace'; now: number },
): string | false {
  const count = invoices.length;
  if (count === 0) return false;
  return lines(
    words.html('unlink-invoices', { about, count }),
    ...invoices
      .slice(0, MOST)
      .map((one) =>
        [
          words.html(`invoices-${standingOf(one, now)}`),
          words.html('unlink-invoice', { number: String(one.number), price: one.priceTrx }),
        ].join(' · '),
      ),
    count > MOST && words.html('unlink-invoices-more', { count: count - MOST }),
    words.html('unlink-invoices-after', { about }),
  );
}
