import { z } from 'zod';
import { badRequest } from '../bot-api-error.ts';
import { messageObject } from '../bot-objects.ts';
import type { Chat } from '../chat.ts';
import { formatCaption } from '../html.ts';
import { readKeyboard } from '../keyboard.ts';
import type { MediaKind, Uploads } from '../media.ts';
import { readMedia } from '../media.ts';
import { type Content, type Message, sameContent } from '../messages.ts';
import type { World } from '../world.ts';

export interface ApiRequest {
  params: Readonly<Record<string, unknown>>;
  uploads: Uploads;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export interface Method {
  readonly name: string;
  /** @throws BotApiError */
  run(request: ApiRequest, world: World): unknown;
}

/** Creates a Bot API method from its name, its parameters' schema and its implementation. */
export function method<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (params: z.output<z.ZodObject<Shape>>, world: World, request: ApiRequest) => unknown,
): Method {
  const fields = z.object(shape);
  return {
    name,
    run(request, world) {
      const params = fields.safeParse(request.params);
      if (params.success) return run(params.data, world, request);
      const issue = params.error.issues[0];
      throw badRequest(`field "${issue?.path.join('.')}": ${issue?.message}`);
    },
  };
}

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
const videoShape = {
  width: integer.default(0),
  height: integer.default(0),
  duration: integer.default(0),
};

export const languageCode = text.optional();

/** Returns a two-letter code, or `''` (users without a dedicated language) if it is missing. @throws BotApiError */
export function checkLanguage(code: string | undefined): string {
  if (code === undefined || code === '') return '';
  if (!/^[a-z]{2}$/.test(code)) throw badRequest('invalid language code specified');
  return code;
}

interface Reply {
  message_id: number;
  allow_sending_without_reply?: boolean | undefined;
}

/** Sends a message of the bot, if the chat, its user and the rate limits allow it. Returns its API object. @throws BotApiError */
export function send(
  world: World,
  chatId: number | string | undefined,
  content: Content,
  reply: Reply | undefined,
): unknown {
  const chat = world.chats.resolveWritable(chatId);
  return messageObject(chat, addMessage(world, chat, content, reply));
}

/** Like `send`, but for a chat that was checked to be writable. Returns the message. @throws BotApiError */
export function addMessage(
  { chats, rateLimiter }: World,
  chat: Chat,
  content: Content,
  reply: Reply | undefined,
): Message {
  const isReplyFound = reply !== undefined && chat.messages.has(reply.message_id);
  if (reply && !isReplyFound && !reply.allow_sending_without_reply) {
    throw badRequest('message to be replied not found');
  }
  rateLimiter.countMessage(chat.id);
  return chats.add(chat, { ...content, replyTo: isReplyFound ? reply.message_id : undefined });
}

/** Edits a message of the bot. `change` receives the message and returns its new content. @throws BotApiError */
export function edit(
  { chats }: World,
  { chat_id, message_id }: { chat_id?: number | string | undefined; message_id?: number | undefined },
  change: (message: Message) => Content,
): unknown {
  const chat = chats.resolveWritable(chat_id);
  const message = findMessage(chat, message_id, 'message to edit not found');
  if (message.author) throw badRequest("message can't be edited");
  const content = change(message);
  if (sameContent(message, content)) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  return messageObject(chat, chats.edit(chat, message, content));
}

/** Returns a message of a chat. @throws BotApiError with the text `notFound` if it is missing */
export function findMessage(chat: Chat, id: number | undefined, notFound: string): Message {
  if (id === undefined) throw badRequest('message identifier is not specified');
  const message = chat.messages.get(id);
  if (!message) throw badRequest(notFound);
  return message;
}

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
      const requested = { kind, value: params[kind], shape: { width, height, duration } };
      const media = await readMedia(requested, uploads, world.files);
      if (!media) throw badRequest(`there is no ${kind} in the request`);
      return send(world, chat_id, { ...body, keyboard, media }, params.reply_parameters);
    },
  );
