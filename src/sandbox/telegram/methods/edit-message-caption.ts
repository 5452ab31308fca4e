import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { badRequest } from '../refusal.ts';
import { editedMessage, json, text } from './fields.ts';
import { method } from './method.ts';
import { edit } from './sending.ts';

export const editMessageCaption = method(
  'editMessageCaption',
  { ...editedMessage, caption: text.optional(), caption_entities: json.optional() },
  ({ caption, caption_entities, ...params }, world) => {
    const body = formatCaption(
      { text: caption, entities: caption_entities, parse_mode: params.parse_mode },
      true,
    );
    const keyboard = readKeyboard(params.reply_markup, true);
    return edit(world, params, ({ media }) => {
      if (!media) throw badRequest('there is no caption in the message to edit');
      return { ...body, media, keyboard };
    });
  },
);
