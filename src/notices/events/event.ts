import type { RentalEvent } from '../../rental/webhook.ts';

/** What an event of the service means here. A further type is a file like `deposit.ts` and a line in `events.ts`. */
export interface EventHandler {
  /** The types that it hears (specification, section 6). */
  types: readonly string[];
  /** Safe to repeat: an event whose work failed is delivered again. */
  handle(account: number, event: RentalEvent): Promise<void>;
}
