import type { Invoices } from '../invoices/invoices.ts';
import { displayableFields } from '../notifications/kinds.ts';
import type { NotifyHolders } from '../notifications/notifications.ts';
import type { Operations } from '../operations/operations.ts';
import { recordId } from '../rental-api/schemas.ts';
import type { EventHandler } from './inbox.ts';
import type { PollKind } from './poll-state.ts';
import type { Pollers } from './pollers.ts';

/**
 * Returns the handlers of events. The first one that matches handles an event. The last one matches all events: add new
 * handlers above it.
 */
export function createEventHandlers(deps: {
  operations: Pick<Operations, 'kinds' | 'settlement'>;
  invoices: Pick<Invoices, 'handleEvent'>;
  /** Function, because the pollers are created after the handlers, which they use. */
  pollers: () => Pick<Pollers, 'pollSoon' | 'pollBalanceIfNeeded'>;
  notifyHolders: NotifyHolders;
}): readonly EventHandler[] {
  const { operations, invoices, pollers, notifyHolders } = deps;

  /** The result of an order is applied to the operation, which shows it on its receipt. */
  const orders: EventHandler = {
    handles: (type) => type === 'order.filled' || type === 'order.failed',
    async handle(account, event) {
      for (const report of operations.kinds.reports(event))
        await operations.settlement.report(account, report);
      await pollers().pollBalanceIfNeeded(account);
    },
  };

  /** Events of paid or delivered invoices. They are hints: the invoice is read from the service. */
  const invoiceChanges: EventHandler = {
    handles: (type) => type.startsWith('invoice.'),
    async handle(account, { data }) {
      const number = recordId.safeParse(data.invoice_id).data;
      if (number !== undefined) await invoices.handleEvent(account, number);
    },
  };

  /** Deposits and withdrawals are read from the account's list of them. */
  const listChanges = (prefix: string, list: PollKind): EventHandler => ({
    handles: (type) => type.startsWith(prefix),
    handle: (account) =>
      Promise.all([pollers().pollSoon(account, list), pollers().pollBalanceIfNeeded(account)]),
  });

  /** Events that are shown as received, once the service's log contains them. */
  const shownEvents = (kind: 'smart-mode' | 'event', handles: EventHandler['handles']): EventHandler => ({
    handles,
    async handle(account, _, source) {
      if (source === 'webhook') await pollers().pollSoon(account, 'log');
      // Smart Mode events report deliveries and charges.
      if (kind === 'smart-mode') await pollers().pollBalanceIfNeeded(account);
    },
    handleLogged: (account, { type, id, data }) =>
      notifyHolders(account, { kind, id, data: { type, fields: displayableFields(data) } }),
  });

  return [
    orders,
    listChanges('deposit.', 'deposits'),
    invoiceChanges,
    listChanges('withdrawal.', 'withdrawals'),
    shownEvents('smart-mode', (type) => type.startsWith('smart_mode.')),
    shownEvents('event', () => true),
  ];
}
