import type { Transformer } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Pollers } from '../account-events/pollers.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Book } from '../accounts/address-book.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Texts, Words } from '../i18n/texts.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { AdminAlerts } from '../notifications/admin-alerts.ts';
import type { FeatureNotification } from '../notifications/kinds.ts';
import type { Notify } from '../notifications/outbox.ts';
import type { OperationRequest } from '../operations/kinds/kind.ts';
import type { Maintenance } from '../operations/maintenance.ts';
import type { EarlierPurchase, Operation } from '../operations/operation.ts';
import type { Operations } from '../operations/operations.ts';
import type { Closed, PaymentsGate } from '../operations/payments-gate.ts';
import type { Quotes } from '../operations/quotes.ts';
import type { RenderPicture } from '../pictures/render.ts';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecords, StoredData } from '../platform/records.ts';
import type { ChatTransactions, Storage } from '../platform/storage.ts';
import type { ApiClient } from '../telegram/fetch.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, type View } from '../views/view.ts';
import type { BotContext, Flow, FlowResult, UpdateTimeouts } from './context.ts';
import { showText } from './reply.ts';

export type MenuPlace = 'main' | 'balance' | 'more' | 'admin';

export type MenuAudience = 'anyone' | 'guest' | 'linked' | 'merchant' | 'admin';

/** Button in a menu. `merchants`: its place for merchants, above all other buttons or in another menu. */
interface MenuEntry {
  button: TextKey;
  place: MenuPlace;
  for: MenuAudience;
  style?: 'primary';
  merchants?: 'first' | MenuPlace;
  hiddenOnOperatorAccount?: true;
}

type NamedEntry = MenuEntry & { name: string };

/** Returns the menu entries for these audiences. `usesOperatorAccount`: the user uses the operator's account. */
export function menuEntries(
  features: readonly Feature[],
  to: readonly MenuAudience[],
  { usesOperatorAccount }: { usesOperatorAccount?: true | undefined } = {},
): NamedEntry[] {
  return features
    .flatMap(({ name, menu = [] }) => [menu].flat().map((entry: MenuEntry) => ({ ...entry, name })))
    .filter((entry) => entry.for === 'anyone' || to.includes(entry.for))
    .filter(({ hiddenOnOperatorAccount }) => !(usesOperatorAccount && hiddenOnOperatorAccount));
}

/** Returns the button of an entry. `data` replaces its default target. */
export function entryButton(
  words: Words,
  { name, button: key, style }: NamedEntry,
  data = callbackData(name, 'open'),
): InlineKeyboardButton {
  return button(words, key, data, style);
}

export type Handler = (ctx: BotContext) => Promise<unknown>;

/** Handles a tap on a button of `message`. `argument` is the button's data after its name. */
export type ButtonHandler = (ctx: BotContext, argument: string, message: number) => Promise<unknown>;

/**
 * Button of a feature. A plain handler only shows something, begins a flow, schedules a read or records which
 * message to keep up to date. Every button that stores anything else is declared with {@link changes}:
 * otherwise a thief of the bot's token could send it under a harmless label.
 */
export type FeatureButton = ButtonHandler | ChangingButton | CardButton;

/** Button that changes something. It works once, before it expires, with its token ({@link ButtonTokens}). */
interface ChangingButton {
  changes: ButtonHandler;
  /** Milliseconds from when the button is sent. */
  ttlMs: number;
}

/**
 * Button that decides about an operation's card. It needs no token: its handler accepts taps only on the
 * message that the session or the operation names as the card.
 */
interface CardButton {
  decides: ButtonHandler;
}

/**
 * Tokens of buttons that change something. Without `SECRET_KEY`, a thief of the bot's token can't make them.
 * The MAC is an HMAC-SHA256, cut to 64 bits, over chat, feature, button, argument, expiry and random bytes.
 * Only used tokens are stored, so messages sent outside of updates can have tokens too.
 * @example
 * api.config.use(tokens.sign);
 * if (!(await tokens.redeem({ chat, update, data }))) ctx.toast = expired;
 */
export interface ButtonTokens {
  /** Adds a token to each button that changes something, in every keyboard that is sent or edited. */
  sign: Transformer;
  /**
   * Returns whether a tap may be handled, and uses up its token. The same update may redeem it again, because
   * it may have failed after the first time. A button that changes nothing needs no token.
   */
  redeem(tap: { chat: number; update: number; data: string }): Promise<boolean>;
}

