import { GrammyError } from 'grammy';
import type { Content } from '../broadcasts/broadcast.ts';
import { optOutRow } from '../i18n/opt-out.ts';
import { LANGUAGES, type Texts } from '../i18n/texts.ts';
import type { For } from './broadcast-making.ts';
import type { BotContext } from './context.ts';

/**
 * Copies a broadcast's message into the admin's chat as recipients get it, with its own buttons and the opt-out button.
 * Returns the copy's message id, or Telegram's reason if it refuses.
 *
 * @param reader language of the opt-out button; `default` means the admin's language
 */
export async function copyContent(
  ctx: BotContext,
  texts: Texts,
  { chat, message, buttons }: Pick<Content, 'chat' | 'message' | 'buttons'>,
  reader: For,
): Promise<{ message: number } | { refusal: string }> {
  const language = LANGUAGES.find((one) => one === reader) ?? ctx.words.language;
  const rows = [...buttons.map((one) => [one]), optOutRow(texts.in(language))];
  ctx.tx.signal.throwIfAborted();
  try {
    const copy = await ctx.api.copyMessage(ctx.from?.id ?? 0, chat, message, {
      reply_markup: { inline_keyboard: rows },
    });
    return { message: copy.message_id };
  } catch (error) {
    if (error instanceof GrammyError && error.error_code === 400) return { refusal: error.description };
    throw error;
  }
}
