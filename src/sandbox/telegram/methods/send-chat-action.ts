import { badRequest } from '../refusal.ts';
import { chatId, text } from './fields.ts';
import { method } from './method.ts';

const ACTIONS =
  /^(typing|choose_sticker|find_location|(upload|record)_(photo|video|voice|video_note)|upload_document)$/;

export const sendChatAction = method(
  'sendChatAction',
  { chat_id: chatId, action: text.default('') },
  ({ chat_id, action }, { chats }) => {
    if (!ACTIONS.test(action)) throw badRequest('wrong parameter action in request');
    chats.writable(chat_id);
    return true;
  },
);
