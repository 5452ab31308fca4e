import { createAccountKeys } from '../accounts/account-keys.ts';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Links } from '../accounts/links.ts';
import type { NoticeSettings } from '../accounts/notice-settings.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import type { People } from '../accounts/users.ts';
import { createReportOffers, type EventHooks } from '../accounts/webhook-subscriptions.ts';
import type { Texts } from '../i18n/texts.ts';
import type { InvoiceLinks } from '../invoices/card.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import {
  createAdminNews,
  createOperatorUse,
  createUnreadableRecords,
} from '../notifications/admin-alerts.ts';
import { createAdmit, createDeliver } from '../notifications/delivery.ts';
import { createInvoiceNews } from '../notifications/invoice-messages.ts';
import { createNoticeKinds } from '../notifications/kinds.ts';
import { createTally } from '../notifications/metrics.ts';
import {
  createAddressNews,
  createTellHolders,
  createWithdrawalNews,
} from '../notifications/notify-holders.ts';
import { createOperationNews } from '../notifications/operation-messages.ts';
import { createBacklog, createOutbox } from '../notifications/outbox.ts';
import { createDueChats, createOutboxStore } from '../notifications/outbox-store.ts';
import type { Operations } from '../operations/operations.ts';
import type { Show } from '../operations/receipt.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { createSharedRateLimiter } from '../platform/rate-limit.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Sender } from '../telegram/sender.ts';
import { createAccountLooks, createOperatorAlert } from './account-pollers.ts';
import type { EventType } from './event.ts';
import { createEventTypes } from './handlers.ts';
import { createInbox } from './inbox.ts';
import { createLookedStore, createPollSchedule } from './poll-schedule.ts';
import { createPoller } from './poller.ts';
import { createEventReceiver } from './webhook.ts';

/** Intervals at which due work is started, in milliseconds. New work starts at once regardless. */
const LOOK_MS = { events: 3_000, looks: 2_000, outbox: 1_000 };

/** Creates the module that receives events, polls accounts and sends notifications. Call before jobs start. */
export function createNotices(deps: {
  storage: Storage;
  records: SignedRecords;
  leases: Leases;
  jobs: Jobs;
  rental: Rental;
  links: Links;
  people: People;
  hooks: EventHooks;
  announced: AnnouncedAddresses;
  noticeSettings: NoticeSettings;
  operator: Operator;
  operatorLimits: OperatorLimits;
  operatorKey: string | undefined;
  operations: Operations;
  invoices: Invoices;
  invoiceLinks: (invoice: Invoice) => InvoiceLinks;
  sender: Sender;
  texts: Texts;
  admins: ReadonlySet<number>;
  /** Whether the service can reach the bot to send events. */
  isReachable: boolean;
  supportUrl: string | undefined;
  /** Replaces all intervals of `LOOK_MS`, in milliseconds. */
  lookMs: number | undefined;
  now: () => number;
  log: Log;
}) {
  const { jobs, hooks, operations, isReachable, lookMs, now } = deps;
  const { kinds } = operations;
  const tally = createTally(deps);

  // Notifications, until they are sent.
  const noticeKinds = createNoticeKinds({ ...deps, kinds });
  const accountKeys = createAccountKeys(deps);
  const dueChats = createDueChats(deps);
  const store = createOutboxStore({ ...deps, dueChats });
  const admit = createAdmit({ ...deps, accountKeys, noticeKinds });
  const deliver = createDeliver({ ...deps, store, admit, noticeKinds, tally });
  const outbox = createOutbox({ ...deps, store, dueChats, deliver, noticeKinds });
  const tellHolders = createTellHolders({ ...deps, outbox });
  const tellAdmins = createAdminNews({ ...deps, outbox });

  // Events and polls of accounts. Events about money are only hints: the facts are read from the service.
  const looks = createPoller({
    ...{ ...deps, accountKeys, budget: createSharedRateLimiter(deps), lanes: createPollSchedule(deps) },
    looked: createLookedStore(deps),
    looks: createAccountLooks({
      ...{ ...deps, outbox, tellHolders, tally, startedAt: now() },
      operatorAlert: createOperatorAlert({ ...deps, tellAdmins }),
      types: () => types,
      inbox: { take: (...given) => inbox.take(...given), knows: (...given) => inbox.knows(...given) },
    }),
  });
  const types: readonly EventType[] = createEventTypes({ ...deps, looks, tellHolders });
  const inbox = createInbox({ ...deps, types, tally });
  jobs.every('events', lookMs ?? LOOK_MS.events, inbox.run);
  jobs.every('account-looks', lookMs ?? LOOK_MS.looks, looks.run);
  jobs.every('outbox', lookMs ?? LOOK_MS.outbox, outbox.run);

  const reportOffers = createReportOffers(deps);
  const offers = isReachable ? reportOffers : undefined;
  const showOperation = createOperationNews({ ...deps, kinds, reported: hooks.isActive, offers, outbox });
  const tellOfUse = createOperatorUse({ tellAdmins });
  return {
    showOperation: async (...given: Parameters<Show>) => {
      const [operation] = given;
      const { state, account } = operation;
      // Admins are notified before the operation counts as shown. If this fails, it is retried with the next attempt to
      // show it.
      await tellOfUse(operation);
      const shown = await showOperation(...given);
      // The purchase may have changed the balance. If this fails, the regular poll still reads it later.
      if (state === 'done') await looks.expectBalance(account).catch(() => undefined);
      return shown;
    },
    showInvoice: createInvoiceNews({ ...deps, links: deps.invoiceLinks }),
    tellAdmins,
    tellOfWithdrawal: createWithdrawalNews({ kinds, tellHolders }),
    /** Notifies the other holders of the account that its service alerts are off. */
    tellOfReportsOff: (account: number, by: number, update: number) =>
      tellHolders(
        account,
        { kind: 'hook', id: `off:${update}`, data: { why: 'off' } },
        { except: (user) => user === by },
      ),
    addressNews: createAddressNews({ ...deps, outbox, tellHolders }),
    events: createEventReceiver({
      ...{ ...deps, inbox, tally, lost: looks.hurry },
      crowdedAt: (account) => void looks.expect(account, 'log').catch(() => undefined),
    }),
    tally,
    looks,
    outbox,
    backlog: createBacklog({ ...deps, store }),
    /** Erases a user's notifications and records of offers. `keys`: all keys of the user. */
    async forget(user: number, keys: readonly string[]) {
      await outbox.forget(user, keys);
      await reportOffers.forget(user, keys);
    },
    unreadableRecords: createUnreadableRecords({ outbox, tellAdmins }),
    /** Finishes the work in progress. */
    async close() {
      await inbox.close();
      await looks.close();
      await outbox.close();
      await tally.close();
    },
  };
}
