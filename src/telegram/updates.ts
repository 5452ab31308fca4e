import type { Message, Update } from 'grammy/types';

/** The kinds of update that the bot handles; no others are asked for. */
export const ALLOWED_UPDATES = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const;

/** The chat whose turn an update is: that of its message, else the private chat of who sent it. */
export function chatOf(update: Update): number | undefined {
  const { callback_query: tap, my_chat_member: membership } = update;
  return messageOf(update)?.chat.id ?? tap?.message?.chat.id ?? tap?.from.id ?? membership?.chat.id;
}

/** What somebody wrote, or changed what they had written to. */
export function messageOf({ message, edited_message: edited }: Update): Message | undefined {
  return message ?? edited;
}
