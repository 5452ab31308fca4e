import { chatObject } from '../bot-objects.ts';
import { chatNotFound } from '../refusal.ts';
import { chatId } from './fields.ts';
import { method } from './method.ts';

/** Returns a chat. A private chat doesn't exist for the bot until its user has written to the bot. */
export const getChat = method('getChat', { chat_id: chatId }, ({ chat_id }, { chats }) => {
  const chat = chats.named(chat_id);
  if (chat.person && !chat.started) throw chatNotFound();
  return { ...chatObject(chat), accent_color_id: 0, max_reaction_count: 11 };
});
