import type { Conversation, ConversationFlavor } from '@grammyjs/conversations';
import type { Context } from 'grammy';
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
}

export interface BotFlavor {
  tx: UpdateTransaction;
  session: Session;
  words: Words;
  /** Said above whatever is shown next: that something was left for it, in Telegram's HTML. */
  lead?: string;
  /** Shown over the chat as the answer to the tap. */
  toast?: string;
  entering?: FlowEntry;
  /** The data of the tapped message's buttons, once the update was trimmed. */
  carried?: string[];
}

export type BotContext = ConversationFlavor<Context & BotFlavor>;

/** Within a flow there is only grammY's own context: what needs more happens in `external`, on the outer one. */
export type Flow<Start = unknown> = (
  conversation: Conversation<BotContext, Context>,
  context: Context,
  start: Start,
) => Promise<void>;
