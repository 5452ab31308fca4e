import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { EventHooks } from '../accounts/event-hooks.ts';
import type { Links } from '../accounts/links.ts';
import type { NoticeSettings } from '../accounts/notice-settings.ts';
import type { Operator } from '../accounts/operator.ts';
import type { OperatorLimits } from '../accounts/operator-limits.ts';
import type { People } from '../accounts/people.ts';
import { createReportOffers } from '../accounts/report-offers.ts';
import type { InvoiceLinks } from '../invoices/card.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { Show } from '../operations/notifier.ts';
import type { Operations } from '../operations/operations.ts';
import type { Rental } from '../rental/client.ts';
import { createBudget } from '../storage/budget.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';
import type { Sender } from '../telegram/sender.ts';
import type { Texts } from '../texts/texts.ts';
import { createAddressNews } from './address-news.ts';
import { createAdminNews } from './admin-news.ts';
import type { EventType } from './events/event.ts';
import { createEventTypes } from './events/events.ts';
import { createInbox } from './inbox/inbox.ts';
import { createEventReceiver } from './inbox/receive-event.ts';
import { createTally } from './inbox/tally.ts';
import { createInvoiceNews } from './invoice-news.ts';
import { createNoticeKinds } from './kinds/kinds.ts';
import { createAccountLooks } from './looks/account/account-looks.ts';
import { createOperatorAlert } from './looks/account/operator-alert.ts';
import { createAccountKeys } from './looks/account-keys.ts';
import { createLanes } from './looks/lanes.ts';
import { createLookedStore } from './looks/looked.ts';
import { createLooks } from './looks/looks.ts';
import { createOperationNews } from './operation-news.ts';
import { createOperatorUse } from './operator-use.ts';
import { createBacklog } from './outbox/backlog.ts';
import { createDeliver } from './outbox/deliver.ts';
import { createDueChats } from './outbox/due-chats.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createOutboxStore } from './outbox/outbox-store.ts';
import { createAdmit } from './outbox/recipient.ts';
import { createTellHolders } from './tell-holders.ts';
import { createUnreadableRecords } from './unreadable-records.ts';
import { createWithdrawalNews } from './withdrawal-news.ts';

/** How often what came due is looked at, in milliseconds: what is new is taken up at once all the same. */
const LOOK_MS = { events: 3_000, looks: 2_000, outbox: 1_000 };

/** What the service and the money have to say, told in chats. Call before jobs start. */
export function createNotices(deps: {
  storage: Storage;
  records: SignedRecords;
  turns: Turns;
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
  /** Whether the service could send its events here at all. */
  isReachable: boolean;
  supportUrl: string | undefined;
  /** How soon what came due is looked at, in milliseconds. */
  lookMs: number | undefined;
  now: () => number;
  log: Log;
}) {
  const { jobs, hooks, operations, isReachable, lookMs, now } = deps;
  const { kinds } = operations;
  const tally = createTally(deps);

  // What people are to be told, until they were.
  const noticeKinds = createNoticeKinds({ ...deps, kinds });
  const accountKeys = createAccountKeys(deps);
  const dueChats = createDueChats(deps);
  const store = createOutboxStore({ ...deps, dueChats });
  const admit = createAdmit({ ...deps, accountKeys, noticeKinds });
  const deliver = createDeliver({ ...deps, store, admit, noticeKinds, tally });
  const outbox = createOutbox({ ...deps, store, dueChats, deliver, noticeKinds });
  const tellHolders = createTellHolders({ ...deps, outbox });
  const tellAdmins = createAdminNews({ ...deps, outbox });

  // What happens at accounts: events are hints, upon which the service is asked.
  const looks = createLooks({
    ...{ ...deps, accountKeys, budget: createBudget(deps), lanes: createLanes(deps) },
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
      // Before it counts as shown: what fails here is shown again, and told once.
      await tellOfUse(operation);
      const shown = await showOperation(...given);
      // What was bought has been paid for; the balance is looked at in any case, only later.
      if (state === 'done') await looks.expectBalance(account).catch(() => undefined);
      return shown;
    },
    showInvoice: createInvoiceNews({ ...deps, links: deps.invoiceLinks }),
    tellAdmins,
    tellOfWithdrawal: createWithdrawalNews({ kinds, tellHolders }),
    /** Who holds the account besides this user hears that its service reports are off. */
    tellOfReportsOff: (account: number, by: number) =>
      tellHolders(
        account,
        { kind: 'hook', id: `off:${now()}`, data: { why: 'off' } },
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
    /** Of somebody who is being forgotten: what waits for them, what they were told, what they were asked; `keys`: all of theirs. */
    async forget(user: number, keys: readonly string[]) {
      await outbox.forget(user, keys);
      await reportOffers.forget(user, keys);
    },
    unreadableRecords: createUnreadableRecords({ outbox, tellAdmins }),
    /** Finishes what is under way. */
    async close() {
      await inbox.close();
      await looks.close();
      await outbox.close();
      await tally.close();
    },
  };
}
