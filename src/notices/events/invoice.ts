import type { Invoices } from '../../invoices/invoices.ts';
import { recordId } from '../../rental/resources/fields.ts';
import type { EventType } from './event.ts';

/** An invoice was paid, or delivered: a hint, upon which the service is asked for it. */
export function createInvoiceEvents({ invoices }: { invoices: Pick<Invoices, 'heard'> }): EventType {
  return {
    hears: (type) => type.startsWith('invoice.'),
    async heard(account, { data }) {
      const number = recordId.safeParse(data.invoice_id).data;
      if (number !== undefined) await invoices.heard(account, number);
    },
  };
}
