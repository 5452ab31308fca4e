import type { z } from 'zod';
import type { Rental } from '../../rental/client.ts';
import type { Outcome } from '../../rental/outcome.ts';

/** What operations need of the rental service; a further kind adds the request that it sends. */
export type OperationsRental = Pick<Rental, 'profile' | 'webhookLogs' | 'buyEnergy'>;

/** What a money operation brought, as far as it is known. */
export interface Result {
  /** The service's number of the order. */
  order?: number | undefined;
  /** The service's word for how the order stands: `pending`, `filled`, `failed`. */
  status?: string | undefined;
  /** TRX, decimal. */
  price?: string | undefined;
}

/** The service's report of an order, in an event or in its webhook logs. */
export interface OrderReport {
  order: number;
  status: 'filled' | 'failed';
  /** Epoch milliseconds, where the report says. */
  at?: number | undefined;
  address?: string | undefined;
  energyAmount?: number | undefined;
}

/** A kind of operation: what is asked, how it is sent, and what would prove that it was carried out. */
export interface OperationKind<Request> {
  request: z.ZodType<Request>;
  /** How long its card may be confirmed. */
  lifetimeMs: number;
  /** The one request that moves money. */
  send(rental: OperationsRental, apiKey: string, request: Request): Promise<Outcome<Result>>;
  /** Whether a report of an order that nobody else claims is strong evidence for this request. */
  fits(request: Request, report: OrderReport): boolean;
}
