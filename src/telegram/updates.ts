import type { Message, Update } from 'grammy/types';

/** Kinds of updates that the bot handles and requests. */
export const ALLOWED_UPDATES = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const;

/** Returns the chat by which an update is ordered: the chat of its message, or else the user's private chat. */
export function chatOf(update: Update): number | undefined {
  const { callback_query: tap, my_chat_member: membership } = update;
  return messageOf(update)?.chat.id ?? tap?.message?.chat.id ?? tap?.from.id ?? membership?.chat.id;
}

/** Returns the new or edited message of an update. */
export function messageOf({ message, edited_message: edited }: Update): Message | undefined {
  return message ?? edited;
}
