import { createHash } from 'node:crypto';
import type { Message } from 'grammy/types';
import { z } from 'zod';
import type { BroadcastDraft } from '../broadcasts/store.ts';
import { LANGUAGES } from '../i18n/texts.ts';
import { type DialogueState, ENDS, keptSchema } from './dialogue.ts';

/** Steps of the flow that makes a broadcast, and its endings besides {@link ENDS}. */
export const MAKING = {
  message: 'message',
  buttons: 'buttons',
  contents: 'contents',
  audience: 'audience',
  /** The question for the audience again, below a test message. */
  tested: 'tested',
  time: 'time',
  confirm: 'confirm',
  /** The draft has become a broadcast. */
  begun: 'begun',
  /** The draft has expired (after one day), or another one has replaced it. */
  gone: 'gone',
} as const;

/** Readers of a version of the message. `default` is for all languages without a version of their own. */
export const FOR = ['default', ...LANGUAGES] as const;
export type For = (typeof FOR)[number];

/** Stored state of the flow. Everything else is in the draft, which has its own record. */
export const makingSchema = keptSchema.extend({
  language: z.enum(FOR).optional(),
  /** Content of the card above *Send*: the draft's hash, the time (epoch milliseconds) and the number of recipients. */
  shown: z
    .object({ hash: z.string(), at: z.number(), count: z.number().or(z.enum(['late', 'failed'])) })
    .optional(),
});

export interface MakingState extends z.infer<typeof makingSchema>, DialogueState {
  /** Read for each update and never stored. */
  draft?: BroadcastDraft | undefined;
  /** Why the card is shown again. */
  anew?: 'late' | 'changed' | undefined;
}

/**
 * Returns the step to go to instead if the draft lacks what `step` needs. That happens after another draft has replaced
 * it, or after *Back* from the first question.
 */
export function lacks({ contents, source, audience }: BroadcastDraft, step: string): string | undefined {
  if (step === MAKING.message) return undefined;
  if (step === MAKING.buttons) return source ? undefined : MAKING.gone;
  if (contents.default === undefined) return step === MAKING.contents ? ENDS.back : MAKING.gone;
  const needsAudience = step === MAKING.time || step === MAKING.confirm;
  return needsAudience && audience === undefined ? MAKING.audience : undefined;
}

/** Returns a hash of everything that a draft would send, of its audience and of its time. */
export function hashOfDraft({ contents, audience, at }: BroadcastDraft): string {
  return hashOf([contents, audience, at]);
}

/**
 * Returns the id of the broadcast that a draft starts. Each confirmation of an unchanged draft gives the same id; a
 * changed draft gives another. The id is short enough for a button with a token.
 */
export const broadcastIdOf = (draft: BroadcastDraft): string =>
  hashOf([draft.id, hashOfDraft(draft)]).slice(0, 16);

/** Returns a hash of a message's content, or `undefined` if its kind can't be broadcast. */
export function hashOfMessage(message: Message): string | undefined {
  const kept = keptOf(message);
  if (kept === undefined) return undefined;
  const { text, entities, caption, caption_entities } = message;
  return hashOf([...kept, text ?? caption, entities ?? caption_entities]);
}

export function hashOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

/** Checks for an animation first, because Telegram adds a document to it for older clients. */
function keptOf({ text, animation, photo, video, document }: Message): string[] | undefined {
  if (text !== undefined) return ['text'];
  if (animation) return ['animation', animation.file_unique_id];
  if (photo) return ['photo', ...photo.map((size) => size.file_unique_id)];
  if (video) return ['video', video.file_unique_id];
  return document && ['document', document.file_unique_id];
}
