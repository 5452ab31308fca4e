import type { Middleware } from 'grammy';
import type { Chat, Update, User } from 'grammy/types';
import { findAddresses } from '../../rental/address.ts';
import type { BotContext } from '../context.ts';
import { carriedData } from '../reply.ts';

/** Longer than any answer that a step understands. */
const MOST_CHARACTERS = 256;
/** One alone is taken, and several are refused. */
const MOST_ADDRESSES = 2;

/**
 * Leaves of an update only what a flow answers by. Stands above the flows, which keep whole updates in their replay log:
 * what a message quotes, forwards or attaches may hold a secret, nobody reads it there, and it is kept for weeks.
 */
export const trimUpdate: Middleware<BotContext> = async (ctx, next) => {
  ctx.carried = carriedData(ctx);
  // Another object, since the update may be handled once more.
  Object.assign(ctx, { update: trimmed(ctx.update) });
  await next();
};

function trimmed(update: Update): Update {
  const { update_id, message, callback_query: tap } = update;
  if (message) {
    const { message_id, date, from, chat, text, caption } = message;
    const words = {
      ...(text !== undefined && { text: cut(text) }),
      ...(caption !== undefined && { caption: cut(caption) }),
    };
    const kept = { message_id, date, chat: bare(chat), ...(from && { from: known(from) }), ...words };
    return { update_id, message: kept as typeof message };
  }
  if (tap) {
    const { id, from, chat_instance, data, message: tapped } = tap;
    const place = tapped && { message_id: tapped.message_id, date: tapped.date, chat: bare(tapped.chat) };
    const kept = { id, from: known(from), chat_instance, data, ...(place && { message: place }) };
    return { update_id, callback_query: kept as typeof tap };
  }
  return update;
}

/** A long text is the addresses in it, or its beginning. */
function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MOST_CHARACTERS) return text;
  const addresses = findAddresses(text).slice(0, MOST_ADDRESSES);
  return addresses.length > 0 ? addresses.join(' ') : characters.slice(0, MOST_CHARACTERS).join('');
}

function bare({ id, type }: Chat): Pick<Chat, 'id' | 'type'> {
  return { id, type };
}

function known({ id, is_bot, language_code }: User): Partial<User> {
  return { id, is_bot, ...(language_code !== undefined && { language_code }) };
}
