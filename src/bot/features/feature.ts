import type { AddressBook } from '../../accounts/address-book.ts';
import type { AdminLog } from '../../accounts/admin-log.ts';
import type { Announced } from '../../accounts/announced-address.ts';
import type { AnnouncedAddresses } from '../../accounts/announced-addresses.ts';
import type { Balances } from '../../accounts/balances.ts';
import type { EventHooks } from '../../accounts/event-hooks.ts';
import type { EventReceiving } from '../../accounts/event-receiving.ts';
import type { KeyAttempts } from '../../accounts/key-attempts.ts';
import type { LeaveAccount } from '../../accounts/leaving.ts';
import type { Links } from '../../accounts/links.ts';
import type { NoticeSettings } from '../../accounts/notice-settings.ts';
import type { Operator } from '../../accounts/operator.ts';
import type { People } from '../../accounts/people.ts';
import type { CountPeople } from '../../accounts/people-figures.ts';
import type { Broadcasts } from '../../broadcast/broadcasts.ts';
import type { InvoiceLinks } from '../../invoices/card.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import type { Invoices } from '../../invoices/invoices.ts';
import type { Tally } from '../../notices/inbox/tally.ts';
import type { Looks } from '../../notices/looks/looks.ts';
import type { Backlog } from '../../notices/outbox/backlog.ts';
import type { Outbox } from '../../notices/outbox/outbox.ts';
import type { OperationRequest } from '../../operations/kinds/kind.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Operations } from '../../operations/operations.ts';
import type { PaymentsGate } from '../../operations/payments-gate.ts';
import type { Stored } from '../../operations/store.ts';
import type { Rental } from '../../rental/client.ts';
import type { TextKey } from '../../texts/keys.ts';
import type { Texts, Words } from '../../texts/texts.ts';
import type { View } from '../../texts/view.ts';
import type { BotContext, Flow } from '../context.ts';
import type { Quotes } from '../quotes.ts';
import type { ReadAhead } from '../read-ahead.ts';

/** Where a feature's button is: in the main menu, or in one of those below it. */
export type Place = 'main' | 'balance' | 'more' | 'admin';

/** Who sees it: everybody, those without an account, those with one, those of them who sell, admins. */
export type Audience = 'anyone' | 'guest' | 'linked' | 'merchant' | 'admin';

/** A button in a menu. `merchants`: where who sells has it instead, above all others or below *More*. */
export interface MenuEntry {
  button: TextKey;
  place: Place;
  for: Audience;
  style?: 'primary';
  merchants?: 'first' | 'more';
}

export type Handler = (ctx: BotContext) => Promise<unknown>;

/** What a tap does; `argument` is what its button carries besides its name, `message` where the button is. */
export type ButtonHandler = (ctx: BotContext, argument: string, message: number) => Promise<unknown>;

/** `text` is what the lists of commands say of it; without one it stands in none. */
export interface Command {
  name: string;
  text?: TextKey;
}

/**
 * One thing that people do with the bot. A further one is a file like `deposit.ts` and a line in `features.ts`; menus,
 * commands, taps, flows, *Back* from a card and *Again* from a receipt follow from it.
 */
export interface Feature {
  /** Lower case, and what its buttons' data begin with. */
  name: string;
  /** What its button in the menu and its command do. */
  open?: Handler;
  menu?: MenuEntry | readonly MenuEntry[];
  command?: Command;
  /** Another command that does the same. */
  alias?: Command;
  /** What else can be tapped: `button` of {@link callbackData}. */
  buttons?: Readonly<Record<string, ButtonHandler>>;
  /** What taps on its buttons will need in any case, by the same names; `open` too: see {@link readAhead}. */
  ahead?: Readonly<Record<string, ReadAhead<unknown>['begin']>>;
  /**
   * Whether it is there for who taps or writes, `button` by button (`open` for its command); where it isn't, they mean
   * nothing. Asked at every action: see `admins-only.ts`.
   */
  isThere?(ctx: BotContext, button: string): boolean;
  /** Its taps leave an open flow as it is. */
  keepsFlow?: true;
  /** Its questions. Raised whenever they change: what was begun under another version is forgotten, not gone on wrongly. */
  flow?: Flow & { version: number };
  /** Takes the secret that it asked for with `session.awaiting`; the message is deleted already. */
  secretInput?: SecretInput;
  /** What a link to the bot leads to, by what stands in it behind `start=`. */
  follow?(ctx: BotContext, payload: string): Promise<unknown>;
  /** Where its flow begins with all that an operation of this kind asked for. */
  again?: { kind: string; start(request: OperationRequest, at: AgainAt): unknown };
}

/** At its last question; at its card once more; for one more of what was done; at a fresh card in place of one that no longer tells the truth. */
export type AgainAt = 'last question' | 'card' | 'one more' | 'fresh card';

export interface SecretInput {
  /** `secret` is the message's text; `undefined` where it had none. */
  take(ctx: BotContext, secret: string | undefined): Promise<unknown>;
  /** Their message was plainly a question: it was left where it is. */
  explain: Handler;
  /** Nobody waits for it any more: what comes is no secret. */
  isOver?(ctx: BotContext): boolean;
  /** It could not be deleted, so what it says is no secret any more. */
  exposed: Handler;
}

/** All that features may have; `services.ts` fills it. */
export interface FeatureDeps {
  links: Links;
  hooks: EventHooks;
  noticeSettings: NoticeSettings;
  eventReceiving: EventReceiving;
  leaveAccount: LeaveAccount;
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
    | 'codes'
    | 'rests'
    | 'dailyCap'
  >;
  operator: Operator;
  people: Pick<People, 'find' | 'met' | 'page' | 'bar' | 'quiet'>;
  countPeople: CountPeople;
  broadcasts: Broadcasts;
  isAdmin: (user: number) => boolean;
  /** What admins do beyond looking is noted in it. */
  adminLog: AdminLog;
  invoices: Invoices;
  /** Where an invoice can be opened by others. */
  invoiceLinks: (invoice: Invoice) => InvoiceLinks;
  announced: AnnouncedAddresses;
  /** Tells those whom an announced address concerns. */
  addressNews: {
    announced(asked: Announced): Promise<unknown>;
    struck(announced: Announced): Promise<unknown>;
  };
  /** Tells who holds the account besides this user that its service reports are off. */
  tellOfReportsOff(account: number, by: number): Promise<unknown>;
  /** Has the service asked for what happens at an account. */
  looks: Pick<Looks, 'follow' | 'expect' | 'expectBalance' | 'visit'>;
  /** What came in and what was refused. */
  tally: Pick<Tally, 'day'>;
  /** What waits to be told. */
  backlog: () => Promise<Backlog>;
  /** Tells those at the chat what may not have come. */
  outbox: Pick<Outbox, 'here'>;
  /** Epoch milliseconds. */
  now: () => number;
  /** How an operation's card looks now. */
  card(words: Words, operation: Operation): Promise<View>;
  paymentsGate: PaymentsGate;
  /** Has an operation carried out whose claim was committed, away from the update. */
  carryOut(claimed: Stored): void;
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
