import type { Invoices } from '../../invoices/invoices.ts';
import type { EventHandler } from './event.ts';

/** An invoice was paid, or delivered: a hint, upon which the service is asked for it. */
export function createInvoiceEvents({ invoices }: { invoices: Pick<Invoices, 'heard'> }): EventHandler {
  return {
    types: ['invoice.paid', 'invoice.delegated'],
    async handle(account, { data: { invoice_id: number } }) {
      if (typeof number === 'number' && Number.isSafeInteger(number)) await invoices.heard(account, number);
    },
  };
}
