import type { Rental } from './client.ts';
import type { InvoiceRequest } from './endpoints.ts';
import type { Outcome } from './http.ts';
import type { Invoice } from './schemas.ts';

/** Account number of the operator account with its configured key. No account of the service has this number. */
export const OPERATORS = 0;

/** Invoices of the operator account. Encapsulates its key: other code can only create and read invoices. */
export interface OperatorInvoices {
  /** Endpoint 4. Sent at most once. */
  create(request: InvoiceRequest): Promise<Outcome<Invoice>>;
  /** Endpoint 5. */
  read(invoiceId: number): Promise<Outcome<Invoice>>;
}

export function createOperatorInvoices({
  rental,
  operatorKey,
}: {
  rental: Pick<Rental, 'createInvoice' | 'invoice'>;
  operatorKey: string;
}): OperatorInvoices {
  return {
    create: (request) => rental.createInvoice(operatorKey, request),
    read: (invoiceId) => rental.invoice(operatorKey, invoiceId),
  };
}
