import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { EventHooks } from '../accounts/event-hooks.ts';
import type { Links } from '../accounts/links.ts';
import { createReportOffers } from '../accounts/report-offers.ts';
import type { InvoiceLinks } from '../invoices/card.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { Operations } from '../operations/operations.ts';
import type { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';
import type { Sender } from '../telegram/sender.ts';
import type { Texts } from '../texts/texts.ts';
import { createAddressNews } from './address-news.ts';
import { createAdminNews } from './admin-news.ts';
import { createEventHandlers } from './events/events.ts';
import { createInvoiceNews } from './invoice-news.ts';
import { createOperationNews } from './operation-news.ts';
import { createReceiveEvent } from './receive-event.ts';
import { createWithdrawalNews } from './withdrawal-news.ts';

/** What the service and the money have to say, told in chats. Call before jobs start. */
export function createNotices(deps: {
  storage: Storage;
  turns: Turns;
  jobs: Jobs;
  links: Links;
  hooks: EventHooks;
  announced: AnnouncedAddresses;
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
  const { storage, turns, hooks, operations, isReachable, log } = deps;
  const { kinds } = operations;
  const offers = isReachable ? createReportOffers({ storage }) : undefined;
  return {
    showOperation: createOperationNews({ ...deps, kinds, reported: hooks.isActive, offers }),
    showInvoice: createInvoiceNews({ ...deps, links: deps.invoiceLinks }),
    tellAdmins: createAdminNews(deps),
    tellHolders: createWithdrawalNews({ ...deps, kinds }),
    addressNews: createAddressNews(deps),
    receiveEvent: createReceiveEvent({ handlers: createEventHandlers(deps), turns, log }),
  };
}
