import type { Bot } from 'grammy';
import { LANGUAGES, type Texts } from '../i18n/texts.ts';
import type { Log } from '../platform/log.ts';
import { callWithRetry } from '../telegram/fetch.ts';
import { type BotDescription, setWebhook, type Webhook } from '../telegram/setup.ts';
import type { BotContext } from './context.ts';
import type { Feature } from './features/feature.ts';
import { commandList } from './listed-commands.ts';

/** Returns the bot's commands and descriptions, by language. */
export function botDescription(texts: Texts, features: readonly Feature[]): BotDescription {
  const perLanguage = <T>(make: (words: ReturnType<Texts['in']>) => T) =>
    Object.fromEntries(LANGUAGES.map((language) => [language, make(texts.in(language))]));
  return {
    commands: perLanguage((words) => commandList(words, features, { isAdmin: false })),
    shortDescriptions: perLanguage((words) => words.plain('bot-short-description')),
    descriptions: perLanguage((words) => words.plain('bot-description')),
  };
}

/** Reads the bot's own name, then sets the webhook unless updates are polled. Retries while Telegram is unreachable. */
export async function startBot(
  bot: Bot<BotContext>,
  { webhook, ...calling }: { webhook?: Webhook; log: Log; signal: AbortSignal },
): Promise<void> {
  bot.botInfo = await callWithRetry(() => bot.api.getMe(), calling);
  if (webhook) await setWebhook(bot.api, webhook, calling);
}
