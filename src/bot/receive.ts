import { type Bot, BotError, GrammyError } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
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

/** Where updates come in, from the webhook or by polling. Answers for what fails outside of the error boundary. */
export function createReceiving(deps: { bot: Bot<BotContext>; texts: Texts; log: Log }): Receiving {
  const { bot, texts, log } = deps;

  /** Whether the words reached their author, or never can. */
  async function tell(update: Update, key: TextKey): Promise<boolean> {
    const chat = chatOf(update);
    const from = update.message?.from ?? update.callback_query?.from;
    if (chat === undefined || from === undefined) return true;
    try {
      await bot.api.sendMessage(chat, texts.in(languageOf(from.language_code)).plain(key));
      return true;
    } catch (err) {
      log.warn({ chat, err }, 'nobody could be told');
      return err instanceof GrammyError;
    }
  }

  async function handle(update: Update): Promise<Received> {
    try {
      await bot.handleUpdate(update);
      return { kind: 'done' };
    } catch (thrown) {
      const err = thrown instanceof BotError ? thrown.error : thrown;
      if (err instanceof ChatBusy) return { kind: 'busy' };
      log.error({ update: update.update_id, err }, 'an update failed');
      const words = wordsFor(update, err);
      // What its author was told must stay right: so the update is over, and isn't handled at some later time.
      return { kind: words !== undefined && (await tell(update, words)) ? 'done' : 'failed' };
    }
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

/** What can be said for certain about an update that was not handled; `undefined` where it should just come again. */
function wordsFor(update: Update, err: unknown): TextKey | undefined {
  // Its claim may stand, also by an earlier delivery: the watch will find it, and the card tells.
  const unclear = err instanceof NotBegun || err instanceof CommitUnclear;
  if (isConfirmation(update)) return unclear ? 'fault-unclear' : undefined;
  if (!(err instanceof NotBegun)) return undefined;
  return update.message ? 'fault-storage-message' : 'fault-storage';
}

function isConfirmation({ callback_query: tap }: Update): boolean {
  const { feature, button } = readCallbackData(tap?.data ?? '') ?? {};
  return feature === CARD_BUTTONS && button === 'confirm';
}
