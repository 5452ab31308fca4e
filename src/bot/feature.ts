import type { Pollers } from '../account-events/pollers.ts';
import type { KeyAttempts } from '../accounts/account-keys.ts';
import type { AddressAnnouncement, AddressAnnouncements } from '../accounts/address-announcements.ts';
import type { AddressBook } from '../accounts/address-book.ts';
import type { AdminLog } from '../accounts/admin-log.ts';
import type { Balances } from '../accounts/balances.ts';
import type { UnlinkAccount, UserErasure } from '../accounts/erase-user.ts';
import type { Links } from '../accounts/links.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import type { CountUsers, NotificationSettings, UserRecords, Users } from '../accounts/users.ts';
import type { WebhookSubscriptions, WebhookSwitch } from '../accounts/webhook-subscriptions.ts';
import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Texts, Words } from '../i18n/texts.ts';
import type { View } from '../i18n/view.ts';
import type { InvoiceLinks } from '../invoices/card.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { AdminAlerts } from '../notifications/admin-alerts.ts';
import type { EventMetrics } from '../notifications/event-metrics.ts';
import type { FeatureNotification } from '../notifications/kinds.ts';
import type { Notify, Outbox } from '../notifications/outbox.ts';
import type { OutboxBacklog } from '../notifications/outbox-store.ts';
import type { SendQueue } from '../operations/execute.ts';
import type { OperationRequest } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import type { Operations } from '../operations/operations.ts';
import type { Maintenance, PaymentsGate } from '../operations/payments-gate.ts';
import type { CallsSeen } from '../platform/recent-calls.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { StoredData } from '../platform/stored-data.ts';
import type { Rental } from '../rental-api/client.ts';
import type { BotContext, Flow } from './context.ts';
import type { Quotes } from './quotes.ts';

/** Menu with the button of a feature: the main menu, or one of the menus below it. */
export type Place = 'main' | 'balance' | 'more' | 'admin';

/** Users who see a button: all, those without an account, those with one, merchants among them, or admins. */
export type Audience = 'anyone' | 'guest' | 'linked' | 'merchant' | 'admin';

/** Button in a menu. `merchants`: its place for merchants, above all other buttons or in another menu. */
export interface MenuEntry {
  button: TextKey;
  place: Place;
  for: Audience;
  style?: 'primary';
  merchants?: 'first' | Place;
  /** Not shown to users of the operator's account. */
  hiddenOnOperatorAccount?: true;
}

export type Handler = (ctx: BotContext) => Promise<unknown>;

/** Handles a tap. `argument` is the button's data after its name, `message` the message with the button. */
export type ButtonHandler = (ctx: BotContext, argument: string, message: number) => Promise<unknown>;

/**
 * Button of a feature. A plain handler only shows something or begins a flow. It may schedule a read, and note which
 * message to keep up to date, but stores nothing else. Every other button is declared with {@link changes}: otherwise a
 * thief of the bot's token could send it under a harmless label.
 */
export type FeatureButton = ButtonHandler | ChangingButton | CardButton;

/** Button that changes something. It works once, before it expires, and only with its token (`button-tokens.ts`). */
interface ChangingButton {
  changes: ButtonHandler;
  /** Lifetime in milliseconds, from when the button is sent. */
  ttlMs: number;
}

/**
 * Button that decides about an operation's card. It needs no token: its handler accepts a tap only on the message that
 * the session or the operation's record names as the card (`operations/confirm.ts`).
 */
interface CardButton {
  decides: ButtonHandler;
}

/** Lifetime of a button on a screen, in milliseconds. */
const SCREEN_TTL_MS = 24 * 3600_000;
/** Lifetime of the answer to *Are you sure?*, in milliseconds. The question may be wrong after that. */
export const QUESTION_TTL_MS = 10 * 60_000;
/**
 * Lifetime of a button below a message that stays in the chat, such as a notification or a receipt, in milliseconds.
 */
export const MESSAGE_TTL_MS = 60 * 24 * 3600_000;

/**
 * Declares a button that changes something.
 *
 * @example
 * buttons: { open, 'remove-yes': changes(remove, QUESTION_TTL_MS) }
 */
export function changes(handler: ButtonHandler, ttlMs: number = SCREEN_TTL_MS): ChangingButton {
  return { changes: handler, ttlMs };
}

/** Declares a button that decides about an operation's card. */
export function decides(handler: ButtonHandler): CardButton {
  return { decides: handler };
}

/** Returns the handler of a button, however it is declared. */
export function handlerOf(button: FeatureButton | undefined): ButtonHandler | undefined {
  if (button === undefined || typeof button === 'function') return button;
  return 'changes' in button ? button.changes : button.decides;
}

/** Command of a feature. `text` is its description in the lists of commands. */
export interface Command {
  name: string;
  text: TextKey;
  /** Listed for admins only. */
  admins?: true;
}

