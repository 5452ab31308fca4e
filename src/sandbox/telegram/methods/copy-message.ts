import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { chatId, integer, json, newMessage, text } from './fields.ts';
import { method } from './method.ts';
import { findMessage, put } from './sending.ts';

/**
 * Copies text, entities and file of a message, without its keyboard and its origin. A given caption replaces that of a file,
 * also if it is empty. It doesn't replace a text.
 * https://core.telegram.org/bots/api#copymessage
 */
export const copyMessage = method(
  'copyMessage',
  {
    ...newMessage,
    from_chat_id: chatId,
    message_id: integer.optional(),
    caption: text.optional(),
    caption_entities: json.optional(),
  },
  ({ chat_id, from_chat_id, message_id, caption, caption_entities, ...params }, world) => {
    const keyboard = readKeyboard(params.reply_markup);
    const given =
      caption === undefined
        ? {}
        : formatCaption({ text: caption, entities: caption_entities, parse_mode: params.parse_mode });
    const chat = world.chats.writable(chat_id);
    const source = findMessage(world.chats.named(from_chat_id), message_id, 'message to copy not found');
    const { text, entities, media, kind } = source;
    const content = { text, entities, media, kind, ...(media && given), keyboard };
    return { message_id: put(world, chat, content, params.reply_parameters).id };
  },
);