const SCREEN_TTL_MS = DAY_MS;
/** Lifetime of the answer to *Are you sure?*, in milliseconds. The question may be wrong after that. */
export const QUESTION_TTL_MS = 10 * MINUTE_MS;
/** Lifetime of a button below a message that stays, such as a receipt, in milliseconds. */
export const MESSAGE_TTL_MS = 60 * DAY_MS;

/** Declares a button that changes something, for example `'remove-yes': changes(remove, QUESTION_TTL_MS)`. */
export function changes(handler: ButtonHandler, ttlMs: number = SCREEN_TTL_MS): ChangingButton {
  return { changes: handler, ttlMs };
}

export function decides(handler: ButtonHandler): CardButton {
  return { decides: handler };
}

export function handlerOf(button: FeatureButton | undefined): ButtonHandler | undefined {
  if (button === undefined || typeof button === 'function') return button;
  return 'changes' in button ? button.changes : button.decides;
}

/**
 * Command of a feature. `text` is its description in the lists of commands. `inMenu`: Telegram lists it when the user types
 * a slash. *Help* lists all commands, those for `merchants` or `admins` only to them. `linked`: does nothing without a
 * linked account.
 */
export interface Command {
  name: string;
  text: TextKey;
  inMenu?: true;
  linked?: true;
  merchants?: true;
  admins?: true;
  /** Further words for a command of a button, like a feature's `words`. */
  words?: readonly string[];
}

/**
 * Feature of the bot. To add one, write a file like `balance.ts` and add a line to `features.ts`. It then
 * appears in menus and commands, and handles taps, flows, *Back* from a card and *Again* from a receipt.
 */
