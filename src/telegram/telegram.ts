import { Api, type Transformer } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Connect } from '../platform/connect.ts';
import type { Log } from '../platform/log.ts';
import type { RecentCalls } from '../platform/recent-calls.ts';
import { callWithRetry, createTelegramFetch, isTemporary, toGrammySignal } from './fetch.ts';
import { createOutgoing, type Sleep } from './rate-limiter.ts';
import { createChatHolds, createCopier, createSender } from './sender.ts';
import { ALLOWED_UPDATES } from './update-queue.ts';

/** Longer than a long poll of 30 s. */
const API_TIMEOUT_S = 50;

/** Creates the Bot API clients. `client` is for replies to updates, `sender` and `copier` for other messages. */
export function createTelegram(deps: {
  token: string;
  apiRoot: string;
  /** Records the result of every call. */
  calls: Pick<RecentCalls, 'note'>;
  now: () => number;
  log: Log;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
}) {
  const { token, apiRoot, calls, now, log, connect } = deps;
  const outgoing = createOutgoing({ now });
  const holds = createChatHolds({ now });
  const { fetch, fetchOnce, close } = createTelegramFetch({
    log,
    apiRoot,
    calls,
    onCall: outgoing.countCall,
    onDelivered: holds.onDelivered,
    now,
    connect,
  });
  const options = { apiRoot, timeoutSeconds: API_TIMEOUT_S };
  const api = new Api(token, { ...options, fetch: fetchOnce });
  return {
    client: { ...options, fetch },
    sender: createSender({ api, holds, now }),
    copier: createCopier({ api, holds, now }),
    /** Installs a transformer of all calls that the sender and the copier make. */
    use: (transformer: Transformer) => api.config.use(transformer),
    outgoing,
    close,
  };
}

interface CallOptions {
  log: Log;
  /** Aborts the retries. */
  signal?: AbortSignal;
  sleep?: Sleep;
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
const MAX_TOTAL_WAIT_MS = 10_000;

/** Sets the webhook. Retries while Telegram is unreachable, until `signal` aborts. Rejects if Telegram refuses the webhook. */
export async function setWebhook(
  api: Api,
  { url, secretToken }: Webhook,
  calling: CallOptions,
): Promise<void> {
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
export async function describeBot(api: Api, about: BotDescription, calling: CallOptions): Promise<void> {
  const { commands, shortDescriptions = {}, descriptions = {}, defaultLanguage = 'en' } = about;
  const { log, signal } = calling;
  try {
    for (const [language, list] of perLanguage(commands)) {
      await callWithLimitedRetry((ending) => api.setMyCommands(list, language, ending), calling);
    }
    for (const [language, text] of perLanguage(shortDescriptions)) {
      await callWithLimitedRetry((ending) => api.setMyShortDescription(text, language, ending), calling);
    }
    for (const [language, text] of perLanguage(descriptions)) {
      await callWithLimitedRetry((ending) => api.setMyDescription(text, language, ending), calling);
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
  calling: CallOptions,
): Promise<boolean> {
  const scope = { type: 'chat', chat_id: chat } as const;
  try {
    await callWithLimitedRetry(
      (ending) =>
        commands ? api.setMyCommands(commands, { scope }, ending) : api.deleteMyCommands({ scope }, ending),
      calling,
    );
    return true;
  } catch (err) {
    calling.log.info({ chat, err }, 'the commands of a chat were not set');
    return !isTemporary(err);
  }
}

function callWithLimitedRetry(
  call: (ending: ReturnType<typeof toGrammySignal> | undefined) => Promise<true>,
  calling: CallOptions,
): Promise<true> {
  const ending = calling.signal && toGrammySignal(calling.signal);
  return callWithRetry(() => call(ending), { ...calling, maxTotalWaitMs: MAX_TOTAL_WAIT_MS });
}
