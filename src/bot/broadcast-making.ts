import { createHash } from 'node:crypto';
import type { Message } from 'grammy/types';
import { z } from 'zod';
import type { BroadcastDraft } from '../broadcast/drafts.ts';
import { LANGUAGES } from '../texts/texts.ts';
import { type DialogueState, ENDS, keptSchema } from './dialogue.ts';

/** The questions by which a broadcast is made, and how it ends otherwise than by {@link ENDS}. */
export const MAKING = {
  message: 'message',
  buttons: 'buttons',
  contents: 'contents',
  audience: 'audience',
  /** The same once more, below a test. */
  tested: 'tested',
  time: 'time',
  confirm: 'confirm',
  /** What was made is a broadcast now. */
  begun: 'begun',
  /** The draft is kept for a day, and is gone. */
  gone: 'gone',
} as const;

/** For whom a message is: `default` for whose language has none of its own. */
export const FOR = ['default', ...LANGUAGES] as const;
export type For = (typeof FOR)[number];

/** All else is in the draft, which has a record of its own. */
export const makingSchema = keptSchema.extend({
  language: z.enum(FOR).optional(),
  /** What the card said that *Send* agrees to: the draft by its hash, when (epoch milliseconds), and for how many. */
  shown: z
    .object({ hash: z.string(), at: z.number(), count: z.number().or(z.enum(['late', 'failed'])) })
    .optional(),
});

export interface MakingState extends z.infer<typeof makingSchema>, DialogueState {
  /** Known for one update alone. */
  draft?: BroadcastDraft | undefined;
  /** Why a card is shown once more. */
  anew?: 'late' | 'changed' | undefined;
}

/** Where a draft lacks what the question is about: it was begun anew meanwhile, or *Back* led out of the first question. */
export function lacks({ contents, source, audience }: BroadcastDraft, step: string): string | undefined {
  if (step === MAKING.message) return undefined;
  if (step === MAKING.buttons) return source ? undefined : MAKING.gone;
  if (contents.default === undefined) return step === MAKING.contents ? ENDS.back : MAKING.gone;
  const needsAudience = step === MAKING.time || step === MAKING.confirm;
  return needsAudience && audience === undefined ? MAKING.audience : undefined;
}

/** Of all that a draft would send, to whom and when. */
export function hashOfDraft({ contents, audience, at }: BroadcastDraft): string {
  return hashOf([contents, audience, at]);
}

/**
 * The broadcast that a draft as it is makes, however often it is confirmed; changed, it makes another. Short enough for
 * a button with a token.
 */
export const broadcastIdOf = (draft: BroadcastDraft): string =>
  hashOf([draft.id, hashOfDraft(draft)]).slice(0, 16);

/** Of what a message says and shows; `undefined` for a kind that isn't sent to many. */
export function hashOfMessage(message: Message): string | undefined {
  const kept = keptOf(message);
  if (kept === undefined) return undefined;
  const { text, entities, caption, caption_entities } = message;
  return hashOf([...kept, text ?? caption, entities ?? caption_entities]);
}

export function hashOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

/** An animation comes with a document too, for older clients. */
function keptOf({ text, animation, photo, video, document }: Message): string[] | undefined {
  if (text !== undefined) return ['text'];
  if (animation) return ['animation', animation.file_unique_id];
  if (photo) return ['photo', ...photo.map((size) => size.file_unique_id)];
  if (video) return ['video', video.file_unique_id];
  return document && ['document', document.file_unique_id];
}