export interface Feature {
  /** In lower case. The data of its buttons begins with it. */
  name: string;
  open?: Handler;
  menu?: MenuEntry | readonly MenuEntry[];
  /** Handles its command with the text after it. Without this function, that text is ignored. */
  onCommandText?(ctx: BotContext, text: string): Promise<unknown>;
  /**
   * Starts with a given address, and with an order's amount, hours and note if they are known. Available to all users who see
   * its button in a menu. An address in a message starts the first such feature of the user's menu.
   */
  startWithAddress?: (
    ctx: BotContext,
    address: string,
    answers?: { amount?: number; hours?: number; note?: string },
  ) => Promise<unknown>;
  /** Handles a text that no question expected. Returns whether it could use the text. */
  onText?(ctx: BotContext, text: string): Promise<boolean>;
  /**
   * Like `onText`, asked first while the feature's screen is the last one. Its screens set `session.screen` to the
   * feature's name.
   */
  onScreenText?(ctx: BotContext, text: string): Promise<boolean>;
  /**
   * Words, in every language and in lower case, that open the feature if no question expected them. The names of its
   * commands and the labels of its menu buttons do so, too.
   */
  words?: readonly string[];
  /** Form of texts, without the signs at their end, that are handled like the text after its command: `invoice 7`. */
  textForm?: { test(text: string, ctx: BotContext): boolean | Promise<boolean> };
  /** Reads a text that means its command. Returns the text after the command, or `undefined`. */
  readCommand?(text: string): string | undefined;
  /** Words like `words` that press one of its buttons, by the button's name. */
  buttonWords?: Readonly<Record<string, readonly string[]>>;
  command?: Command;
  alias?: Command;
  /** Further commands by name, each with the button that does the same. */
  buttonCommands?: Readonly<Record<string, Omit<Command, 'name'> & { button: string }>>;
  buttons?: Readonly<Record<string, FeatureButton>>;
  /** Data that its buttons (or `open`) always need: see {@link createPrefetch}. */
  prefetch?: Readonly<Record<string, Prefetch<unknown>['start']>>;
  /** Returns whether the user may use a button (`open` for its command). Checked at every tap and command. */
  isAvailable?(ctx: BotContext, button: string): boolean;
  /**
   * Buttons that leave an open flow or card as it is (`open` for its command), or `true` for all of them. After a command,
   * the question or card is shown again below. A tap or command that begins a flow ends the open one.
   */
  keepsFlow?: true | readonly string[];
  /**
   * Buttons whose commands and names leave an open card as it is (`open` for the feature's own), and show it again below.
   * An open question ends.
   */
  keepsCard?: readonly string[];
  /**
   * Stays available to suspended users: what informs them, and what removes their data. All of the feature, or only these
   * buttons (`open` for its command).
   */
  forSuspended?: true | readonly string[];
  /** Questions. Raise the version whenever they change: flows of other versions are discarded. */
  flow?: Flow & {
    version: number;
    examples?: readonly QuestionExample[] | undefined;
    /**
     * Returns whether the feature's button begins anew instead of returning to a question or card with these answers,
     * for example because the next order is for another customer. By default it returns.
     */
    startsAnew?(state: unknown): boolean;
  };
  /** Periodic work, on one replica at a time. It must be safe to repeat. Errors are logged. */
  watchers?: readonly { name: string; everyMs: number; run(): Promise<void> }[];
  /** Erases data about a user outside of keys with the user's hash tag. Must be safe to repeat. */
  eraseUser?(user: number): Promise<unknown>;
  /** Help topics, listed after the general ones. */
  help?: readonly HelpTopic[];
  /** Handles the secret that the feature requested with `session.awaiting`. */
  secretInput?: SecretInput;
  /**
   * Links to the bot that open the feature, with the labels of the buttons that broadcasts offer for them. The part before
   * the first hyphen is the link's name. `onCommandText` handles the words after it, whichever a link has.
   * @example { buy: 'button-energy', 'buy-65000-1h': 'button-energy-transfer' } // https://t.me/BOT?start=buy-131000
   */
  startLinks?: Readonly<Record<string, TextKey>>;
  /** Returns why the words of a link can't be used, or `undefined`. */
  linkProblem?(words: Words, text: string): string | undefined;
  /** Handles a link to an invoice. `payload` is the token in its `start` parameter. */
  onStartLink?(ctx: BotContext, payload: string): Promise<unknown>;
  /** Returns the state that starts its flow with the answers of an operation of this kind. */
  restart?: {
    kind: string;
    /**
     * `voided`: id of the void card that the new one repeats. `formerEstimate`: estimate of a card that was refused.
     * `question`: step that asks it. Default: the last one. `wantedHours`: hours that those of the request replace.
     */
    start(
      request: OperationRequest,
      at: RestartPoint,
      about?: Partial<Record<'voided' | 'formerEstimate' | 'question', string | undefined>> & {
        wantedHours?: number | undefined;
      },
    ): unknown;
    /** Returns a line for a draft's card about what its user has besides, in Telegram's HTML. */
    cardNote?(ctx: BotContext, request: OperationRequest): Promise<string | undefined>;
    /** Shows an existing result that makes the confirmation unnecessary. Returns whether there is one. */
    insteadOfConfirming?(ctx: BotContext, request: OperationRequest): Promise<boolean>;
    /** Returns the answers that a text below the card replaces, as the state of its flow, or `undefined` if it replaces none. */
    answersIn?(request: OperationRequest, text: string): object | undefined;
    /**
     * Returns the question whether a text below the card is meant as a part of the order, with what its flow needs for it.
     * Returns `undefined` if the text can be none. `isOther`: it also asks for something else.
     */
    questionAbout?(
      request: OperationRequest,
      text: string,
      isOther: boolean,
    ): { question: string; answers: object } | undefined;
  };
}

/** Question and answer in Help. A step of any flow can name the `topic`, which is also part of button data. */
export interface HelpTopic {
  topic: string;
  question: TextKey;
  answer: TextKey;
}

/** Inputs that lead to one question, so that tests can give every kind of unexpected answer. */
export interface QuestionExample {
  /** Each one is a command or text to send, or the callback data of a button to tap. */
  inputs: readonly string[];
  /** Text in the reply to an answer that the question doesn't accept. */
  expected: TextKey;
}

/** Point at which a flow starts: a question, its card, a repetition, or a card with current data. */
export type RestartPoint = 'question' | 'card' | 'one more' | 'fresh card';

/** Handlers of a feature that requests secrets. A secret never reaches a flow. */
export interface SecretInput {
  acceptsKeys?: true;
  /** `secret` is the message's text, or `undefined` if it had none. */
  handle(ctx: BotContext, secret: string | undefined): Promise<unknown>;
  repeatQuestion?: Handler;
  /** Replies to a message that is clearly a question and was therefore not deleted. */
  explain: Handler;
  isExpired?(ctx: BotContext): boolean;
  /** Warning after `handle` if the message couldn't be deleted. */
  exposedText: TextKey;
}

