import type { AddressBook } from '../../accounts/address-book.ts';
import type { AdminLog } from '../../accounts/admin-log.ts';
import type { Announced } from '../../accounts/announced-address.ts';
import type { AnnouncedAddresses } from '../../accounts/announced-addresses.ts';
import type { Balances } from '../../accounts/balances.ts';
import type { EventHooks } from '../../accounts/event-hooks.ts';
import type { EventReceiving } from '../../accounts/event-receiving.ts';
import type { Forgetting } from '../../accounts/forgetting.ts';
import type { KeyAttempts } from '../../accounts/key-attempts.ts';
import type { LeaveAccount } from '../../accounts/leaving.ts';
import type { LinkedAt } from '../../accounts/linked-at.ts';
import type { Links } from '../../accounts/links.ts';
import type { NoticeSettings } from '../../accounts/notice-settings.ts';
import type { Operator } from '../../accounts/operator.ts';
import type { OperatorLimits } from '../../accounts/operator-limits.ts';
import type { OwnRecords } from '../../accounts/own-records.ts';
import type { People } from '../../accounts/people.ts';
import type { CountPeople } from '../../accounts/people-figures.ts';
import type { Broadcasts } from '../../broadcast/broadcasts.ts';
import type { InvoiceLinks } from '../../invoices/card.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import type { Invoices } from '../../invoices/invoices.ts';
import type { TellAdmins } from '../../notices/admin-news.ts';
import type { Tally } from '../../notices/inbox/tally.ts';
import type { Looks } from '../../notices/looks/looks.ts';
import type { Backlog } from '../../notices/outbox/backlog.ts';
import type { Outbox } from '../../notices/outbox/outbox.ts';
import type { Maintenance } from '../../operations/maintenance.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Operations } from '../../operations/operations.ts';
import type { PaymentsGate } from '../../operations/payments-gate.ts';
import type { SendQueue } from '../../operations/send-queue.ts';
import type { Rental } from '../../rental/client.ts';
import type { Texts, Words } from '../../texts/texts.ts';
import type { View } from '../../texts/view.ts';
import type { Quotes } from '../quotes.ts';
import type { StateSources } from '../state-sources.ts';
import type { Feature, Handler } from './feature.ts';

/** All that features may have; `services.ts` fills it. */
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
  /** What admins have set for the operator's account. */
  operatorLimits: OperatorLimits;
  people: Pick<People, 'find' | 'met' | 'page' | 'bar' | 'quiet'>;
  countPeople: CountPeople;
  broadcasts: Broadcasts;
  isAdmin: (user: number) => boolean;
  /** What admins do beyond looking is noted in it. */
  adminLog: AdminLog;
  /** What is stored under a user's own number. */
  ownRecords: OwnRecords;
  invoices: Invoices;
  /** Where an invoice can be opened by others. */
  invoiceLinks: (invoice: Invoice) => InvoiceLinks;
  announced: AnnouncedAddresses;
  /** Tells those whom an announced address concerns. */
  addressNews: {
    announced(asked: Announced): Promise<unknown>;
    struck(announced: Announced): Promise<unknown>;
  };
  /** Tells all admins of the operator's account. */
  tellAdmins: Pick<TellAdmins, 'ofOperator' | 'operatorKeySent'>;
  /** Tells who holds the account besides this user that its service reports are off. */
  tellOfReportsOff(account: number, by: number): Promise<unknown>;
  /** Has the service asked for what happens at an account. */
  looks: Pick<Looks, 'follow' | 'expect' | 'expectBalance' | 'visit'>;
  /** What came in and what was refused. */
  tally: Pick<Tally, 'day'>;
  /** Where admins read how everything stands. */
  state: StateSources;
  /** Tells the other admins that somebody has turned maintenance mode on or off; the same `id` once. */
  tellOfMaintenance(turned: { turn: 'on' | 'off'; admin: number; id: string }): Promise<unknown>;
  /** What waits to be told. */
  backlog: () => Promise<Backlog>;
  /** Tells those at the chat what may not have come. */
  outbox: Pick<Outbox, 'here'>;
  /** Epoch milliseconds. */
  now: () => number;
  /** How an operation's card looks now. */
  card(words: Words, operation: Operation): Promise<View>;
  paymentsGate: PaymentsGate;
  /** While it is on nothing new is begun. */
  maintenance: Maintenance;
  sendQueue: Pick<SendQueue, 'add'>;
  texts: Texts;
  supportUrl: string | undefined;
  accountUrl: string | undefined;
  /** The operator's key, for what everybody may read: prices. */
  operatorKey: string | undefined;
  /** The public address of a hook; `undefined` where the bot has none. */
  hookUrl: ((hook: string) => string) | undefined;
  /** Shows the menu, where the tap was or below. */
  openMenu: Handler;
  /** All of them, for those that list them. */
  features(): readonly Feature[];
}

export type CreateFeature = (deps: FeatureDeps) => Feature;
