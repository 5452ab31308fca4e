import type { Api } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Log } from '../platform/log.ts';
import { callWithRetry, forGrammy, isPassing } from './fetch.ts';
import type { Pause } from './rate-limiter.ts';
import { ALLOWED_UPDATES } from './update-queue.ts';

interface Calling {
  log: Log;
  /** Aborts the retries. */
  signal?: AbortSignal;
  sleep?: Pause;
}

export interface Webhook {
  url: string;
  secretToken: string;
}

export interface BotDescription {
  /** Commands by language. Those of `defaultLanguage` apply to all other languages. */
  commands: Record<string, BotCommand[]>;
  /** Text in the bot's profile by language, at most 120 characters each. */
  shortDescriptions?: Record<string, string>;
  /** Text in the empty chat by language, at most 512 characters each. */
  descriptions?: Record<string, string>;
  defaultLanguage?: string;
}

/** Maximum number of simultaneous connections: https://core.telegram.org/bots/api#setwebhook */
const MAX_CONNECTIONS = 40;
/** Maximum sum of waits for each optional setting. */
const PATIENCE_MS = 10_000;

/** Sets the webhook. Retries while Telegram is unreachable, until `signal` aborts. Rejects if Telegram refuses the webhook. */
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
 * Sets commands and descriptions. Never rejects: failures are logged, and the next start tries again. Ends as soon as `signal`
 * aborts.
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
 * Sets the commands of one chat in all languages. Without commands, restores the default ones
 * (https://core.telegram.org/bots/api#determining-list-of-commands). Returns false if a later attempt may succeed. Returns true
 * if the commands are set or permanently refused. Failures are logged.
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
