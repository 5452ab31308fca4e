import type { Update } from 'grammy/types';

/** The kinds of update that the bot handles; no others are asked for. */
export const ALLOWED_UPDATES = ['message', 'callback_query', 'my_chat_member'] as const;

/** The chat whose turn an update is: that of its message, else the private chat of who sent it. */
export function chatOf(update: Update): number | undefined {
  const { message, callback_query: tap, my_chat_member: membership } = update;
  return message?.chat.id ?? tap?.message?.chat.id ?? tap?.from.id ?? membership?.chat.id;
}