/** Data that an update is known to need. It is read once, together with the update's transaction. */
interface Prefetch<T> {
  /** Starts to read. Called again after the update has waited for its chat, to see changes made before it. */
  start(ctx: BotContext, argument: string): void;
  get(ctx: BotContext, argument: string): Promise<T>;
}

/** Creates a prefetch. Its `start` is listed under `prefetch` of a feature, whose handler awaits `get`. */
export function createPrefetch<T>(read: (ctx: BotContext, argument: string) => Promise<T>): Prefetch<T> {
  const begun = new WeakMap<BotContext, Promise<T>>();
  return {
    start(ctx, argument) {
      const reading = read(ctx, argument);
      reading.catch(() => undefined);
      begun.set(ctx, reading);
    },
    get: (ctx, argument) => begun.get(ctx) ?? read(ctx, argument),
  };
}

type SharedStore =
  | 'links'
  | 'pendingLinks'
  | 'operator'
  | 'accountReader'
  | 'webhookSubscriptions'
  | 'addressAnnouncements'
  | 'addressBook'
  | 'depositAddresses'
  | 'users'
  | 'adminLog';

/** Dependencies that features share with each other and with the bot. A feature adds its own ({@link defineFeature}). */
export interface FeatureDeps extends Pick<Accounts, SharedStore> {
  quotes: Quotes;
  operations: Operations;
  paymentsGate: PaymentsGate;
  maintenance: Maintenance;
  /** `note`: text about a draft, below its title, in Telegram's HTML. `message`: message that will show a cancelled card. */
  card(
    words: Words,
    operation: Operation,
    more?: { note?: string; book?: Book; message?: number },
  ): Promise<View>;
  /** Returns the user's earlier purchase for the same address that a card of the request warns of, if any. */
  findEarlierPurchase(user: number, request: OperationRequest): Promise<EarlierPurchase | undefined>;
  /** Returns whether the earlier purchase that the user's card points out has changed since. */
  hasEarlierPurchaseChanged(user: number, earlier: EarlierPurchase): Promise<boolean>;
  invoices: Invoices;
  isAdmin: (user: number) => boolean;
  adminAlerts: Pick<AdminAlerts, 'operatorAccountChanged' | 'operatorKeySent'>;
  notify: Notify;
  pollers: Pick<Pollers, 'addAccount' | 'pollSoon' | 'onUserActive'>;
  texts: Texts;
  renderPicture: RenderPicture;
  supportUrl: string | undefined;
  accountUrl: string | undefined;
  /** The operator's API key, also used for data that every user may read, such as prices. */
  operatorKey: string | undefined;
  /** Returns the public address of a hook. `undefined` if the bot has none. */
  hookUrl: ((hook: string) => string) | undefined;
  /** Shows the menu in the tapped message, or as a new one. */
  openMenu: Handler;
  features(): readonly Feature[];
  storage: Storage;
  records: SignedRecords;
  now: () => number;
}

export interface BotDeps extends FeatureDeps {
  token: string;
  client: ApiClient;
  chats: ChatTransactions;
  buttonTokens: ButtonTokens;
  /** Called when a user who may have blocked the bot uses it again, so that pending notifications are sent. */
  onReturn: (chat: number) => Promise<unknown>;
  updateTimeouts?: UpdateTimeouts | undefined;
  log: Log;
}

/** Data and notifications of a feature, listed without creating the feature. */
interface FeatureDuties {
  /**
   * Data that the feature stores. Data about users also needs `text`, the key of its line in the privacy screen, and
   * `example`: texts to send and callback data to tap that leave such data. Tests then show that *Forget me* erases it.
   */
  stores?: { data: readonly StoredData[]; text?: TextKey; example?: readonly string[] };
  notifications?: readonly FeatureNotification[];
}

/** Feature before its creation. `Deps`: what it needs. */
export interface FeatureDefinition<Deps extends FeatureDeps> extends FeatureDuties {
  create: (deps: Deps) => Feature;
}

/**
 * Defines a feature. If it needs more than {@link FeatureDeps}, the type of its parameter lists that, and the compiler
 * asks `composition.ts` for it.
 * @example
 * export const depositFeature = defineFeature((deps) => ({ name: 'deposit', open: (ctx) => show(ctx, view) }));
 *
 * interface NewsDeps extends FeatureDeps {
 *   broadcasts: Pick<Broadcasts, 'ended'>;
 * }
 * export const newsFeature = defineFeature(({ broadcasts }: NewsDeps) => ({ name: 'news', open }));
 */
