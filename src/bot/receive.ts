import { type Bot, BotError } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import { askedToWait, isPassing } from '../telegram/fault.ts';
import type { Receive, Received } from '../telegram/received.ts';
import { chatOf } from '../telegram/updates.ts';
import { readCallbackData } from '../texts/callback-data.ts';
import type { TextKey } from '../texts/keys.ts';
import { languageOf, type Texts } from '../texts/texts.ts';
import type { BotContext } from './context.ts';
import { ChatBusy, CommitUnclear, NotBegun } from './middleware/transaction.ts';

export interface Receiving {
  receive: Receive;
  /** Resolves when no update is under way. */
  idle(): Promise<void>;
}

export interface ReceivingDeps {
  bot: Bot<BotContext>;
  texts: Texts;
  log: Log;
  now: () => number;
}

/** How long an update may fail before it is given up and its author told: less than the 150 s that Telegram keeps a tap. */
const PATIENCE_MS = 120_000;
/** A 429 may name an hour. Later updates of the chat wait behind this one, and Telegram may take messages long before. */
const MAX_WAIT_MS = 60_000;
/** Where not even that can be said, because Telegram refuses that too. */
const LAST_MS = 60 * 60_000;

/** Where updates come in, from the webhook or by polling. Answers for what fails outside of the error boundary. */
export function createReceiving({ bot, texts, log, now }: ReceivingDeps): Receiving {
  /** Since when an update fails in this process, the longest first. */
  const failing = new Map<number, number>();

  /** `undefined` once the words have reached their author, or never can: whoever blocked the bot, and chats that are gone. */
  async function tell(update: Update, key: TextKey): Promise<Received | undefined> {
    const chat = chatOf(update);
    const from = update.message?.from ?? update.callback_query?.from;
    if (chat === undefined || from === undefined) return undefined;
    try {
      await bot.api.sendMessage(chat, texts.in(languageOf(from.language_code)).plain(key));
      return undefined;
    } catch (err) {
      log.warn({ chat, err }, 'nobody could be told');
      return isPassing(err) ? failed(err) : undefined;
    }
  }

  function failsFor({ update_id: id }: Update): number {
    const since = failing.get(id) ?? now();
    failing.set(id, since);
    for (const [other, began] of failing) {
      if (now() - began <= LAST_MS) break;
      if (other !== id) failing.delete(other);
    }
    return now() - since;
  }

  async function handle(update: Update): Promise<Received> {
    // A webhook that is still set from the last run may be quicker than the start.
    if (!bot.isInited()) return { kind: 'busy' };
    try {
      await bot.handleUpdate(update);
      failing.delete(update.update_id);
      return { kind: 'done' };
    } catch (thrown) {
      const received = await answerFor(update, thrown instanceof BotError ? thrown.error : thrown);
      if (received.kind === 'done') failing.delete(update.update_id);
      return received;
    }
  }

  async function answerFor(update: Update, err: unknown): Promise<Received> {
    const ms = failsFor(update);
    const again: Received = err instanceof ChatBusy ? { kind: 'busy' } : failed(err);
    if (again.kind === 'failed') log.error({ update: update.update_id, err }, 'an update failed');
    const words = wordsFor(update, err) ?? (ms > PATIENCE_MS ? lastWords(update) : undefined);
    if (words === undefined) return again;
    // What its author was told must stay right: so the update is over, and isn't handled at some later time.
    const untold = await tell(update, words);
    if (untold !== undefined && ms <= LAST_MS) return untold;
    if (ms > PATIENCE_MS)
      log.error({ update: update.update_id, chat: chatOf(update), ms }, 'an update was given up');
    return { kind: 'done' };
  }

  const underWay = new Set<Promise<Received>>();
  return {
    receive(update) {
      const received = handle(update).finally(() => underWay.delete(received));
      underWay.add(received);
      return received;
    },
    async idle() {
      await Promise.allSettled(underWay);
    },
  };
}

function failed(err: unknown): Received {
  const afterMs = Math.min(askedToWait(err), MAX_WAIT_MS);
  return afterMs > 0 ? { kind: 'failed', afterMs } : { kind: 'failed' };
}

/** What can be said for certain about an update that was not handled; `undefined` where it should just come again. */
function wordsFor(update: Update, err: unknown): TextKey | undefined {
  // Its claim may stand, also by an earlier delivery: the watch will find it, and the card tells.
  const unclear = err instanceof NotBegun || err instanceof CommitUnclear;
  if (isConfirmation(update)) return unclear ? 'fault-unclear' : undefined;
  if (!(err instanceof NotBegun)) return undefined;
  return update.message ? 'fault-storage-message' : 'fault-storage';
}

/** What is said of an update that is given up. */
function lastWords(update: Update): TextKey {
  if (isConfirmation(update)) return 'fault-unclear';
  return update.message ? 'fault-given-up-message' : 'fault-given-up';
}

function isConfirmation({ callback_query: tap }: Update): boolean {
  const { feature, button } = readCallbackData(tap?.data ?? '') ?? {};
  return feature === CARD_BUTTONS && button === 'confirm';
}
