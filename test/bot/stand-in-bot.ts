import { Bot, HttpError, type Middleware } from 'grammy';
import type { Update } from 'grammy/types';
import type { BotContext } from '../../src/bot/context.ts';

export const CHAT = 502;

/** Result of a call: an error, an unusual result, or none. `during`: called before the usual result. */
type Trouble =
  | { during: () => void }
  | { code: number; description: string; retryAfter?: number }
  | { result: unknown }
  | 'unreached'
  | 'hangs';

/** Creates a bot with the middleware under test and a mocked Telegram API. */
export function standInBot(...middleware: Middleware<BotContext>[]) {
  const calls: { method: string; payload: Record<string, unknown> }[] = [];
  const troubles = new Map<string, Trouble>();
  const bot = new Bot<BotContext>('700:stands-in-for-a-token', {
    botInfo: {
      id: 700,
      is_bot: true,
      first_name: 'Energy Rental',
      username: 'rental_demo_bot',
      can_join_groups: true,
      can_read_all_group_messages: false,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: false,
      allows_users_to_create_topics: false,
      can_manage_bots: false,
      supports_join_request_queries: false,
    },
  });
  bot.api.config.use(async (_, method, payload) => {
    calls.push({ method, payload: { ...payload } });
    const trouble = troubles.get(method);
    if (trouble === 'hangs') return new Promise(() => {});
    if (trouble === 'unreached') throw new HttpError('no answer', new Error('ECONNREFUSED'));
    if (trouble && 'during' in trouble) trouble.during();
    else if (trouble && 'result' in trouble) return { ok: true, result: trouble.result as never };
    else if (trouble) {
      const parameters = trouble.retryAfter === undefined ? {} : { retry_after: trouble.retryAfter };
      return { ok: false, error_code: trouble.code, description: trouble.description, parameters };
    }
    const result = /^(send|edit|copy)/.test(method)
      ? { message_id: 1_000 + calls.length, date: 0, chat: { id: CHAT } }
      : true;
    return { ok: true, result: JSON.parse(JSON.stringify(result)) };
  });
  bot.use(...middleware);
  return {
    bot,
    calls,
    handle: (update: Update) => bot.handleUpdate(update),
    /** Returns the sent texts, in order. */
    said: () =>
      calls.filter(({ method }) => method === 'sendMessage').map(({ payload }) => String(payload.text)),
    /** Makes calls of `method` fail or return an unusual result, or work again for `undefined`. */
    trouble(method: string, trouble: Trouble | undefined): void {
      if (trouble) troubles.set(method, trouble);
      else troubles.delete(method);
    },
  };
}

export function tapUpdate(id: number, data: string, { chat = CHAT, message = 40 } = {}): Update {
  const from = { id: chat, is_bot: false, first_name: 'Guest' };
  return {
    update_id: id,
    callback_query: {
      id: String(id),
      from,
      chat_instance: '1',
      data,
      message: {
        message_id: message,
        date: 1,
        chat: { id: chat, type: 'private', first_name: 'Guest' },
        text: '',
      },
    },
  };
}

export function groupUpdate(id: number, text: string, language?: string): Update {
  return {
    update_id: id,
    message: {
      message_id: id,
      date: 0,
      chat: { id: -1001, type: 'supergroup', title: 'Demo group' },
      from: { id: CHAT, is_bot: false, first_name: 'Guest', ...(language && { language_code: language }) },
      text,
    },
  };
}
