import { createDepositEvents } from './deposit.ts';
import type { EventType } from './event.ts';
import { createInvoiceEvents } from './invoice.ts';
import { createOrderEvents } from './order.ts';
import { createOtherEvents } from './other.ts';
import { createSmartModeEvents } from './smart-mode.ts';
import { createWithdrawalEvents } from './withdrawal.ts';

type Deps = Parameters<typeof createOrderEvents>[0] &
  Parameters<typeof createDepositEvents>[0] &
  Parameters<typeof createInvoiceEvents>[0] &
  Parameters<typeof createSmartModeEvents>[0];

/** Every type of event, the first that hears it has it. A further one is its file and a line here, above the last. */
export function createEventTypes(deps: Deps): readonly EventType[] {
  return [
    createOrderEvents(deps),
    createDepositEvents(deps),
    createInvoiceEvents(deps),
    createWithdrawalEvents(deps),
    createSmartModeEvents(deps),
    createOtherEvents(deps),
  ];
}
