import { z } from 'zod';
import type { RentalEvent } from '../rental-api/webhook.ts';

/** Received event, as stored until it is handled. */
export const arrivalSchema = z.object({
  account: z.number(),
  event: z.object({
    type: z.string(),
    id: z.string(),
    at: z.string().optional(),
    order: z.object({ order_id: z.number(), address: z.string(), energy_amount: z.number() }).optional(),
    data: z.record(z.string(), z.unknown()),
  }),
  /** Sent by the service, or found in its log. */
  how: z.enum(['sent', 'logged']),
  /** Epoch milliseconds. */
  cameAt: z.number(),
  tries: z.number(),
  /** Random value that makes simultaneous copies differ, so that only one is stored as new. */
  nonce: z.string(),
});

export type Arrival = z.infer<typeof arrivalSchema>;

/** Handler of a type of service events. To add one, define it in `handlers.ts` and add it to `createEventTypes`. */
export interface EventType {
  /** Returns whether this handler is responsible for events of this type (specification, section 6). */
  hears(type: string): boolean;
  /**
   * Handles an event that arrived with a valid signature or was found in the service's log. Amounts and results in it
   * are only hints: handlers read the facts from the service. Safe to repeat: failed calls are retried, and events may
   * arrive out of order.
   */
  heard(account: number, event: RentalEvent, how: Arrival['how']): Promise<unknown>;
  /** Handles an event that is in the service's own log, so that its content may be shown to users. Safe to repeat. */
  logged?(account: number, event: RentalEvent): Promise<unknown>;
}
