import { formatMessageText } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { json, newMessage, text } from './fields.ts';
import { method } from './method.ts';
import { send } from './sending.ts';

export const sendMessage = method(
  'sendMessage',
  { ...newMessage, text: text.optional(), entities: json.optional() },
  (params, world) => {
    const content = { ...formatMessageText(params), keyboard: readKeyboard(params.reply_markup) };
    return send(world, params.chat_id, content, params.reply_parameters);
  },
);
