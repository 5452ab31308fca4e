import type { Update } from 'grammy/types';
import { z } from 'zod';

const id = z.int();
const text = z.string().optional();
const user = z.object({ id, language_code: text });
const chat = z.object({ id, type: z.string() });
const entities = z
  .array(z.object({ type: z.string(), offset: z.int(), length: z.int(), url: text }))
  .optional();
const file = z.object({ file_unique_id: z.string() });
const keyboard = z.object({ inline_keyboard: z.array(z.array(z.object({ callback_data: text }))) });

/** New, edited or tapped message. */
const message = z.object({
  message_id: id,
  chat,
  from: user.optional(),
  text,
  caption: text,
  entities,
  caption_entities: entities,
  media_group_id: text,
  photo: z.array(file).optional(),
  video: file.optional(),
  animation: file.optional(),
  document: file.optional(),
  reply_markup: keyboard.optional(),
});

const kinds = {
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: z
    .object({ id: z.string(), from: user, message: message.optional(), data: text })
    .optional(),
  my_chat_member: z
    .object({ chat, from: user, new_chat_member: z.object({ status: z.string() }) })
    .optional(),
};

/** Kinds of updates that the bot handles and requests. */
export const ALLOWED_UPDATES = Object.keys(kinds) as readonly (keyof typeof kinds)[];

const withId = z.object({ update_id: id });
/** The fields of an update (https://core.telegram.org/bots/api#update) that the bot reads. */
const updateSchema = withId
  .extend(kinds)
  .refine((update) => ALLOWED_UPDATES.some((kind) => update[kind] !== undefined), 'unknown kind');

/** Returns the id of an update, readable or not, or `undefined` if it has none. */
export function updateIdOf(value: unknown): number | undefined {
  return withId.safeParse(value).data?.update_id;
}

/**
 * Returns an update if all its fields that the bot reads have the right types, with its other fields. Otherwise returns a
 * reason without content, for the log.
 */
export function readUpdate(value: unknown): { update: Update } | { reason: string } {
  const { error } = updateSchema.safeParse(value);
  if (error === undefined) return { update: value as Update };
  const [issue] = error.issues;
  return { reason: `${issue?.path.join('.') || 'update'}: ${issue?.message}` };
}
