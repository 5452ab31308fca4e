import type { Operations } from '../../operations/operations.ts';
import type { Looks } from '../looks/looks.ts';
import type { EventType } from './event.ts';

const TYPES = ['order.filled', 'order.failed'];

/** An order was filled, or failed: its operation learns of it, and its receipt tells. */
export function createOrderEvents({
  operations,
  looks,
}: {
  operations: Pick<Operations, 'kinds' | 'settlement'>;
  looks: Pick<Looks, 'expectBalance'>;
}): EventType {
  return {
    hears: (type) => TYPES.includes(type),
    async heard(account, event) {
      const report = operations.kinds.report(event);
      if (report) await operations.settlement.report(account, report);
      await looks.expectBalance(account);
    },
  };
}
