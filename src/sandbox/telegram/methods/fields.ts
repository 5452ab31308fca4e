import { z } from 'zod';

/** Parses numbers, flags and objects from text. Forms send all values as text, and the Bot API accepts text in JSON, too. */
const fromText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

export const text = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string());
export const integer = z.preprocess(fromText, z.number().int());
export const flag = z.preprocess((value) => {
  const read = fromText(value);
  return typeof read === 'number' ? read !== 0 : read;
}, z.boolean());
export const chatId = z.union([z.number(), z.string()]).optional();
/** Object or array that the method validates itself. */
export const json = z.preprocess(fromText, z.unknown());
export const parsed = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(fromText, schema);

export const newMessage = {
  chat_id: chatId,
  parse_mode: text.optional(),
  reply_markup: json.optional(),
  reply_parameters: parsed(
    z.object({ message_id: integer, allow_sending_without_reply: flag.optional() }),
  ).optional(),
};

export const editedMessage = {
  chat_id: chatId,
  message_id: integer.optional(),
  parse_mode: text.optional(),
  reply_markup: json.optional(),
};

/** Size and duration of a video as given by the sender. */
export const videoShape = {
  width: integer.default(0),
  height: integer.default(0),
  duration: integer.default(0),
};

export const languageCode = text.optional();
