import type { Chat, ChatMessage } from './chat.ts';

/** How the bot asked for its updates. */
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

/** The Bot API, as leanly as grammY lets it be; answers the `result` of a call. No limits. */
export function createTelegramStandIn(deps: {
  chatOf: (id: number) => Chat | undefined;
  setWebhook: (webhook: Webhook) => void;
}) {
  const { chatOf, setWebhook } = deps;

  function show(chat: Chat, id: number, { text = '', reply_markup: markup }: Params): void {
    const rows = markup?.inline_keyboard ?? [];
    const buttons = rows.flat().map((one) => ({ label: one.text, data: one.callback_data ?? '' }));
    chat.shown({ id, html: text, markup, buttons } satisfies ChatMessage);
  }

  return (method: string, body: string): unknown => {
    const params: Params = body === '' ? {} : JSON.parse(body);
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
      case 'editMessageText':
        if (chat) show(chat, params.message_id ?? 0, params);
        return sent(params.message_id ?? 0, params);
      case 'editMessageReplyMarkup':
        return sent(params.message_id ?? 0, params);
      default:
        return true;
    }
  };
}

function sent(id: number, { chat_id, text }: Params) {
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1000),
    chat: { id: chat_id, type: 'private' },
    text,
  };
}
