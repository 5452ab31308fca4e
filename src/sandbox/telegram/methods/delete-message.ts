import { badRequest } from '../refusal.ts';
import { chatId, integer } from './fields.ts';
import { method } from './method.ts';
import { findMessage } from './sending.ts';

const DELETABLE_MS = 48 * 60 * 60 * 1_000;

/** Deletes the bot's messages and, in private chats, the user's. Messages older than 48 hours are refused. */
export const deleteMessage = method(
  'deleteMessage',
  { chat_id: chatId, message_id: integer.optional() },
  ({ chat_id, message_id }, { chats, clock }) => {
    const chat = chats.named(chat_id);
    const message = findMessage(chat, message_id, 'message to delete not found');
    const isForeign = message.author !== undefined && chat.person === undefined;
    if (isForeign) throw badRequest("message can't be deleted");
    if (clock.now() - message.sentAt > DELETABLE_MS) {
      throw badRequest("message can't be deleted for everyone");
    }
    chats.remove(chat, message);
    return true;
  },
);
