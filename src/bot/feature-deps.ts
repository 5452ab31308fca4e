import type { Looks } from '../account-events/poller.ts';
import type { AddressBook } from '../accounts/address-book.ts';
import type { AdminLog } from '../accounts/admin-log.ts';
import type { Announced, AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Balances } from '../accounts/balances.ts';
import type { Forgetting, LeaveAccount } from '../accounts/erase-user.ts';
import type { KeyAttempts } from '../accounts/key-attempts.ts';
import type { LinkedAt, Links } from '../accounts/links.ts';
import type { NoticeSettings } from '../accounts/notice-settings.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import type { OwnRecords } from '../accounts/own-records.ts';
import type { CountPeople, People } from '../accounts/users.ts';
import type { EventHooks, EventReceiving } from '../accounts/webhook-subscriptions.ts';
import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import type { Texts, Words } from '../i18n/texts.ts';
import type { View } from '../i18n/view.ts';
import type { InvoiceLinks } from '../invoices/card.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { TellAdmins } from '../notifications/admin-alerts.ts';
import type { Tally } from '../notifications/metrics.ts';
import type { Backlog, Outbox } from '../notifications/outbox.ts';
import type { PaymentsGate } from '../operations/confirm.ts';
import type { Maintenance } from '../operations/maintenance.ts';
import type { Operation } from '../operations/operation.ts';
import type { Operations } from '../operations/operations.ts';
import type { SendQueue } from '../operations/send-queue.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Feature, Handler } from './feature.ts';
import type { Quotes } from './quotes.ts';
import type { StateSources } from './state-sources.ts';

/** Dependencies of all features. `services.ts` creates them. */
export interface FeatureDeps {
  links: Links;
  hooks: EventHooks;
  noticeSettings: NoticeSettings;
  eventReceiving: EventReceiving;
  leaveAccount: LeaveAccount;
  linkedAt: LinkedAt;
  forgetting: Forgetting;
  keyAttempts: KeyAttempts;
  addressBook: AddressBook;
  rental: Rental;
  quotes: Quotes;
  balances: Balances;
  operations: Pick<
    Operations,
    | 'kinds'
    | 'drafts'
    | 'decisions'
    | 'history'
    | 'lastPrices'
    | 'settlement'
    | 'alreadyDone'
    | 'rests'
    | 'dailyCap'
    | 'settledCounts'
    | 'unresolved'
    | 'proposals'
    | 'ask'
    | 'decideByHand'
    | 'underWay'
    | 'operatorCap'
  >;
  operator: Operator;
  /** Limits that admins have set for the operator's account. */
  operatorLimits: OperatorLimits;
  people: Pick<People, 'find' | 'met' | 'page' | 'bar' | 'quiet'>;
  countPeople: CountPeople;
  broadcasts: Broadcasts;
  isAdmin: (user: number) => boolean;
  /** Log of everything that admins change. */
  adminLog: AdminLog;
  /** Records under a user's own number. */
  ownRecords: OwnRecords;
  invoices: Invoices;
  /** Returns the links with which other users can open an invoice. */
  invoiceLinks: (invoice: Invoice) => InvoiceLinks;
  announced: AnnouncedAddresses;
  /** Notifies the users whom an announced address concerns. */
  addressNews: {
    announced(asked: Announced): Promise<unknown>;
    struck(announced: Announced): Promise<unknown>;
  };
  /** Notifies all admins about the operator's account. */
  tellAdmins: Pick<TellAdmins, 'ofOperator' | 'operatorKeySent'>;
  /** Notifies the other holders of the account that its service reports are off. */
  tellOfReportsOff(account: number, by: number, update: number): Promise<unknown>;
  /** Schedules polling of accounts. */
  looks: Pick<Looks, 'follow' | 'expect' | 'expectBalance' | 'visit'>;
  /** Numbers of events that came in or were refused. */
  tally: Pick<Tally, 'day'>;
  /** Sources of the state that admins can see. */
  state: StateSources;
  /** Notifies the other admins that maintenance was turned on or off, once per `id`. */
  tellOfMaintenance(turned: { turn: 'on' | 'off'; admin: number; id: string }): Promise<unknown>;
  /** Returns the pending notifications. */
  backlog: () => Promise<Backlog>;
  /** Delivers what may not have arrived when a user is active in the chat. */
  outbox: Pick<Outbox, 'here'>;
  /** Epoch milliseconds. */
  now: () => number;
  /** Returns the current view of an operation's card. */
  card(words: Words, operation: Operation): Promise<View>;
  paymentsGate: PaymentsGate;
  /** While maintenance is on, nothing new can be started. */
  maintenance: Maintenance;
  sendQueue: Pick<SendQueue, 'add'>;
  texts: Texts;
  supportUrl: string | undefined;
  accountUrl: string | undefined;
  /** The operator's API key, also used for data that every user may read, such as prices. */
  operatorKey: string | undefined;
  /** Returns the public address of a hook. `undefined` if the bot has none. */
  hookUrl: ((hook: string) => string) | undefined;
  /** Shows the menu in the tapped message, or as a new one. */
  openMenu: Handler;
  /** Returns all features, for those that list them. */
  features(): readonly Feature[];
}

export type CreateFeature = (deps: FeatureDeps) => Feature;