/**
 * One feature of the bot. To add one, write a file like `deposit.ts` and add a line to `features.ts`. It then appears
 * in menus and commands, and handles taps, flows, *Back* from a card and *Again* from a receipt.
 */
export interface Feature {
  /** In lower case. The data of its buttons begins with it. */
  name: string;
  /** Handles its menu button and its command. */
  open?: Handler;
  menu?: MenuEntry | readonly MenuEntry[];
  /** Handles its command with the text after it. Without this function, that text is ignored. */
  onCommandText?(ctx: BotContext, text: string): Promise<unknown>;
  /** Starts with a given address. Available to all users who see its button in a menu. */
  startWithAddress?: (ctx: BotContext, address: string) => Promise<unknown>;
  /** Handles a text that no question expected. Returns whether it could use the text. */
  onText?(ctx: BotContext, text: string): Promise<boolean>;
  command?: Command;
  /** Another command that does the same. */
  alias?: Command;
  /** Admin commands by name, each with the button that does the same. */
  buttonCommands?: Readonly<Record<string, { button: string; text: TextKey }>>;
  /** Further buttons, by the `button` of {@link callbackData}. */
  buttons?: Readonly<Record<string, FeatureButton>>;
  /** Data that taps on its buttons always need, by the name of the button or `open`: see {@link createPrefetch}. */
  prefetch?: Readonly<Record<string, Prefetch<unknown>['start']>>;
  /**
   * Returns whether it is available to the user, for each button (`open` for its command). If not, taps and commands
   * have no effect. Checked at every action: see `admins-only.ts`.
   */
  isAvailable?(ctx: BotContext, button: string): boolean;
  /** Taps on its buttons don't leave an open flow. */
  keepsFlow?: true;
  /**
   * Questions of the feature. Raise the version whenever they change: a flow of another version is discarded instead of
   * continued incorrectly.
   */
  flow?: Flow & {
    version: number;
    /** A way to each question. Tests answer each of them in every odd way. */
    examples?: readonly QuestionExample[];
  };
  /** Periodic work, on one replica at a time. It must be safe to repeat. Errors are logged. */
  watchers?: readonly { name: string; everyMs: number; run(): Promise<void> }[];
  /** Erases what the feature stores about a user outside of keys with the user's hash tag. Must be safe to repeat. */
  eraseUser?(user: number): Promise<unknown>;
  /** Its topics in Help, after the general ones. `topic` is part of the button's data. */
  help?: readonly { topic: string; question: TextKey; answer: TextKey }[];
  /** Handles the secret that the feature requested with `session.awaiting`. */
  secretInput?: SecretInput;
  /** Handles a link to the bot. `payload` is the token in its `start` parameter. */
  onStartLink?(ctx: BotContext, payload: string): Promise<unknown>;
  /** Returns the state that starts its flow with everything that an operation of this kind requested. */
  restart?: { kind: string; start(request: OperationRequest, at: RestartPoint): unknown };
}

/** Way to one question of a flow. */
export interface QuestionExample {
  /** What the user does: a command or text to send, or the callback data of a button to tap. */
  inputs: readonly string[];
  /** Text that explains which answers the question accepts. The reply to any other answer contains it. */
  expected: TextKey;
}

/**
 * Point at which a flow starts: its last question, its card again, one more of what was done, or a card with current
 * data.
 */
export type RestartPoint = 'last question' | 'card' | 'one more' | 'fresh card';

export interface SecretInput {
  /** Expects an API key, and also handles the operator's. */
  acceptsKeys?: true;
  /** `secret` is the message's text, or `undefined` if it had none. */
  handle(ctx: BotContext, secret: string | undefined): Promise<unknown>;
  /** Asks for the secret again, in the tapped message. */
  repeatQuestion?: Handler;
  /** Replies to a message that is clearly a question and was therefore not deleted. */
  explain: Handler;
  /** Returns whether the secret is no longer expected. */
  isExpired?(ctx: BotContext): boolean;
  /** warning to the author after `handle`, if the message couldn't be deleted. */
  exposedText: TextKey;
}

/**
 * Data that an update is known to need when it arrives. It is read together with the update's transaction, and only
 * once.
 */
interface Prefetch<T> {
  /**
   * Starts to read. Called again if the update had to wait for its chat, so that it sees the changes made before it.
   */
  start(ctx: BotContext, argument: string): void;
  /** Returns what was prefetched, or reads it now. */
  get(ctx: BotContext, argument: string): Promise<T>;
}

/**
 * @example
 * const gate = createPrefetch(() => paymentsGate.closed());
 * return { name: 'energy', prefetch: { open: gate.start }, open: async (ctx) => say(await gate.get(ctx, '')) };
 */
export function createPrefetch<T>(read: (ctx: BotContext, argument: string) => Promise<T>): Prefetch<T> {
  const begun = new WeakMap<BotContext, Promise<T>>();
  return {
    start(ctx, argument) {
      const reading = read(ctx, argument);
      // Callers of `get` get the error.
      reading.catch(() => undefined);
      begun.set(ctx, reading);
    },
    get: (ctx, argument) => begun.get(ctx) ?? read(ctx, argument),
  };
}

