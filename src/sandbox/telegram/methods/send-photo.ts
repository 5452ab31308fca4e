import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { readPhoto } from '../photo-input.ts';
import { json, newMessage, text } from './fields.ts';
import { method } from './method.ts';
import { send } from './sending.ts';

export const sendPhoto = method(
  'sendPhoto',
  {
    ...newMessage,
    photo: text.default(''),
    caption: text.optional(),
    caption_entities: json.optional(),
  },
  async ({ chat_id, photo, caption, caption_entities, ...params }, world, { uploads }) => {
    const body = formatCaption({
      text: caption,
      entities: caption_entities,
      parse_mode: params.parse_mode,
    });
    const keyboard = readKeyboard(params.reply_markup);
    const name = photo === '' && uploads.has('photo') ? 'photo' : photo;
    const content = { ...body, keyboard, photo: await readPhoto(name, uploads, world.photos) };
    return send(world, chat_id, content, params.reply_parameters);
  },
);
