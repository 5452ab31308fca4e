import { z } from 'zod';
import type { RentalEvent } from '../rental-api/webhook.ts';

/** An event that came in, and what is still to be made of it. */
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
  /** Of copies that come at once one is the first. */
  nonce: z.string(),
});

export type Arrival = z.infer<typeof arrivalSchema>;

/** What an event of the service means here. A further type is a file like `deposit.ts` and a line in `events.ts`. */
export interface EventType {
  /** Whether events of this type are its own (specification, section 6). */
  hears(type: string): boolean;
  /**
   * It came in, signed, or was found in the service's log. What it says of money is a hint, upon which the service is asked. Safe to repeat: what failed is
   * done again, and what comes first may have been said later.
   */
  heard(account: number, event: RentalEvent, how: Arrival['how']): Promise<unknown>;
  /** It stands in the service's own log: what it says may be told. Safe to repeat. */
  logged?(account: number, event: RentalEvent): Promise<unknown>;
}