/** Sources of the system's state. */
interface StateSources {
  /** As observed by this process. */
  rental: () => CallsSeen;
  telegram: () => CallsSeen;
  storage: Pick<Storage, 'ping' | 'durability' | 'fsyncPolicy' | 'replicas'>;
  /** How long the oldest due item of a queue has waited, in milliseconds. `undefined` if nothing is due. */
  overdue: Readonly<Record<Queue, () => Promise<number | undefined>>>;
  version: string;
  /** Start time of this process, in epoch milliseconds. */
  startedAt: number;
}

export type Queue = 'operations' | 'invoices' | 'jobs';

/** Dependencies of all features. `composition.ts` creates them. */
export interface FeatureDeps {
  links: Links;
  webhookSubscriptions: WebhookSubscriptions;
  notificationSettings: NotificationSettings;
  webhookSwitch: WebhookSwitch;
  unlinkAccount: UnlinkAccount;
  userErasure: UserErasure;
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
    | 'completedOnce'
    | 'cooldowns'
    | 'dailyCap'
    | 'settledCounts'
    | 'unresolved'
    | 'proposals'
    | 'searchNow'
    | 'resolveManually'
    | 'pendingSummary'
    | 'operatorCap'
  >;
  operator: Operator;
  /** Limits that admins have set for the operator's account. */
  operatorLimits: OperatorLimits;
  users: Pick<Users, 'find' | 'recordActivity' | 'page' | 'setBanned' | 'setBroadcastOptOut'>;
  countUsers: CountUsers;
  broadcasts: Broadcasts;
  isAdmin: (user: number) => boolean;
  /** Log of everything that admins change. */
  adminLog: AdminLog;
  /** Records under a user's own number. */
  userRecords: UserRecords;
  invoices: Invoices;
  /** Returns the links with which other users can open an invoice. */
  invoiceLinks: (invoice: Invoice) => InvoiceLinks;
  addressAnnouncements: AddressAnnouncements;
  /** Notifies the users whom an announced address concerns. */
  addressNotifications: {
    announced(asked: AddressAnnouncement): Promise<unknown>;
    struck(announced: AddressAnnouncement): Promise<unknown>;
  };
  /** Notifies all admins about the operator's account. */
  adminAlerts: Pick<AdminAlerts, 'operatorAccountChanged' | 'operatorKeySent'>;
  /** Notifies the other holders of the account that its service reports are off. */
  notifyReportsOff(account: number, by: number, update: number): Promise<unknown>;
  /** Schedules polling of accounts. */
  pollers: Pick<Pollers, 'addAccount' | 'pollSoon' | 'pollBalanceIfNeeded' | 'onUserActive'>;
  /** Numbers of events that came in or were refused. */
  eventMetrics: Pick<EventMetrics, 'readDay'>;
  /** Sources of the state that admins can see. */
  state: StateSources;
  /** Notifies the other admins that maintenance was turned on or off, once per `id`. */
  notifyMaintenanceChange(turned: { turn: 'on' | 'off'; admin: number; id: string }): Promise<unknown>;
  /** Sends a notification of a kind that the feature lists under `notifications`. */
  notify: Notify;
  /** Measures the pending notifications. */
  readOutboxBacklog: () => Promise<OutboxBacklog>;
  /** Delivers what may not have arrived when a user is active in the chat. */
  outbox: Pick<Outbox, 'onUserActive'>;
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
  /** Lines of the privacy screen about what features store. */
  privacyLines: readonly TextKey[];
  storage: Storage;
  records: SignedRecords;
}

export type CreateFeature = (deps: FeatureDeps) => Feature;

/** What a feature stores and sends. It is known without creating the feature. */
interface FeatureDuties {
  /**
   * Data that the feature stores. It appears in the documentation and follows the rules of *Forget me* by itself. `text`
   * is the line about it in the privacy screen.
   */
  stores?: { data: readonly StoredData[]; text: TextKey };
  /** Kinds of notifications that the feature sends with `deps.notify`. */
  notifications?: readonly FeatureNotification[];
}

/** Feature as listed in `features.ts`. */
export interface FeatureDefinition extends FeatureDuties {
  create: CreateFeature;
}

/**
 * Defines a feature.
 *
 * @example
 * export const depositFeature = defineFeature((deps) => ({ name: 'deposit', open: (ctx) => show(ctx, view) }));
 */
export function defineFeature(create: CreateFeature): FeatureDefinition;
export function defineFeature(duties: FeatureDuties, create: CreateFeature): FeatureDefinition;
export function defineFeature(
  first: FeatureDuties | CreateFeature,
  create?: CreateFeature,
): FeatureDefinition {
  if (typeof first === 'function') return { create: first };
  if (create === undefined) throw new TypeError('a feature needs a function that creates it');
  return { ...first, create };
}
