import type { Invoices } from '../invoices/invoices.ts';
import { shownFields } from '../notifications/event-fields.ts';
import type { TellHolders } from '../notifications/notify-holders.ts';
import type { Operations } from '../operations/operations.ts';
import { recordId } from '../rental-api/schemas.ts';
import type { EventType } from './event.ts';
import type { Looks } from './poller.ts';

/** Something came in: a hint, upon which the service is asked for the account's deposits. */
function createDepositEvents({ looks }: { looks: Pick<Looks, 'expect' | 'expectBalance'> }): EventType {
  return {
    hears: (type) => type.startsWith('deposit.'),
    heard: (account) => Promise.all([looks.expect(account, 'deposits'), looks.expectBalance(account)]),
  };
}

/** An invoice was paid, or delivered: a hint, upon which the service is asked for it. */
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

/** What the service may come to send: nothing is known of it, so it is shown as it is, once the service's log has it. */
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

/** Smart Mode delivered for a transfer, or charged for something: told once the service's log has it. */
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

/** A withdrawal was sent: a hint, upon which the service is asked for the account's withdrawals. */
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
