import type { Operations } from '../../operations/operations.ts';
import type { EventHandler } from './event.ts';

/** An order was filled, or failed: its operation learns of it. */
export function createOrderEvents({
  operations,
}: {
  operations: Pick<Operations, 'kinds' | 'settlement'>;
}): EventHandler {
  return {
    types: ['order.filled', 'order.failed'],
    async handle(account, event) {
      const report = operations.kinds.report(event);
      if (report) await operations.settlement.report(account, report);
    },
  };
}
