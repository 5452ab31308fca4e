import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'hono';
import { z } from 'zod';
import { badRequest } from './bot-api-error.ts';
import { type FormattedText, formatCaption, formatMessageText, renderHtml } from './html.ts';
import type { Button, InlineKeyboard } from './keyboard.ts';
import type { Files, Media, MediaKind } from './media.ts';
import { type Params, readParams } from './params.ts';
import { BOT, type Person } from './people.ts';

/** Kinds of messages without simulated content. Texts, photos, videos and documents are not among them. */
export const MESSAGE_KINDS = ['sticker', 'voice', 'animation', 'location', 'poll'] as const;

type MessageKind = (typeof MESSAGE_KINDS)[number];

const file = (type: string) => ({
  file_id: `CAACAgIAAxkBAAIB-sandbox-${type}`,
  file_unique_id: `AgADsandbox-${type}`,
  file_size: 4_096,
});
const GIF = { ...file('animation'), file_name: 'wave.mp4', mime_type: 'video/mp4' };
const option = (text: string) => ({ persistent_id: text, text, voter_count: 0 });

/**
 * Minimal Bot API fields of a message of each kind. An animation also has `document`, for backward compatibility.
 * https://core.telegram.org/bots/api#message
 */
export const KIND_FIELDS: Readonly<Record<MessageKind, object>> = {
  sticker: {
    sticker: {
      ...file('sticker'),
      type: 'regular',
      width: 512,
      height: 512,
      is_animated: false,
      is_video: false,
      emoji: '👋',
    },
  },
  voice: { voice: { ...file('voice'), duration: 3, mime_type: 'audio/ogg' } },
  animation: { animation: { ...GIF, width: 320, height: 180, duration: 3 }, document: GIF },
  location: { location: { latitude: 47.3769, longitude: 8.5417 } },
  poll: {
    poll: {
      id: '5000000000000000001',
      question: 'Tea or coffee?',
      options: [option('Tea'), option('Coffee')],
      total_voter_count: 0,
      is_closed: false,
      is_anonymous: true,
      type: 'regular',
      allows_multiple_answers: false,
      allows_revoting: true,
      members_only: false,
    },
  },
};

/** Content of a message, which an edit replaces: a text, a file with a caption, or another kind. */
export interface Content extends FormattedText {
  media?: Media | undefined;
  kind?: MessageKind | undefined;
  keyboard?: InlineKeyboard | undefined;
}

export interface NewMessage extends Content {
  /** Undefined if the bot is the author. */
  readonly author?: Person | undefined;
  readonly replyTo?: number | undefined;
  /** Original author of a forwarded message. */
  readonly forwardedFrom?: Person | undefined;
  /** Common id of an album's messages. */
  readonly albumId?: string | undefined;
}

export interface Message extends NewMessage {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly editedAt?: number | undefined;
}

export const sameContent = (a: Content, b: Content): boolean =>
  isDeepStrictEqual(
    [a.text, a.entities, a.media?.fileId, a.keyboard],
    [b.text, b.entities, b.media?.fileId, b.keyboard],
  );

/** Returns a message as a user's client shows it. The control API responds with it and streams it. */
export function messageView(message: Message) {
  const { id, author, sentAt, editedAt, replyTo, text, entities, media, kind, keyboard } = message;
  return {
    message_id: id,
    date: Math.floor(sentAt / 1000),
    from: author ? 'person' : 'bot',
    from_id: author?.id ?? BOT.id,
    ...(message.forwardedFrom && { forwarded_from: message.forwardedFrom.first_name }),
    ...(message.albumId !== undefined && { media_group_id: message.albumId }),
    ...(kind && { kind }),
    ...(media ? { caption: text, ...mediaView(media) } : { text }),
    entities,
    html: renderHtml({ text, entities }),
    ...(keyboard && { keyboard: keyboard.map((row) => row.map(buttonView)) }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    edited: editedAt !== undefined,
  };
}

function mediaView(media: Media) {
  const url = `/sandbox/telegram/${media.path}`;
  if (media.kind === 'photo') return { photo: { url } };
  if (media.kind === 'document') return { document: { url, name: media.name, size: media.bytes.length } };
  return { video: { url, width: media.width, height: media.height } };
}

function buttonView({ text, style, callback_data, url, copy_text }: Button) {
  const label = { text, ...(style !== undefined && { style }) };
  if (callback_data) return { ...label, kind: 'callback', data: callback_data };
  if (url) return { ...label, kind: 'url', url };
  if (copy_text) return { ...label, kind: 'copy', copy: copy_text.text };
  return { ...label, kind: 'other' };
}

/** Request to write a message as a user. */
interface Writing {
  from: number | undefined;
  /** User id of the original author of a forwarded message. */
  forwardFrom: number | undefined;
  /** Returns the message and stores its file, if any. @throws BotApiError if no client could send it */
  read(files: Files): NewMessage;
}

const MEDIA_KINDS: readonly MediaKind[] = ['photo', 'video', 'document'];
const WORDS = ['text', 'html', 'kind'] as const;

const message = z
  .object({
    text: z.string().trim().min(1).max(4096).optional(),
    html: z.string().optional(),
    kind: z.enum(MESSAGE_KINDS).optional(),
    from: z.number().optional(),
    forward_from: z.number().optional(),
  })
  .refine((given) => WORDS.filter((word) => given[word] !== undefined).length === 1, {
    error: `Expected one of ${WORDS.join(', ')}`,
  });

const size = z.coerce.number().int().nonnegative().default(0);
const form = z.object({
  caption: z.string().optional(),
  caption_html: z.string().optional(),
  media_group_id: z.string().min(1).optional(),
  from: z.coerce.number().optional(),
  forward_from: z.coerce.number().optional(),
  width: size,
  height: size,
  duration: size,
});

/** Parses a message: JSON, which `body` reads, or a form with a file. @throws ZodError, BotApiError */
export async function readWriting({ req }: Context, body: () => Promise<unknown>): Promise<Writing> {
  if (req.header('content-type')?.startsWith('multipart/form-data')) return readForm(await readParams(req));
  const { text, html, kind, from, forward_from: forwardFrom } = message.parse(await body());
  if (kind) return { from, forwardFrom, read: () => ({ text: '', entities: [], kind }) };
  const given = html === undefined ? { text } : { text: html, parse_mode: 'HTML' };
  return { from, forwardFrom, read: () => formatMessageText(given) };
}

function readForm({ params, uploads }: Params): Writing {
  const given = form.parse(params);
  const { caption_html: html, width, height, duration } = given;
  const caption = html === undefined ? { text: given.caption } : { text: html, parse_mode: 'HTML' };
  const kind = MEDIA_KINDS.find((each) => uploads.has(each));
  return {
    from: given.from,
    forwardFrom: given.forward_from,
    read(files) {
      const upload = kind && uploads.get(kind);
      if (!upload) throw badRequest(`expected a file named ${MEDIA_KINDS.join(', ')}`);
      const words = formatCaption(caption);
      const media = files.keep(kind, upload, { width, height, duration });
      return { ...words, media, albumId: given.media_group_id };
    },
  };
}
