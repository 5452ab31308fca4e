import type { Update } from 'grammy/types';

/** Creates the update of a text message in a private chat. */
export function textUpdate(id: number, chat: number, text = 'hello'): Update {
  const from = { id: chat, is_bot: false, first_name: 'Guest' };
  return {
    update_id: id,
    message: {
      message_id: id,
      date: 0,
      chat: { id: chat, type: 'private', first_name: 'Guest' },
      from,
      text,
    },
  };
}
