import type { Invoices } from '../invoices/invoices.ts';
import { displayableFields } from '../notifications/kinds.ts';
import type { NotifyHolders } from '../notifications/notify-holders.ts';
import type { Operations } from '../operations/operations.ts';
import { recordId } from '../rental-api/schemas.ts';
import type { EventHandler } from './inbox.ts';
import type { Pollers } from './pollers.ts';

/**
 * Returns the handlers of events. The first that matches handles an event. The last matches all: add new ones above it.
 */
export function createEventHandlers(deps: {
  operations: Pick<Operations, 'kinds' | 'settlement'>;
  invoices: Pick<Invoices, 'handleEvent'>;
  pollers: Pick<Pollers, 'pollSoon' | 'pollBalanceIfNeeded'>;
  notifyHolders: NotifyHolders;
}): readonly EventHandler[] {
  const { operations, invoices, pollers, notifyHolders } = deps;

  /** The result of an order is applied to the operation, which shows it on its receipt. */
  const orders: EventHandler = {
    handles: (type) => type === 'order.filled' || type === 'order.failed',
    async handle(account, event) {
      const report = operations.kinds.report(event);
      if (report) await operations.settlement.report(account, report);
      await pollers.pollBalanceIfNeeded(account);
    },
  };

  const deposits: EventHandler = {
    handles: (type) => type.startsWith('deposit.'),
    handle: (account) =>
      Promise.all([pollers.pollSoon(account, 'deposits'), pollers.pollBalanceIfNeeded(account)]),
  };

  /** Events of paid or delivered invoices. They are hints: the invoice is read from the service. */
  const invoiceChanges: EventHandler = {
    handles: (type) => type.startsWith('invoice.'),
    async handle(account, { data }) {
      const number = recordId.safeParse(data.invoice_id).data;
      if (number !== undefined) await invoices.handleEvent(account, number);
    },
  };

  const withdrawals: EventHandler = {
    handles: (type) => type.startsWith('withdrawal.'),
    handle: (account) =>
      Promise.all([pollers.pollSoon(account, 'withdrawals'), pollers.pollBalanceIfNeeded(account)]),
  };

  /** Smart Mode deliveries and charges. Holders are notified once the service's log contains the event. */
  const smartMode: EventHandler = {
    handles: (type) => type.startsWith('smart_mode.'),
    handle: (account, _, source) =>
      Promise.all([
        source === 'webhook' && pollers.pollSoon(account, 'log'),
        pollers.pollBalanceIfNeeded(account),
      ]),
    handleLogged: (account, { type, id, data }) =>
      notifyHolders(account, { kind: 'smart-mode', id, data: { type, fields: displayableFields(data) } }),
  };

  /** Events of unknown types. They are shown as received, once the service's log contains them. */
  const others: EventHandler = {
    handles: () => true,
    async handle(account, _, source) {
      if (source === 'webhook') await pollers.pollSoon(account, 'log');
    },
    handleLogged: (account, { type, id, data }) =>
      notifyHolders(account, { kind: 'event', id, data: { type, fields: displayableFields(data) } }),
  };

  return [orders, deposits, invoiceChanges, withdrawals, smartMode, others];
}
