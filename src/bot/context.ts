import type { ConversationFlavor } from '@grammyjs/conversations';
import type { Context } from 'grammy';
import type { Chat, InlineKeyboardButton, User } from 'grammy/types';
import type { Book } from '../accounts/address-book.ts';
import type { LinkReader } from '../accounts/links.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import type { Maintenance } from '../operations/maintenance.ts';
import type { PaymentsGate } from '../operations/payments-gate.ts';
import type { ChatChanges } from '../platform/storage.ts';
import type { OpenedAccount } from '../rental-api/account-reader.ts';
import type { Session } from './session.ts';

export interface UpdateTimeouts {
  /** Lease of the chat for one update, unless it is released before. */
  leaseMs: number;
  /** Time limit of a handler. Shorter than the lease, so that no handler outlives it unnoticed. */
  handlerMs: number;
}

/** Linked account. `read` is the only way to read from it. */
export interface Payer extends OpenedAccount {
  user: number;
  account: number;
  apiKey: string;
  /** Whether it is the operator's account. Then the user is an admin. */
  usesOperatorAccount?: true | undefined;
}

/** Chat transaction of one update: collects what its commit will write. */
export interface UpdateTransaction {
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Whether the update is dropped if this attempt fails. */
  readonly isLastAttempt: boolean;
  /** Aborted when the handler runs out of time. Check it before each write outside of the commit. */
  readonly signal: AbortSignal;
  readonly session: string | undefined;
  /** State of the open flow. A changed value is written with the commit. */
  conversation: string | undefined;
  /** State of the open flow when the update was loaded. Later changes don't affect it. */
  readonly loadedConversation: string | undefined;
  /** Stores the session with the commit. `undefined` removes it. */
  saveSession(session: string | undefined): void;
  /** Adds the claim of an operation, committed together with everything else or not at all. Only one per update. */
  claim(claim: NonNullable<ChatChanges['claim']>): void;
  /** Executes an action once the changes are committed, beside other such actions. Later updates of the chat wait for it. */
  afterCommit(action: () => Promise<unknown>): void;
  /**
   * After the commit, waits for `prepared` without delaying later updates. Then executes the action that it resolves to,
   * if any, for a second at most. Does nothing if another update of the chat has begun since.
   */
  refresh(prepared: Promise<(() => Promise<unknown>) | undefined>): void;
  /**
   * Calls `prepare` after the commit, without delaying later updates. If it resolves to a change, makes that change in a
   * separate transaction of the chat.
   */
  changeLater(prepare: () => Promise<LaterChange | undefined>): void;
  /** Drops the collected changes: the commit only marks the update as handled. */
  discard(): void;
}

/**
 * Change of a chat without an update. `isAsked`: a flow's question is open. Returns the new session and what to do once it
 * is stored, or `undefined` to change nothing.
 */
export type LaterChange = (chat: {
  session: Session;
  isAsked: boolean;
}) => Promise<{ session: Session; afterCommit(): Promise<unknown> } | undefined>;

export interface Talk {
  kind: 'talk';
  /** Reply of one line. */
  reply: TextKey;
  /** Whether the text has no other words. */
  isExact: boolean;
}

export interface NamedFeature {
  kind: 'feature';
  name: string;
  menuButton: TextKey | undefined;
  hasFlow: boolean;
  open(ctx: BotContext): Promise<unknown>;
  /** Whether it only shows something. */
  keepsFlow: boolean;
  /** Whether the text has no other words. */
  isExact: boolean;
  /** Explains an open question below it. Set if the text only asks for help. */
  explain?: (topic: string) => (ctx: BotContext) => Promise<unknown>;
}

/**
 * Meaning of a message that answers no question: small talk, or the name of a feature. An open question or card comes
 * first, because the same words may be its answer.
 */
export type Aside = Talk | NamedFeature;

interface BotFlavor {
  tx: UpdateTransaction;
  session: Session;
  words: Words;
  /** `session.screen` before this update, which shows something else unless its handler sets it again. */
  lastScreen?: string | undefined;
  /** Text above the next view, in Telegram's HTML, for example a note that a flow has ended. */
  headerHtml?: string;
  /** Buttons that belong to `headerHtml`, above those of the next view. */
  headerButtons?: InlineKeyboardButton[];
  /** Text below that of the next view, with buttons above its last row. */
  footer?: { html: string; buttons: InlineKeyboardButton[] };
  /** Returns whether the user may tap a button with this data. Views leave out the others. All may be tapped if missing. */
  isUsable?(data: string): boolean;
  /** Text of the answer to the tap, shown over the chat. Must be set before the first view. */
  toast?: string;
  /** Starts to answer the tap, with `toast` if set. Only the first call of an update has an effect. */
  answerTap(): void;
  /** This update has shown something in the tapped message, so the content in the tap is outdated. */
  tappedIsReplaced?: true;
  /** Message that this update has sent last (`send`). */
  lastSent?: number;
  /** This update has sent a message. Later views go below it instead of replacing the tapped message. */
  hasSentBelow?: true;
  /** Flow to enter after the current one has ended. `isContinued`: it was already open. */
  flowToEnter?: { feature: string; start: unknown; isContinued?: true };
  /** The user's link, read with the update's transaction. Removed when the link changes. */
  linked?: LinkReader;
  /** The account of the link `by`. All reads of this update share its profile. */
  opened?: { by: LinkReader; account: OpenedAccount };
  addressBook?: () => Promise<Book>;
  maintenance?: ReturnType<Maintenance['readAhead']>;
  /** Why no operations are accepted, if so. Each update reads it once. */
  closed?: ReturnType<PaymentsGate['closed']>;
  /** Meaning of the message, for a question or card of which it is no answer. */
  aside?: Aside | undefined;
  /** New state of the open flow, if this update has led to another question. */
  flowState?: unknown;
}

/** Context of an update in a private chat. Other updates don't pass {@link privateOnly}. */
export type BotContext = ConversationFlavor<Context & BotFlavor> & {
  readonly from: User;
  readonly chat: Chat.PrivateChat;
  readonly chatId: number;
};

/** Result of an update in a flow. Only `state` is stored until the next answer. */
export type FlowResult = { kind: 'unanswered' } | { kind: 'ended' } | { kind: 'asked'; state: unknown };

export interface Flow {
  /** Questions by name, with their help topics. Tests ask for a way to each of them. */
  questions: Readonly<Record<string, { help?: string | undefined; asksForAny?: string | undefined }>>;
  begin(ctx: BotContext, start: unknown): Promise<FlowResult>;
  /** Handles the update as an answer to the question of `state`, and asks the next one. */
  answer(ctx: BotContext, state: unknown): Promise<FlowResult>;
  /** Parses a stored state. Returns `undefined` if this version can't continue from it. */
  parse(stored: unknown): unknown;
}
