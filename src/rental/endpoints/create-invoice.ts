import { z } from 'zod';
import { ENERGY_PER_TRANSFER, INVOICE_TRANSFERS_MAX, INVOICE_TRANSFERS_MIN, PER_MINUTE } from '../limits.ts';
import { Invoice } from '../resources/invoice.ts';
import type { Endpoint } from './endpoint.ts';
import { energyAmount, energyDuration, targetAddress } from './request-fields.ts';

const InvoiceRequest = z
  .object({
    address: targetAddress,
    energy_amount: energyAmount.optional(),
    transfer_count: z.int().min(INVOICE_TRANSFERS_MIN).max(INVOICE_TRANSFERS_MAX).optional(),
    duration_hours: energyDuration,
  })
  .refine(
    ({ energy_amount, transfer_count }) => (energy_amount === undefined) !== (transfer_count === undefined),
    { path: ['energy_amount'], message: 'either energy_amount or transfer_count' },
  );

export type InvoiceRequest = z.infer<typeof InvoiceRequest>;

/** Charges nothing, but its kind is `money`, because payers rely on an invoice that matches the request. */
export const createInvoice: Endpoint<InvoiceRequest, Invoice> = {
  name: 'createInvoice',
  kind: 'money',
  method: 'POST',
  path: '/invoices',
  perMinute: PER_MINUTE.createInvoice,
  request: InvoiceRequest,
  response: Invoice,
  echoes: (asked, invoice) =>
    invoice.address === asked.address &&
    invoice.energy_amount === (asked.energy_amount ?? (asked.transfer_count ?? 0) * ENERGY_PER_TRANSFER) &&
    invoice.duration_hours === asked.duration_hours,
};
