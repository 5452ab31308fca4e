import { createDepositEvents } from './deposit.ts';
import type { EventHandler } from './event.ts';
import { createInvoiceEvents } from './invoice.ts';
import { createOrderEvents } from './order.ts';

type Deps = Parameters<typeof createOrderEvents>[0] &
  Parameters<typeof createDepositEvents>[0] &
  Parameters<typeof createInvoiceEvents>[0];

/** Every type of event that means something here. A further one is its file and a line here. */
export function createEventHandlers(deps: Deps): readonly EventHandler[] {
  return [createOrderEvents(deps), createDepositEvents(deps), createInvoiceEvents(deps)];
}
