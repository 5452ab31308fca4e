import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { BotApiError } from '../../src/sandbox/telegram/bot-api-error.ts';
import { createRateLimiter } from '../../src/sandbox/telegram/rate-limiter.ts';
import { withPlainSpaces } from '../support/plain-spaces.ts';
import type { Chat, ChatMessage } from './person.ts';

/** Webhook that the bot has set. */
interface Webhook {
  url: string;
  secret: string;
}

interface Params {
  chat_id?: number;
  message_id?: number;
  text?: string;
  reply_markup?: { inline_keyboard?: { text: string; callback_data?: string }[][] };
  url?: string;
  secret_token?: string;
}

const ME = { id: 700, is_bot: true, first_name: 'Bench', username: 'bench_bot' };

/** A response of the Bot API. */
export interface Answered {
  status: number;
  answer: object;
}

/** Creates a minimal stand-in for the Bot API that grammY accepts. */
export function createTelegramStandIn(deps: {
  chatOf: (id: number) => Chat | undefined;
  limits: Pick<TelegramLimits, 'retryAfter'>;
  setWebhook: (webhook: Webhook) => void;
}) {
  const { chatOf, limits, setWebhook } = deps;
  let copies = 0;

  function show(chat: Chat, id: number, { text = '', reply_markup: markup }: Params): void {
    const rows = markup?.inline_keyboard ?? [];
    const buttons = rows
      .flat()
      .map((one) => ({ label: withPlainSpaces(one.text), data: one.callback_data ?? '' }));
    chat.shown({ id, html: withPlainSpaces(text), markup, buttons } satisfies ChatMessage);
  }

  function result(method: string, params: Params): unknown {
    const chat = params.chat_id === undefined ? undefined : chatOf(params.chat_id);
    switch (method) {
      case 'getMe':
        return ME;
      case 'setWebhook':
        setWebhook({ url: params.url ?? '', secret: params.secret_token ?? '' });
        return true;
      case 'sendMessage':
      case 'sendDocument': {
        const id = chat?.nextId() ?? 0;
        if (chat) show(chat, id, params);
        return sent(id, params);
      }
      case 'copyMessage':
        copies += 1;
        return { message_id: copies };
      case 'editMessageText':
        if (chat) show(chat, params.message_id ?? 0, params);
        return sent(params.message_id ?? 0, params);
      case 'editMessageReplyMarkup':
        return sent(params.message_id ?? 0, params);
      default:
        return true;
    }
  }

  function answer(method: string, body: string): Answered {
    const params = readParams(body);
    const isNew = method === 'sendMessage';
    const seconds =
      params.chat_id !== undefined && (isNew || method === 'editMessageText')
        ? limits.retryAfter(params.chat_id, isNew)
        : undefined;
    if (seconds === undefined) return { status: 200, answer: { ok: true, result: result(method, params) } };
    const description = `Too Many Requests: retry after ${seconds}`;
    const parameters = { retry_after: seconds };
    return { status: 429, answer: { ok: false, error_code: 429, description, parameters } };
  }

  return { answer, copies: () => copies };
}

/** Reads JSON, or the chat and the caption of a file's form. */
function readParams(body: string): Params {
  if (!body.startsWith('--')) return body === '' ? {} : JSON.parse(body);
  const field = (name: string) => new RegExp(`name="${name}"\\r\\n\\r\\n(.*)`).exec(body)?.[1];
  return { chat_id: Number(field('chat_id')), text: field('caption') ?? '' };
}

function sent(id: number, { chat_id, text }: Params) {
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1000),
    chat: { id: chat_id, type: 'private' },
    text,
  };
}

/**
 * Approximate limits of Telegram: 30 messages a second in total, and one a second per chat except for short bursts.
 */
const LIMITS = { perSecond: 30, perChatPerSecond: 1 };

/** Applies Telegram's limits if they are turned on, and counts violations. */
export function createTelegramLimits() {
  const rateLimiter = createRateLimiter({ limits: LIMITS, now: () => performance.now() });
  const until = new Map<number, number>();
  let isOn = false;
  let refused = 0;
  let disobeyed = 0;
  return {
    turn({ on }: { on: boolean }) {
      isOn = on;
      [refused, disobeyed] = [0, 0];
      until.clear();
    },
    counts: () => ({ refused, disobeyed }),
    /** Returns the delay in seconds if a new message or an edit is refused, otherwise `undefined`. */
    retryAfter(chat: number, isNew: boolean): number | undefined {
      if (!isOn) return undefined;
      const now = performance.now();
      if (now < (until.get(chat) ?? 0)) disobeyed += 1;
      if (!isNew) return undefined;
      try {
        rateLimiter.countMessage(chat);
        return undefined;
      } catch (error) {
        const seconds = error instanceof BotApiError ? (error.retryAfter ?? 1) : 1;
        refused += 1;
        until.set(chat, now + seconds * 1_000);
        return seconds;
      }
    },
  };
}

type TelegramLimits = ReturnType<typeof createTelegramLimits>;

/** The bot's `max_connections`. */
const CONNECTIONS = 40;
const RETRY_DELAY_MS = 100;
const TRIES = 300;

/**
 * Sends updates to the webhook and retries each until it is accepted. `callInResponse` is called with the method and the
 * parameters of a call that a bot makes in its response to an update
 * (https://core.telegram.org/bots/api#making-requests-when-getting-updates).
 */
export function createPushing({ callInResponse }: { callInResponse(method: string, params: string): void }) {
  const pools = new Map<string, Pool>();
  const known = new Map<string, { webhook: Webhook; pool: Pool }>();

  return {
    to(name: string, webhook: Webhook): void {
      const { origin } = new URL(webhook.url);
      const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS });
      pools.set(origin, pool);
      known.set(name, { webhook, pool });
    },
    async push(name: string, update: object): Promise<void> {
      const body = JSON.stringify(update);
      for (let tries = 0; tries < TRIES; tries++) {
        const target = known.get(name);
        if (target === undefined) throw new Error(`no webhook is set for ${name}`);
        const { webhook, pool } = target;
        const path = new URL(webhook.url).pathname;
        const headers = {
          'content-type': 'application/json',
          'x-telegram-bot-api-secret-token': webhook.secret,
        };
        const answer = await pool.request({ method: 'POST', path, headers, body }).catch(() => undefined);
        const call = await answer?.body.text().catch(() => undefined);
        if (answer?.statusCode === 200) {
          if (call?.startsWith('{')) callInResponse(JSON.parse(call).method, call);
          return;
        }
        await delay(RETRY_DELAY_MS);
      }
      throw new Error('an update was never accepted');
    },
  };
}
