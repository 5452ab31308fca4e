import type { InvoiceLinks } from './card.ts';
import type { Invoice } from './invoice.ts';
import type { Shares } from './shares.ts';

/** Where the page of an invoice is, below the public address. */
export const PAGES_PATH = '/i';

/** Where others open an invoice; nowhere without a token. */
export function createInvoiceLinks(deps: {
  tokenOf: Shares['tokenOf'];
  /** Known once Telegram was reached. */
  botName: () => string;
  publicUrl: string | undefined;
}): (invoice: Invoice) => InvoiceLinks {
  const { tokenOf, botName, publicUrl } = deps;
  return (invoice) => {
    const token = tokenOf(invoice);
    if (token === undefined) return undefined;
    const page = publicUrl === undefined ? {} : { page: `${publicUrl}${PAGES_PATH}/${token}` };
    return { token, chat: `https://t.me/${botName()}?start=invoice-${token}`, ...page };
  };
}
