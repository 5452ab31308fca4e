import type { ConversationFlavor } from '@grammyjs/conversations';
import type { Context } from 'grammy';
import type { Book } from '../accounts/book.ts';
import type { Linked } from '../accounts/links.ts';
import type { Maintenance } from '../operations/maintenance.ts';
import type { ChatChanges } from '../storage/storage.ts';
import type { Words } from '../texts/texts.ts';
import type { Session } from './session.ts';

/** The update's transaction of its chat: what its commit will carry. */
export interface UpdateTransaction {
  /** From 1; more where it failed before. */
  readonly attempt: number;
  /** Aborted when the handler is cut off. Asked (`throwIfAborted`) before anything is written outside of the commit. */
  readonly signal: AbortSignal;
  readonly session: string | undefined;
  /** The open flow's state; a write here is a part of the commit. */
  conversation: string | undefined;
  /** The open flow as this update found it, whatever became of it since. */
  readonly loadedConversation: string | undefined;
  /** `undefined` removes it. */
  saveSession(session: string | undefined): void;
  /** Carries a money claim: it is committed with everything else, or nothing is. */
  claim(claim: NonNullable<ChatChanges['claim']>): void;
  /** Runs once the commit stands. */
  afterCommit(action: () => Promise<unknown>): void;
  /** Takes back all of the above: the commit will only mark the update as handled. */
  discard(): void;
}

/** A flow by its feature's name, to be entered once the present one is left. */
export interface FlowEntry {
  feature: string;
  start: unknown;
  /** It was open already: nothing new is begun by it. */
  goesOn?: true;
}

export interface BotFlavor {
  tx: UpdateTransaction;
  session: Session;
  words: Words;
  /** Said above whatever is shown next: that something was left for it, in Telegram's HTML. */
  lead?: string;
  /** Shown over the chat as the answer to the tap. */
  toast?: string;
  /** This update has edited the tapped message, which no longer shows what came with the tap. */
  tappedIsEdited?: true;
  entering?: FlowEntry;
  /** The user's link, read as the update was begun; removed where it was changed meanwhile. */
  linked?: Linked | undefined;
  /** The addresses that they know, read then too. */
  addresses?: (() => Promise<Book>) | undefined;
  /** Whether the bot is being worked on, read then too. */
  maintenance?: ReturnType<Maintenance['ahead']>;
  /** TRX, decimal: the account's balance, where this update has read it. */
  balance?: string | undefined;
  /** What the open flow stands at, where this update has led there: all that is kept of it. */
  flowState?: unknown;
}

export type BotContext = ConversationFlavor<Context & BotFlavor>;

/**
 * What an update came to in a flow: nothing, as it was no answer to its question; its end; or a question, where `state` is
 * all that is kept of the flow until that is answered.
 */
export type FlowStanding = { kind: 'unanswered' } | { kind: 'over' } | { kind: 'asked'; state: unknown };

/** The questions of a feature, one at a time. */
export interface Flow {
  /** Asks the first question of where it starts. */
  begin(ctx: BotContext, start: unknown): Promise<FlowStanding>;
  /** Takes the update as an answer to the question that `state` stands at, and asks the next one. */
  answer(ctx: BotContext, state: unknown): Promise<FlowStanding>;
  /** A state as it was kept; `undefined` where this version can't go on from it. */
  read(kept: unknown): unknown;
}
