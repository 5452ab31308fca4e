import { z } from 'zod';
import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { readPhoto } from '../photo-input.ts';
import { badRequest } from '../refusal.ts';
import { editedMessage, parsed } from './fields.ts';
import { method } from './method.ts';
import { edit } from './sending.ts';

const inputMedia = z.object({
  type: z.string(),
  media: z.string(),
  caption: z.string().optional(),
  parse_mode: z.string().optional(),
  caption_entities: z.unknown().optional(),
});

/** Photos only; a text message may become one. */
export const editMessageMedia = method(
  'editMessageMedia',
  { ...editedMessage, media: parsed(inputMedia) },
  async ({ media, ...params }, world, { uploads }) => {
    if (media.type !== 'photo') throw badRequest("can't parse InputMedia: unsupported type specified");
    const body = formatCaption(
      { text: media.caption, entities: media.caption_entities, parse_mode: media.parse_mode },
      true,
    );
    const keyboard = readKeyboard(params.reply_markup, true);
    const photo = await readPhoto(media.media, uploads, world.photos);
    return edit(world, params, () => ({ ...body, photo, keyboard }));
  },
);
