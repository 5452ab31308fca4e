import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';

/**
 * Leaves of a message only what a flow answers by. Stands above the flows, which keep whole updates in their replay log:
 * what a message quotes, forwards or attaches may hold a secret, and nobody reads it there.
 */
export const trimUpdate: Middleware<BotContext> = async ({ update }, next) => {
  const { message } = update;
  if (message) {
    const { message_id, date, from, chat, text, caption } = message;
    const words = { ...(text !== undefined && { text }), ...(caption !== undefined && { caption }) };
    update.message = { message_id, date, from, chat, ...words } as typeof message;
  }
  await next();
};
