import type { Bot } from 'grammy';
import { BotError, GrammyError } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import { StorageUnavailable } from '../storage/storage.ts';
import type { Receive } from '../telegram/received.ts';
import { chatOf } from '../telegram/updates.ts';
import { languageOf, type Texts } from '../texts/texts.ts';
import type { BotContext } from './context.ts';
import { ChatBusy, CommitUnclear } from './middleware/transaction.ts';

/** Where updates come in, from the webhook or by polling. Answers for what fails outside of the error boundary. */
export function createReceive({
  bot,
  texts,
  log,
}: {
  bot: Bot<BotContext>;
  texts: Texts;
  log: Log;
}): Receive {
  async function tell(update: Update, key: 'fault-storage' | 'fault-saving'): Promise<boolean> {
    const chat = chatOf(update);
    const from = update.message?.from ?? update.callback_query?.from;
    const words = texts.in(languageOf(from?.language_code));
    if (chat === undefined || from === undefined) return false;
    try {
      await bot.api.sendMessage(chat, words.plain(key));
      return true;
    } catch (err) {
      log.warn({ chat, err }, 'nobody could be told');
      return err instanceof GrammyError;
    }
  }

  return async (update) => {
    try {
      await bot.handleUpdate(update);
      return { kind: 'done' };
    } catch (thrown) {
      const err = thrown instanceof BotError ? thrown.error : thrown;
      if (err instanceof ChatBusy) return { kind: 'busy' };
      log.error({ update: update.update_id, err }, 'an update failed');
      if (err instanceof CommitUnclear) {
        // It may stand. Handled again, it is found to be so; whatever it claimed is carried out once.
        await tell(update, 'fault-saving');
        return { kind: 'failed' };
      }
      // Who was told that nothing was done must be right: so the update is over, and doesn't come again later.
      if (err instanceof StorageUnavailable && (await tell(update, 'fault-storage'))) return { kind: 'done' };
      return { kind: 'failed' };
    }
  };
}
