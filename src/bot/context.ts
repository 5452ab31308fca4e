import type { ConversationFlavor } from '@grammyjs/conversations';
import type { Context } from 'grammy';
import type { Book } from '../accounts/address-book.ts';
import type { LinkReader } from '../accounts/links.ts';
import type { Words } from '../i18n/texts.ts';
import type { Maintenance } from '../operations/payments-gate.ts';
import type { ChatChanges } from '../platform/storage.ts';
import type { Session } from './session.ts';

/** Chat transaction of one update: collects what its commit will write. */
export interface UpdateTransaction {
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Aborted when the handler runs out of time. Call `throwIfAborted` before each write outside of the commit. */
  readonly signal: AbortSignal;
  readonly session: string | undefined;
  /** State of the open flow. A changed value is written with the commit. */
  conversation: string | undefined;
  /** State of the open flow when the update was loaded. Later changes don't affect it. */
  readonly loadedConversation: string | undefined;
  /** Stores the session with the commit. `undefined` removes it. */
  saveSession(session: string | undefined): void;
  /** Adds the claim of an operation, which is committed together with everything else or not at all. */
  claim(claim: NonNullable<ChatChanges['claim']>): void;
  /** Runs the action after a successful commit. */
  afterCommit(action: () => Promise<unknown>): void;
  /** Drops all of the above: the commit will only mark the update as handled. */
  discard(): void;
}

/** Flow to enter after the current one has ended, by the name of its feature. */
export interface FlowEntry {
  feature: string;
  start: unknown;
  /** The flow was already open and continues. */
  isContinued?: true;
}

export interface BotFlavor {
  tx: UpdateTransaction;
  session: Session;
  words: Words;
  /** Text above the next view, in Telegram's HTML. It says, for example, that a flow was ended. */
  headerHtml?: string;
  /** Text of the reply to the tap, shown over the chat. */
  toast?: string;
  /** This update has edited the tapped message, which no longer shows what came with the tap. */
  tappedIsEdited?: true;
  flowToEnter?: FlowEntry;
  /** The user's link, read together with the update's transaction. Removed when the link changes. */
  linked?: LinkReader | undefined;
  /** The user's address book, read at the same time. */
  addressBook?: (() => Promise<Book>) | undefined;
  /** Whether maintenance is on, read at the same time. */
  maintenance?: ReturnType<Maintenance['readAhead']>;
  /** The account's balance in TRX, decimal, if this update has read it. */
  balance?: string | undefined;
  /** New state of the open flow, if this update has led to another question. Nothing else of the flow is stored. */
  flowState?: unknown;
}

export type BotContext = ConversationFlavor<Context & BotFlavor>;

/**
 * Result of an update in a flow: not an answer to its question, the end of the flow, or a question. `state` is all that
 * is stored of the flow until the next answer.
 */
export type FlowResult = { kind: 'unanswered' } | { kind: 'ended' } | { kind: 'asked'; state: unknown };

/** Questions of a feature, asked one at a time. */
export interface Flow {
  /** Asks the first question for a start state. */
  begin(ctx: BotContext, start: unknown): Promise<FlowResult>;
  /** Handles the update as an answer to the question of `state`, and asks the next one. */
  answer(ctx: BotContext, state: unknown): Promise<FlowResult>;
  /** Parses a stored state. Returns `undefined` if this version can't continue from it. */
  parse(stored: unknown): unknown;
}
