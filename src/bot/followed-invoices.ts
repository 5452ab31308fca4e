import { type Invoice, standingOf } from '../invoices/invoice.ts';
import type { Words } from '../texts/texts.ts';
import { lines } from '../texts/view.ts';

/** A message names no more of them. */
const MOST = 5;

/** Invoices of which something may still come, the first few by name: what is lost with the key that they are looked at by. */
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
