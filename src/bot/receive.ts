import { type Bot, BotError, GrammyError } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import type { Receive } from '../telegram/received.ts';
import { chatOf } from '../telegram/updates.ts';
import type { TextKey } from '../texts/keys.ts';
import { TAP } from '../texts/taps.ts';
import { languageOf, type Texts } from '../texts/texts.ts';
import { wayOf } from './answers.ts';
import type { BotContext } from './context.ts';
import { ChatBusy, CommitUnclear, NotBegun } from './middleware/transaction.ts';

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

  return async (update) => {
    try {
      await bot.handleUpdate(update);
      return { kind: 'done' };
    } catch (thrown) {
      const err = thrown instanceof BotError ? thrown.error : thrown;
      if (err instanceof ChatBusy) return { kind: 'busy' };
      log.error({ update: update.update_id, err }, 'an update failed');
      if (err instanceof CommitUnclear || (err instanceof NotBegun && isConfirmation(update))) {
        // A claim may stand, also from an earlier delivery. Handled again, it is found to, and carried out once.
        await tell(update, 'fault-unclear');
        return { kind: 'failed' };
      }
      // Who was told that nothing was done must be right: so the update is over, and doesn't come again later.
      const told = err instanceof NotBegun && (await tell(update, nothingDone(update)));
      return { kind: told ? 'done' : 'failed' };
    }
  };
}

function isConfirmation({ callback_query: tap, message }: Update): boolean {
  return tap?.data?.startsWith(TAP.confirm('')) || wayOf(message?.text ?? '') === 'confirm';
}

function nothingDone({ message }: Update): TextKey {
  return message ? 'fault-storage-message' : 'fault-storage';
}
