import { createAccountKeys } from '../accounts/account-keys.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AccountsDeps } from '../accounts/accounts-deps.ts';
import type { Texts } from '../i18n/texts.ts';
import type { InvoiceLinks } from '../invoices/card.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { FeatureNotification } from '../notifications/kinds.ts';
import { createInvoiceMessages, createOperationMessages } from '../notifications/messages.ts';
import { createNotifications } from '../notifications/notifications.ts';
import type { Operations } from '../operations/operations.ts';
import type { Show } from '../operations/receipt.ts';
import { createMessageAttempts } from '../platform/attempts.ts';
import type { Log } from '../platform/log.ts';
import type { StoredData } from '../platform/records.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import type { Sender } from '../telegram/sender.ts';
import { createEventHandlers } from './handlers.ts';
import { createEventReceiver, createInbox, DUE_EVENTS, INBOX_RECORDS } from './inbox.ts';
import { POLL_STATE, POLLS } from './poll-schedule.ts';
import { createPollers, POLLING, type Pollers } from './pollers.ts';

export const ACCOUNT_EVENT_DATA: readonly StoredData[] = [
  INBOX_RECORDS,
  DUE_EVENTS,
  POLL_STATE,
  POLLS,
  POLLING,
];

/** Intervals at which due work is started, in milliseconds. New work starts at once regardless. */
const RUN_INTERVALS_MS = { events: 3_000, polls: 2_000, outbox: 1_000 };

/**
 * Creates the module that receives events, polls accounts and sends notifications. Call before recurring work starts.
 *
 * @example
 * const accountEvents = createAccountEvents(deps);
 * await accountEvents.pollers.pollSoon(1001, 'deposits');
 */
export function createAccountEvents(
  deps: AccountsDeps &
    Accounts & {
      recurringWork: Pick<RecurringWork, 'every'>;
      operations: Operations;
      invoices: Invoices;
      invoiceLinks: (invoice: Invoice) => InvoiceLinks;
      sender: Sender;
      texts: Texts;
      admins: ReadonlySet<number>;
      /** Kinds of notifications that features declare. */
      featureKinds: readonly FeatureNotification[];
      supportUrl: string | undefined;
      /** Replaces all intervals of `RUN_INTERVALS_MS`, in milliseconds. */
      runIntervalMs: number | undefined;
      log: Log;
    },
) {
  const { recurringWork, webhookSubscriptions, operations, runIntervalMs, now } = deps;
  const { kinds } = operations;

  const accountKeys = createAccountKeys(deps);
  const findOperation = operations.findReadable;
  const notifications = createNotifications({ ...deps, kinds, accountKeys, findOperation });
  const { outbox, notifyHolders, adminAlerts, eventMetrics, rentalReminders } = notifications;

  // Events and polls of accounts. Events about money are only hints: the facts are read from the service.
  const handlers = createEventHandlers({ ...deps, pollers: () => pollers, notifyHolders });
  const inbox = createInbox({ ...deps, handlers, eventMetrics });
  const pollers: Pollers = createPollers({
    ...deps,
    ...{ accountKeys, inbox, handlers, outbox, notifyHolders, adminAlerts, eventMetrics },
    startedAt: now(),
  });
  recurringWork.every('events', runIntervalMs ?? RUN_INTERVALS_MS.events, inbox.run);
  recurringWork.every('account-polls', runIntervalMs ?? RUN_INTERVALS_MS.polls, pollers.run);
  recurringWork.every('outbox', runIntervalMs ?? RUN_INTERVALS_MS.outbox, outbox.startDueDeliveries);

  const showOperation = createOperationMessages({
    ...deps,
    kinds,
    rentalReminders,
    reported: webhookSubscriptions.isActive,
  });
  return {
    showOperation: async (...args: Parameters<Show>) => {
      const [operation] = args;
      const { state, account } = operation;
      // Admins are notified before the operation counts as shown. If this fails, it is retried with the next attempt to
      // show it.
      await adminAlerts.operatorAccountUsed(operation);
      const shown = await showOperation(...args);
      // The purchase may have changed the balance. If this fails, the regular poll still reads it later.
      if (state === 'done') await pollers.pollBalanceIfNeeded(account).catch(() => undefined);
      return shown;
    },
    showInvoice: createInvoiceMessages({
      ...deps,
      attempts: createMessageAttempts(deps),
      links: deps.invoiceLinks,
    }),
    adminAlerts,
    notifyWithdrawal: notifications.notifyWithdrawal,
    /** Notifies the other holders of the account that its service alerts are off. */
    notifyReportsOff: (account: number, by: number, update: number) =>
      notifyHolders(
        account,
        { kind: 'webhook-status', id: `off:${update}`, data: { why: 'off' } },
        { except: by },
      ),
    addressNotifications: notifications.addressNotifications,
    eventReceiver: createEventReceiver({
      ...deps,
      inbox,
      eventMetrics,
      onEventLost: pollers.pollAllLogs,
      onRateLimited: (account) => void pollers.pollSoon(account, 'log').catch(() => undefined),
    }),
    eventMetrics,
    pollers,
    outbox,
    readOutboxBacklog: outbox.readBacklog,
    rentalReminders,
    /** Erases a user's notifications and reminders. `keys`: all keys of the user. */
    async eraseUser(user: number, keys: readonly string[]): Promise<void> {
      await rentalReminders.eraseUser(keys);
      await outbox.eraseChat(user, keys);
    },
    unreadableRecords: notifications.unreadableRecords,
    notify: notifications.notify,
    /** Finishes the work in progress. */
    async close() {
      await inbox.close();
      await pollers.close();
      await outbox.close();
      await eventMetrics.close();
    },
  };
}
