import type { Invoices } from '../invoices/invoices.ts';
import { shownFields } from '../notifications/event-fields.ts';
import type { TellHolders } from '../notifications/notify-holders.ts';
import type { Operations } from '../operations/operations.ts';
import { recordId } from '../rental-api/schemas.ts';
import type { EventType } from './event.ts';
import type { Looks } from './poller.ts';

/** Handles deposit events. They are hints: the account's deposits and balance are polled. */
function createDepositEvents({ looks }: { looks: Pick<Looks, 'expect' | 'expectBalance'> }): EventType {
  return {
    hears: (type) => type.startsWith('deposit.'),
    heard: (account) => Promise.all([looks.expect(account, 'deposits'), looks.expectBalance(account)]),
  };
}

/** Handles events of paid or delivered invoices. They are hints: the invoice is read from the service. */
function createInvoiceEvents({ invoices }: { invoices: Pick<Invoices, 'heard'> }): EventType {
  return {
    hears: (type) => type.startsWith('invoice.'),
    async heard(account, { data }) {
      const number = recordId.safeParse(data.invoice_id).data;
      if (number !== undefined) await invoices.heard(account, number);
    },
  };
}

const TYPES = ['order.filled', 'order.failed'];

/**
 * Handles events of filled and failed orders. The result is applied to the operation, which shows it on its receipt.
 */
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

/** Handles events of unknown types. They are shown as received, once the service's log contains them. */
function createOtherEvents({
  looks,
  tellHolders,
}: {
  looks: Pick<Looks, 'expect'>;
  tellHolders: TellHolders;
}): EventType {
  return {
    hears: () => true,
    async heard(account, _, how) {
      if (how === 'sent') await looks.expect(account, 'log');
    },
    logged: (account, { type, id, data }) =>
      tellHolders(account, { kind: 'event', id, data: { type, fields: shownFields(data) } }),
  };
}

/** Handles Smart Mode deliveries and charges. Holders are notified once the service's log contains the event. */
function createSmartModeEvents({
  looks,
  tellHolders,
}: {
  looks: Pick<Looks, 'expect' | 'expectBalance'>;
  tellHolders: TellHolders;
}): EventType {
  return {
    hears: (type) => type.startsWith('smart_mode.'),
    heard: (account, _, how) =>
      Promise.all([how === 'sent' && looks.expect(account, 'log'), looks.expectBalance(account)]),
    logged: (account, { type, id, data }) =>
      tellHolders(account, { kind: 'smart-mode', id, data: { type, fields: shownFields(data) } }),
  };
}

/** Handles withdrawal events. They are hints: the account's withdrawals and balance are polled. */
function createWithdrawalEvents({ looks }: { looks: Pick<Looks, 'expect' | 'expectBalance'> }): EventType {
  return {
    hears: (type) => type.startsWith('withdrawal.'),
    heard: (account) => Promise.all([looks.expect(account, 'withdrawals'), looks.expectBalance(account)]),
  };
}

type Deps = Parameters<typeof createOrderEvents>[0] &
  Parameters<typeof createDepositEvents>[0] &
  Parameters<typeof createInvoiceEvents>[0] &
  Parameters<typeof createSmartModeEvents>[0];

/**
 * Returns the handlers of events. The first that matches handles an event. The last matches all: add new ones above it.
 */
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
