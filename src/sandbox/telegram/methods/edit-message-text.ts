import { formatMessageText } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { badRequest } from '../refusal.ts';
import { editedMessage, json, text } from './fields.ts';
import { method } from './method.ts';
import { edit } from './sending.ts';

export const editMessageText = method(
  'editMessageText',
  { ...editedMessage, text: text.optional(), entities: json.optional() },
  (params, world) => {
    const content = { ...formatMessageText(params, true), keyboard: readKeyboard(params.reply_markup, true) };
    return edit(world, params, ({ media, kind }) => {
      if (media || kind) throw badRequest('there is no text in the message to edit');
      return content;
    });
  },
);
