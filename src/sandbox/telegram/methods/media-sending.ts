import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import type { MediaKind } from '../media.ts';
import { readMedia } from '../media-input.ts';
import { badRequest } from '../refusal.ts';
import { json, newMessage, text, videoShape } from './fields.ts';
import { type Method, method } from './method.ts';
import { send } from './sending.ts';

/** Creates a method that sends one file with a caption. The file's field is named like its kind. */
export const mediaSending = (name: string, kind: MediaKind): Method =>
  method(
    name,
    {
      ...newMessage,
      photo: text.default(''),
      document: text.default(''),
      video: text.default(''),
      ...videoShape,
      caption: text.optional(),
      caption_entities: json.optional(),
    },
    async (
      { chat_id, caption, caption_entities, width, height, duration, ...params },
      world,
      { uploads },
    ) => {
      const body = formatCaption({
        text: caption,
        entities: caption_entities,
        parse_mode: params.parse_mode,
      });
      const keyboard = readKeyboard(params.reply_markup);
      const asked = { kind, value: params[kind], shape: { width, height, duration } };
      const media = await readMedia(asked, uploads, world.files);
      if (!media) throw badRequest(`there is no ${kind} in the request`);
      return send(world, chat_id, { ...body, keyboard, media }, params.reply_parameters);
    },
  );
