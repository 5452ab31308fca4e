import { z } from 'zod';
import { formatCaption } from '../formatted-text.ts';
import { readKeyboard } from '../keyboard.ts';
import { readMedia } from '../media-input.ts';
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
 * Replaces a message by a photo or a document. A text message may become one, but not vice versa. An omitted caption or
 * keyboard is removed.
 * https://core.telegram.org/bots/api#editmessagemedia
 */
export const editMessageMedia = method(
  'editMessageMedia',
  { ...editedMessage, media: json.optional() },
  async ({ media: given, ...params }, world, { uploads }) => {
    const keyboard = readKeyboard(params.reply_markup, true);
    const { type, media: named, caption, parse_mode, caption_entities } = readInputMedia(given);
    const body = formatCaption({ text: caption, entities: caption_entities, parse_mode });
    if (type !== 'photo' && type !== 'document') throw cannotParse(`type "${type}" is unsupported`);
    const media =
      named === '' ? undefined : await readMedia({ kind: type, value: named }, uploads, world.files);
    if (!media) throw cannotParse('media not found');
    return edit(world, params, () => ({ ...body, media, keyboard }));
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
