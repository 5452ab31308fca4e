import type { Api } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Log } from '../log.ts';
import { callWithRetry } from './call-with-retry.ts';
import type { Pause } from './pause.ts';
import { ALLOWED_UPDATES } from './updates.ts';

export interface BotSetup {
  /** Per language; those of `defaultLanguage` are shown in every other. */
  commands: Record<string, BotCommand[]>;
  /** What a person reads in the bot's profile, at most 120 characters per language. */
  shortDescriptions?: Record<string, string>;
  /** What a person reads in the empty chat, at most 512 characters per language. */
  descriptions?: Record<string, string>;
  defaultLanguage?: string;
  webhook?: { url: string; secretToken: string };
  log: Log;
  /** Gives up. */
  signal?: AbortSignal;
  sleep?: Pause;
}

/** At once, as with long polling: https://core.telegram.org/bots/api#setwebhook */
const MAX_CONNECTIONS = 40;
/** How long to try with what the bot could do without. */
const PATIENCE_MS = 10_000;

/**
 * Tells Telegram where updates go, and goes on while Telegram is away, for as long as `signal` lets it; rejects
 * where the webhook is refused. Then sets commands and descriptions: where that fails the log says so, and the
 * next start tries again.
 */
export async function setUpBot(api: Api, setup: BotSetup): Promise<void> {
  const { commands, shortDescriptions = {}, descriptions = {}, defaultLanguage = 'en' } = setup;
  const { webhook, log, signal, sleep } = setup;

  if (webhook) {
    const { url, secretToken } = webhook;
    if (!/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) throw new RangeError('a webhook needs a secret token');
    const how = {
      secret_token: secretToken,
      allowed_updates: ALLOWED_UPDATES,
      max_connections: MAX_CONNECTIONS,
    };
    await callWithRetry(() => api.setWebhook(url, how), { log, signal, sleep });
  }
  try {
    for (const [language, list] of perLanguage(commands)) {
      await decorate(() => api.setMyCommands(list, language));
    }
    for (const [language, text] of perLanguage(shortDescriptions)) {
      await decorate(() => api.setMyShortDescription(text, language));
    }
    for (const [language, text] of perLanguage(descriptions)) {
      await decorate(() => api.setMyDescription(text, language));
    }
  } catch (err) {
    if (signal?.aborted) throw err;
    log.warn({ err }, 'commands and descriptions were not all set');
  }

  function decorate(call: () => Promise<true>): Promise<true> {
    return callWithRetry(call, { log, signal, sleep, patienceMs: PATIENCE_MS });
  }

  function perLanguage<T>(texts: Record<string, T>): [{ language_code?: LanguageCode }, T][] {
    return Object.entries(texts).map(([language, text]) => [
      language === defaultLanguage ? {} : { language_code: language as LanguageCode },
      text,
    ]);
  }
}
