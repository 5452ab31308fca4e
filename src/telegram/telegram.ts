import type { Api, Transformer } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Log } from '../platform/log.ts';
import type { Connect, RecentCalls } from '../platform/service-calls.ts';
import type { BulkLimit } from './bulk-limit.ts';
import {
  callWithRetry,
  createApi,
  createTelegramTransport,
  type Fault,
  isTemporary,
  type RetryOptions,
  readFault,
} from './fetch.ts';
import { createChatHolds, createCopier, createSender } from './sender.ts';
import { ALLOWED_UPDATES } from './update-schema.ts';

/** Methods that count for Telegram's overall limit (https://core.telegram.org/bots/faq). */
const NEW_MESSAGE = /^(send(?!ChatAction)|copyMessage|forwardMessage)/;

export type Telegram = ReturnType<typeof createTelegram>;

/** Creates the Bot API clients. `client` is for replies to updates, `sender` and `copier` for other messages. */
export function createTelegram(deps: {
  token: string;
  apiRoot: string;
  calls: Pick<RecentCalls, 'note'>;
  bulkLimit: Pick<BulkLimit, 'acquireSoon' | 'countReply' | 'onRateLimited'>;
  now: () => number;
  log: Log;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
}) {
  const { token, apiRoot, calls, bulkLimit, now, log, connect } = deps;
  const holds = createChatHolds({ now });
  const { client, notificationClient, close } = createTelegramTransport({
    token,
    log,
    apiRoot,
    calls,
    onCall(method) {
      if (NEW_MESSAGE.test(method)) bulkLimit.countReply();
    },
    onDelivered: holds.onDelivered,
    now,
    connect,
  });
  const api = createApi(token, notificationClient);
  return {
    client,
    /** For calls outside of updates that aren't messages. */
    api,
    sender: createSender({ api, holds, bulkLimit }),
    copier: createCopier({ api, holds, bulkLimit, now }),
    /** Installs a transformer of all calls that the sender and the copier make. */
    use(transformer: Transformer): void {
      api.config.use(transformer);
    },
    close,
  };
}

export interface Webhook {
  url: string;
  secretToken: string;
}

export interface WebhookOptions extends RetryOptions {
  /** Called after each try, with the fault if it failed. */
  onTried?: (url: string, fault?: Fault) => Promise<unknown>;
}

export interface BotDescription {
  /** Commands by language. Those in English apply to all other languages, and so do the descriptions. */
  commands: Record<string, BotCommand[]>;
  /** Text in the bot's profile by language, at most 120 characters each. */
  shortDescriptions: Record<string, string>;
  /** Text in the empty chat by language, at most 512 characters each. */
  descriptions: Record<string, string>;
}

/** Maximum number of simultaneous connections: https://core.telegram.org/bots/api#setwebhook */
const MAX_CONNECTIONS = 40;
/** Maximum sum of waits for each optional setting. */
const MAX_TOTAL_WAIT_MS = 10_000;
/** Language of the texts for users whose language has none. */
const DEFAULT_LANGUAGE = 'en';

/** Sets the webhook. Retries while Telegram is unreachable, until `signal` aborts. Rejects if Telegram refuses it. */
export async function setWebhook(
  api: Api,
  { url, secretToken }: Webhook,
  { onTried, ...options }: WebhookOptions,
): Promise<void> {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) throw new RangeError('a webhook needs a secret token');
  const settings = {
    secret_token: secretToken,
    allowed_updates: ALLOWED_UPDATES,
    max_connections: MAX_CONNECTIONS,
  };
  await callWithRetry(async () => {
    try {
      await api.setWebhook(url, settings);
    } catch (error) {
      await onTried?.(url, readFault(error));
      throw error;
    }
  }, options);
  await onTried?.(url);
}

/**
 * Sets commands and descriptions. Never rejects: failures are logged, and the next start tries again. Ends as soon as `signal`
 * aborts.
 */
export async function describeBot(api: Api, about: BotDescription, options: RetryOptions): Promise<void> {
  const limited = { ...options, maxTotalWaitMs: MAX_TOTAL_WAIT_MS };
  try {
    for (const [language, commands] of perLanguage(about.commands))
      await callWithRetry((signal) => api.setMyCommands(commands, language, signal), limited);
    for (const [language, text] of perLanguage(about.shortDescriptions))
      await callWithRetry((signal) => api.setMyShortDescription(text, language, signal), limited);
    for (const [language, text] of perLanguage(about.descriptions))
      await callWithRetry((signal) => api.setMyDescription(text, language, signal), limited);
  } catch (err) {
    if (!options.signal?.aborted) options.log.warn({ err }, 'commands and descriptions were not all set');
  }
}

function perLanguage<T>(texts: Record<string, T>): [{ language_code?: LanguageCode }, T][] {
  return Object.entries(texts).map(([language, text]) => [
    language === DEFAULT_LANGUAGE ? {} : { language_code: language as LanguageCode },
    text,
  ]);
}

/**
 * Sets the commands of one chat in all languages. Without commands, restores the default ones
 * (https://core.telegram.org/bots/api#determining-list-of-commands). Returns false if a later attempt may succeed. Returns true
 * if the commands are set or permanently refused. Failures are logged.
 */
export async function setChatCommands(
  api: Api,
  { chat, commands }: { chat: number; commands: BotCommand[] | undefined },
  options: RetryOptions,
): Promise<boolean> {
  const scope = { type: 'chat', chat_id: chat } as const;
  try {
    await callWithRetry(
      (signal) =>
        commands ? api.setMyCommands(commands, { scope }, signal) : api.deleteMyCommands({ scope }, signal),
      { ...options, maxTotalWaitMs: MAX_TOTAL_WAIT_MS },
    );
    return true;
  } catch (err) {
    options.log.info({ chat, err }, 'the commands of a chat were not set');
    return !isTemporary(err);
  }
}
