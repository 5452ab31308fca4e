import type { RentalEvent } from '../../rental/webhook.ts';
import type { Arrival } from '../inbox/arrival.ts';

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