export function defineFeature<Deps extends FeatureDeps = FeatureDeps>(
  create: (deps: Deps) => Feature,
): FeatureDefinition<Deps>;
export function defineFeature<Deps extends FeatureDeps = FeatureDeps>(
  duties: FeatureDuties,
  create: (deps: Deps) => Feature,
): FeatureDefinition<Deps>;
export function defineFeature<Deps extends FeatureDeps>(
  first: FeatureDuties | ((deps: Deps) => Feature),
  create?: (deps: Deps) => Feature,
): FeatureDefinition<Deps> {
  if (typeof first === 'function') return { create: first };
  if (create === undefined) throw new TypeError('a feature needs a function that creates it');
  return { ...first, create };
}

/** Returns whether the update comes from an admin. The chat is always private (`privateOnly`). */
export function isByAdmin({ isAdmin }: FeatureDeps, { from }: BotContext): boolean {
  return isAdmin(from.id);
}

/**
 * Wraps a feature below *Admin*, which doesn't exist for other users. Each tap, command and answer is
 * checked, because buttons and open flows outlive an admin's permission.
 * @example
 * adminsOnly(deps, {
 *   name: 'people',
 *   button: 'button-people',
 *   command: { name: 'people', text: 'command-people' },
 *   open: (ctx) => show(ctx, people(ctx)),
 * });
 */
export function adminsOnly(
  deps: FeatureDeps,
  about: Omit<Feature, 'menu' | 'command' | 'isAvailable'> & { button: TextKey; command: Command },
): Feature {
  const { button, command, flow, ...feature } = about;
  const isAvailable = (ctx: BotContext) => isByAdmin(deps, ctx);

  const forAdminsOnly =
    (go: (ctx: BotContext, state: unknown) => Promise<FlowResult>): typeof go =>
    async (ctx, state) => {
      if (isAvailable(ctx)) return go(ctx, state);
      await showUnexpected(ctx);
      return { kind: 'ended' };
    };

  return {
    keepsFlow: true,
    ...feature,
    isAvailable,
    menu: { button, place: 'admin', for: 'admin' },
    command: { ...command, admins: true },
    ...(flow && { flow: { ...flow, begin: forAdminsOnly(flow.begin), answer: forAdminsOnly(flow.answer) } }),
  };
}

/** Responds to an input that nothing handles: to a tap with a toast, to a message with what it may contain. */
export async function showUnexpected(ctx: BotContext): Promise<void> {
  if (ctx.callbackQuery) ctx.toast = ctx.words.plain('toast-question-over');
  if (ctx.message !== undefined) await showText(ctx, ctx.words.html('menu-idle'));
}

type ClosedTexts = Record<Closed['by'], TextKey>;

const BY_STORAGE = { storage: 'gate-closed', 'data-lost': 'gate-closed' } as const;
/** Texts while no operations are accepted: at the start of a flow, at *Confirm*, and for a one-time code. */
export const CLOSED_FLOW: ClosedTexts = { ...BY_STORAGE, maintenance: 'maintenance' };
export const CLOSED_CARD: ClosedTexts = { ...BY_STORAGE, maintenance: 'maintenance-card' };
export const CLOSED_CODE: ClosedTexts = { ...BY_STORAGE, maintenance: 'maintenance-code' };

/** Returns why no operations are accepted, or `undefined`. Each update reads it once. */
export async function closedFor({ paymentsGate }: FeatureDeps, ctx: BotContext): Promise<Closed | undefined> {
  ctx.closed ??= paymentsGate.closed();
  return ctx.closed;
}

/** Returns whether maintenance is on. Each update reads it once. */
export async function isInMaintenance({ maintenance }: FeatureDeps, ctx: BotContext): Promise<boolean> {
  ctx.maintenance ??= maintenance.readAhead();
  return (await ctx.maintenance()) !== undefined;
}

/** Renders that maintenance is on, or an empty text. A menu opens even if that can't be read. */
export async function maintenanceNotice(deps: FeatureDeps, ctx: BotContext): Promise<string> {
  const isOn = await isInMaintenance(deps, ctx).catch(() => false);
  return isOn ? ctx.words.html('menu-maintenance') : '';
}
