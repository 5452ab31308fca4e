import type { Api } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Log } from '../log.ts';
import type { Pause } from './pause.ts';
import { reach } from './reach.ts';
import { ALLOWED_UPDATES } from './updates.ts';

export interface BotSetup {
  /** Per language; those of `defaultLanguage` are shown in every other. */
  commands: Record<string, BotCommand[]>;
  /** What a person reads before the chat begins, at most 120 characters per language. */
  shortDescriptions?: Record<string, string>;
  defaultLanguage?: string;
  webhook?: { url: string; secretToken: string };
  log: Log;
  /** Gives up. */
  signal?: AbortSignal;
  sleep?: Pause;
}

/** At once, as with long polling: https://core.telegram.org/bots/api#setwebhook */
const MAX_CONNECTIONS = 40;

/**
 * Tells Telegram where updates go and what the bot's commands are. Goes on while Telegram is away, for as long
 * as `signal` lets it; rejects with what Telegram refuses.
 */
export async function setUpBot(api: Api, setup: BotSetup): Promise<void> {
  const { commands, shortDescriptions = {}, defaultLanguage = 'en', webhook, log, signal, sleep } = setup;
  const persist = (call: () => Promise<true>) => reach(call, { log, signal, sleep });

  if (webhook) {
    const { url, secretToken } = webhook;
    if (!/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) throw new RangeError('a webhook needs a secret token');
    const how = {
      secret_token: secretToken,
      allowed_updates: ALLOWED_UPDATES,
      max_connections: MAX_CONNECTIONS,
    };
    await persist(() => api.setWebhook(url, how));
  }
  for (const [language, list] of perLanguage(commands)) {
    await persist(() => api.setMyCommands(list, language));
  }
  for (const [language, text] of perLanguage(shortDescriptions)) {
    await persist(() => api.setMyShortDescription(text, language));
  }

  function perLanguage<T>(texts: Record<string, T>): [{ language_code?: LanguageCode }, T][] {
    return Object.entries(texts).map(([language, text]) => [
      language === defaultLanguage ? {} : { language_code: language as LanguageCode },
      text,
    ]);
  }
}
