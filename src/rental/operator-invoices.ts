import type { Rental } from './client.ts';
import type { InvoiceRequest } from './endpoints/create-invoice.ts';
import type { Outcome } from './outcome.ts';
import type { Invoice } from './resources/invoice.ts';

/** In place of an account's number: the operator's, by the key that the operator gave. No account of the service has it. */
export const OPERATORS = 0;

/** All that anybody can do on the operator's account: its key is here, and nothing hands it out. */
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
