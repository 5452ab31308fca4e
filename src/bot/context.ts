import type { Conversation, ConversationFlavor } from '@grammyjs/conversations';
import type { Context } from 'grammy';
import type { ChatChanges } from '../storage/storage.ts';
import type { Language, Words } from '../texts/texts.ts';

/** What a chat remembers between updates, apart from an open flow. */
export interface Session {
  /** Chosen in the settings; else the language of the person's Telegram holds. */
  language?: Language;
  /** The next message is an API key: it is deleted before anything else. */
  awaitingKey?: true;
  /** The message whose buttons answer what is asked at present. */
  question?: number;
  /** The card that waits for *Confirm*, for who answers it in words. */
  card?: { operation: string; message: number };
  /** The last card: a newer one takes its place, so that there is never a doubt which one is confirmed. */
  draft?: { operation: string; message: number };
}

/** The update's transaction of its chat: what its commit will carry. */
export interface UpdateTransaction {
  /** From 1; more where it failed before. */
  readonly attempt: number;
  readonly session: string | undefined;
  /** The open flow's state; a write here is a part of the commit. */
  conversation: string | undefined;
  saveSession(session: string): void;
  /** Carries a money claim: it is committed with everything else, or nothing is. */
  claim(claim: NonNullable<ChatChanges['claim']>): void;
  /** Runs once the commit stands. */
  afterCommit(action: () => Promise<unknown>): void;
  /** Takes back all of the above: the commit will only mark the update as handled. */
  discard(): void;
}

/** A flow by its name, to be entered once the present one is left. */
export interface FlowEntry {
  name: string;
  start: unknown;
}

export interface BotFlavor {
  tx: UpdateTransaction;
  session: Session;
  words: Words;
  /** Shown over the chat as the answer to the tap. */
  toast?: string;
  entering?: FlowEntry;
}

export type BotContext = ConversationFlavor<Context & BotFlavor>;

/** Within a flow there is only grammY's own context: what needs more happens in `external`, on the outer one. */
export type Flow<Start> = (
  conversation: Conversation<BotContext, Context>,
  context: Context,
  start: Start,
) => Promise<void>;
