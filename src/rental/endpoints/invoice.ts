import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { Invoice } from '../resources/invoice.ts';
import type { Endpoint } from './endpoint.ts';
import { pathId } from './request-fields.ts';

const InvoiceChoice = z.object({ invoice_id: pathId });

export const invoice: Endpoint<z.infer<typeof InvoiceChoice>, Invoice> = {
  name: 'invoice',
  kind: 'read',
  method: 'GET',
  path: '/invoices/{invoice_id}',
  perMinute: PER_MINUTE.others,
  request: InvoiceChoice,
  response: Invoice,
};
