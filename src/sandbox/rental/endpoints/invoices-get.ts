import { get } from '../endpoint.ts';
import { invoiceRecord } from '../invoice.ts';

export const invoicesGet = get('/invoices/{invoice_id}', ({ account, parts, params }) =>
  invoiceRecord(parts.invoices.find(params.invoice_id, account)),
);
