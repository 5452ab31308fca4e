import { z } from 'zod';
import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { isMissingAttachment, readPhoto } from '../photo-input.ts';
import { badRequest } from '../refusal.ts';
import { editedMessage, json } from './fields.ts';
import { method } from './method.ts';
import { edit } from './sending.ts';

const inputMedia = z.object({
  type: z.string(),
  media: z.string().default(''),
  caption: z.string().optional(),
  parse_mode: z.string().optional(),
  caption_entities: z.unknown().optional(),
});

/**
 * Photos only; a text message may become one, and is none again then. What isn't given of caption and keyboard is gone.
 * https://core.telegram.org/bots/api#editmessagemedia
 */
export const editMessageMedia = method(
  'editMessageMedia',
  { ...editedMessage, media: json.optional() },
  async ({ media: given, ...params }, world, { uploads }) => {
    const keyboard = readKeyboard(params.reply_markup, true);
    const media = readInputMedia(given);
    const body = formatCaption({
      text: media.caption,
      entities: media.caption_entities,
      parse_mode: media.parse_mode,
    });
    if (media.media === '' || isMissingAttachment(media.media, uploads)) throw cannotParse('media not found');
    if (media.type !== 'photo') throw cannotParse(`type "${media.type}" is unsupported`);
    const photo = await readPhoto(media.media, uploads, world.photos);
    return edit(world, params, () => ({ ...body, photo, keyboard }));
  },
);

const cannotParse = (problem: string) => badRequest(`can't parse InputMedia: ${problem}`);

function readInputMedia(given: unknown): z.output<typeof inputMedia> {
  if (given === undefined || given === '') throw badRequest('parameter "media" is required');
  if (typeof given === 'string') throw badRequest("can't parse input media JSON object");
  const media = inputMedia.safeParse(given);
  if (media.success) return media.data;
  const [issue] = media.error.issues;
  const field = issue?.path.join('.');
  if (!field) throw cannotParse('expected an Object');
  throw cannotParse(
    field in Object(given) ? `Field "${field}" must be of type String` : `Can't find field "${field}"`,
  );
}
