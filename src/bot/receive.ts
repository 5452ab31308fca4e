import { type Bot, BotError } from 'grammy';
import type { Update } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import { languageOf, type Texts } from '../i18n/texts.ts';
import { readCallbackData } from '../i18n/view.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import type { Log } from '../platform/log.ts';
import { isTemporary, retryAfterMsOf } from '../telegram/fetch.ts';
import type { Receive, Received } from '../telegram/update-queue.ts';
import { chatOf } from '../telegram/update-queue.ts';
import type { BotContext } from './context.ts';
import { ChatBusy, CommitUnclear, UpdateNotBegun } from './middleware/transaction.ts';

export interface UpdateReceiver {
  receive: Receive;
  /** Resolves when no update is being handled. */
  whenIdle(): Promise<void>;
}

export interface UpdateReceiverDeps {
  bot: Bot<BotContext>;
  texts: Texts;
  log: Log;
  now: () => number;
}

/**
 * Time after which a failing update is given up and its sender notified, in milliseconds. Shorter than the 150 s for
 * which Telegram keeps a tap.
 */
const GIVE_UP_AFTER_MS = 120_000;
/**
 * Maximum delay of a retry, in milliseconds. A 429 may ask for an hour. But later updates of the chat wait behind this
 * one, and Telegram may accept messages long before.
 */
const MAX_RETRY_DELAY_MS = 60_000;
/** Time after which an update is given up even if its sender can't be notified, in milliseconds. */
const ABANDON_AFTER_MS = 60 * 60_000;

/**
 * Creates the receiver of updates, which come from the webhook or from polling. Replies to failures outside of the
 * error boundary.
 */
export function createUpdateReceiver({ bot, texts, log, now }: UpdateReceiverDeps): UpdateReceiver {
  /** Time of each update's first failure in this process, longest ago first. */
  const failing = new Map<number, number>();

  /**
   * Sends a text to the update's sender. Returns `undefined` if it was sent, or can never be sent because the user has
   * blocked the bot or the chat is gone.
   */
  async function notifySender(update: Update, key: TextKey): Promise<Received | undefined> {
    const chat = chatOf(update);
    const from = update.message?.from ?? update.callback_query?.from;
    if (chat === undefined || from === undefined) return undefined;
    try {
      await bot.api.sendMessage(chat, texts.in(languageOf(from.language_code)).plain(key));
      return undefined;
    } catch (err) {
      log.warn({ chat, err }, 'the sender of a failed update was not notified');
      return isTemporary(err) ? failed(err) : undefined;
    }
  }

  function recordFailure({ update_id: id }: Update): number {
    const since = failing.get(id) ?? now();
    failing.set(id, since);
    for (const [other, began] of failing) {
      if (now() - began <= ABANDON_AFTER_MS) break;
      if (other !== id) failing.delete(other);
    }
    return now() - since;
  }

  async function handle(update: Update): Promise<Received> {
    // A webhook that is still set from the last run may deliver updates before the start is complete.
    if (!bot.isInited()) return { kind: 'busy' };
    try {
      await bot.handleUpdate(update);
      failing.delete(update.update_id);
      return { kind: 'done' };
    } catch (thrown) {
      const received = await handleFailure(update, thrown instanceof BotError ? thrown.error : thrown);
      if (received.kind === 'done') failing.delete(update.update_id);
      return received;
    }
  }

  async function handleFailure(update: Update, err: unknown): Promise<Received> {
    const ms = recordFailure(update);
    const retry: Received = err instanceof ChatBusy ? { kind: 'busy' } : failed(err);
    if (retry.kind === 'failed') log.error({ update: update.update_id, err }, 'an update failed');
    const textKey = failureText(update, err) ?? (ms > GIVE_UP_AFTER_MS ? abandonedText(update) : undefined);
    if (textKey === undefined) return retry;
    // The reply must stay true, so the update ends here and isn't handled later.
    const unsent = await notifySender(update, textKey);
    if (unsent !== undefined && ms <= ABANDON_AFTER_MS) return unsent;
    if (ms > GIVE_UP_AFTER_MS)
      log.error({ update: update.update_id, chat: chatOf(update), ms }, 'an update was given up');
    return { kind: 'done' };
  }

  const inProgress = new Set<Promise<Received>>();
  return {
    receive(update) {
      const received = handle(update).finally(() => inProgress.delete(received));
      inProgress.add(received);
      return received;
    },
    async whenIdle() {
      await Promise.allSettled(inProgress);
    },
  };
}

function failed(err: unknown): Received {
  const afterMs = Math.min(retryAfterMsOf(err), MAX_RETRY_DELAY_MS);
  return afterMs > 0 ? { kind: 'failed', afterMs } : { kind: 'failed' };
}

/** Returns what is certain about an update that wasn't handled. Returns `undefined` if it should only be retried. */
function failureText(update: Update, err: unknown): TextKey | undefined {
  // The claim may have been committed, also by an earlier delivery. Then it will be found later, and the card shows it.
  const unclear = err instanceof UpdateNotBegun || err instanceof CommitUnclear;
  if (isConfirmation(update)) return unclear ? 'fault-unclear' : undefined;
  if (!(err instanceof UpdateNotBegun)) return undefined;
  return update.message ? 'fault-storage-message' : 'fault-storage';
}

/** Returns the text about an update that is given up. */
function abandonedText(update: Update): TextKey {
  if (isConfirmation(update)) return 'fault-unclear';
  return update.message ? 'fault-given-up-message' : 'fault-given-up';
}

function isConfirmation({ callback_query: tap }: Update): boolean {
  const { feature, button } = readCallbackData(tap?.data ?? '') ?? {};
  return feature === CARD_BUTTONS && button === 'confirm';
}
