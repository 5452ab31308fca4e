import type { Context } from 'hono';
import { z } from 'zod';
import type { Files } from './files.ts';
import { formatCaption, formatMessageText } from './formatted-text.ts';
import type { MediaKind } from './media.ts';
import type { NewMessage } from './message.ts';
import { MESSAGE_KINDS } from './message-kind.ts';
import { type Params, readParams } from './params.ts';
import { badRequest } from './refusal.ts';

/** Request to write a message as a user. */
export interface Writing {
  from: number | undefined;
  /** User id of the original author of a forwarded message. */
  forwardFrom: number | undefined;
  /** Returns the message and stores its file, if any. @throws Refusal if no client could send it */
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
  ...{ width: size, height: size, duration: size },
});

/** Parses a message: JSON, which `body` reads, or a form with a file. @throws ZodError, Refusal */
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
