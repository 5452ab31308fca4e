import type { Chat, ChatMessage } from './chat.ts';
import type { TelegramLimits } from './telegram-limits.ts';

/** Webhook that the bot has set. */
export interface Webhook {
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
    const buttons = rows.flat().map((one) => ({ label: one.text, data: one.callback_data ?? '' }));
    chat.shown({ id, html: text, markup, buttons } satisfies ChatMessage);
  }

  function result(method: string, params: Params): unknown {
    const chat = params.chat_id === undefined ? undefined : chatOf(params.chat_id);
    switch (method) {
      case 'getMe':
        return ME;
      case 'setWebhook':
        setWebhook({ url: params.url ?? '', secret: params.secret_token ?? '' });
        return true;
      case 'sendMessage': {
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
    const params: Params = body === '' ? {} : JSON.parse(body);
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

function sent(id: number, { chat_id, text }: Params) {
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1000),
    chat: { id: chat_id, type: 'private' },
    text,
  };
}
