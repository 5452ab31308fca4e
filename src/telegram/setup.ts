import type { Api } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Log } from '../log.ts';
import { callWithRetry } from './call-with-retry.ts';
import { isPassing } from './fault.ts';
import { forGrammy } from './for-grammy.ts';
import type { Pause } from './pause.ts';
import { ALLOWED_UPDATES } from './updates.ts';

interface Calling {
  log: Log;
  /** Gives up. */
  signal?: AbortSignal;
  sleep?: Pause;
}

export interface Webhook {
  url: string;
  secretToken: string;
}

export interface BotDescription {
  /** Per language; those of `defaultLanguage` are shown in every other. */
  commands: Record<string, BotCommand[]>;
  /** What a person reads in the bot's profile, at most 120 characters per language. */
  shortDescriptions?: Record<string, string>;
  /** What a person reads in the empty chat, at most 512 characters per language. */
  descriptions?: Record<string, string>;
  defaultLanguage?: string;
}

/** At once, as with long polling: https://core.telegram.org/bots/api#setwebhook */
const MAX_CONNECTIONS = 40;
/** How long to try with each thing that the bot could do without. */
const PATIENCE_MS = 10_000;

/**
 * Tells Telegram where updates go, and goes on while Telegram is away, for as long as `signal` lets it; rejects
 * where the webhook is refused.
 */
export async function setWebhook(api: Api, { url, secretToken }: Webhook, calling: Calling): Promise<void> {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) throw new RangeError('a webhook needs a secret token');
  const how = {
    secret_token: secretToken,
    allowed_updates: ALLOWED_UPDATES,
    max_connections: MAX_CONNECTIONS,
  };
  await callWithRetry(() => api.setWebhook(url, how), calling);
}

/**
 * Sets commands and descriptions. Never rejects: where Telegram doesn't take them the log says so, and the next start
 * tries again. Ends as soon as `signal` aborts.
 */
export async function describeBot(api: Api, about: BotDescription, calling: Calling): Promise<void> {
  const { commands, shortDescriptions = {}, descriptions = {}, defaultLanguage = 'en' } = about;
  const { log, signal } = calling;
  try {
    for (const [language, list] of perLanguage(commands)) {
      await patiently((ending) => api.setMyCommands(list, language, ending), calling);
    }
    for (const [language, text] of perLanguage(shortDescriptions)) {
      await patiently((ending) => api.setMyShortDescription(text, language, ending), calling);
    }
    for (const [language, text] of perLanguage(descriptions)) {
      await patiently((ending) => api.setMyDescription(text, language, ending), calling);
    }
  } catch (err) {
    if (!signal?.aborted) log.warn({ err }, 'commands and descriptions were not all set');
  }

  function perLanguage<T>(texts: Record<string, T>): [{ language_code?: LanguageCode }, T][] {
    return Object.entries(texts).map(([language, text]) => [
      language === defaultLanguage ? {} : { language_code: language as LanguageCode },
      text,
    ]);
  }
}

/**
 * Sets the commands that are listed in one chat, in any language, in place of those for everybody; without any, it has those
 * again (https://core.telegram.org/bots/api#determining-list-of-commands). Answers whether there is nothing to try again:
 * they are set, or Telegram refuses them for good, which is a line in the log.
 */
export async function setChatCommands(
  api: Api,
  { chat, commands }: { chat: number; commands: BotCommand[] | undefined },
  calling: Calling,
): Promise<boolean> {
  const scope = { type: 'chat', chat_id: chat } as const;
  try {
    await patiently(
      (ending) =>
        commands ? api.setMyCommands(commands, { scope }, ending) : api.deleteMyCommands({ scope }, ending),
      calling,
    );
    return true;
  } catch (err) {
    calling.log.info({ chat, err }, 'the commands of a chat were not set');
    return !isPassing(err);
  }
}

function patiently(
  call: (ending: ReturnType<typeof forGrammy> | undefined) => Promise<true>,
  calling: Calling,
): Promise<true> {
  const ending = calling.signal && forGrammy(calling.signal);
  return callWithRetry(() => call(ending), { ...calling, patienceMs: PATIENCE_MS });
}
