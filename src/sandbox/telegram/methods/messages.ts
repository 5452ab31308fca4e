import { z } from 'zod';
import { badRequest } from '../bot-api-error.ts';
import { formatCaption, formatMessageText } from '../html.ts';
import { readKeyboard } from '../keyboard.ts';
import { readMedia } from '../media.ts';
import {
  addMessage,
  chatId,
  edit,
  editedMessage,
  findMessage,
  flag,
  integer,
  json,
  mediaSending,
  method,
  newMessage,
  send,
  text,
} from './method.ts';

export const sendMessage = method(
  'sendMessage',
  { ...newMessage, text: text.optional(), entities: json.optional() },
  (params, world) => {
    const content = { ...formatMessageText(params), keyboard: readKeyboard(params.reply_markup) };
    return send(world, params.chat_id, content, params.reply_parameters);
  },
);

/** https://core.telegram.org/bots/api#sendphoto */
export const sendPhoto = mediaSending('sendPhoto', 'photo');

/** https://core.telegram.org/bots/api#senddocument */
export const sendDocument = mediaSending('sendDocument', 'document');

/** https://core.telegram.org/bots/api#sendvideo */
export const sendVideo = mediaSending('sendVideo', 'video');

const ACTIONS =
  /^(typing|choose_sticker|find_location|(upload|record)_(photo|video|voice|video_note)|upload_document)$/;

export const sendChatAction = method(
  'sendChatAction',
  { chat_id: chatId, action: text.default('') },
  ({ chat_id, action }, { chats }) => {
    if (!ACTIONS.test(action)) throw badRequest('wrong parameter action in request');
    chats.resolveWritable(chat_id);
    return true;
  },
);

/**
 * Copies text, entities and file of a message, without its keyboard and its origin. A given caption replaces that of a file,
 * also if it is empty. It doesn't replace a text.
 * https://core.telegram.org/bots/api#copymessage
 */
export const copyMessage = method(
  'copyMessage',
  {
    ...newMessage,
    from_chat_id: chatId,
    message_id: integer.optional(),
    caption: text.optional(),
    caption_entities: json.optional(),
  },
  ({ chat_id, from_chat_id, message_id, caption, caption_entities, ...params }, world) => {
    const keyboard = readKeyboard(params.reply_markup);
    const given =
      caption === undefined
        ? {}
        : formatCaption({ text: caption, entities: caption_entities, parse_mode: params.parse_mode });
    const chat = world.chats.resolveWritable(chat_id);
    const source = findMessage(world.chats.resolve(from_chat_id), message_id, 'message to copy not found');
    const { text, entities, media, kind } = source;
    const content = { text, entities, media, kind, ...(media && given), keyboard };
    return { message_id: addMessage(world, chat, content, params.reply_parameters).id };
  },
);

const DELETABLE_MS = 48 * 60 * 60 * 1_000;

/** Deletes the bot's messages and, in private chats, the user's. Messages older than 48 hours are refused. */
export const deleteMessage = method(
  'deleteMessage',
  { chat_id: chatId, message_id: integer.optional() },
  ({ chat_id, message_id }, { chats, clock }) => {
    const chat = chats.resolve(chat_id);
    const message = findMessage(chat, message_id, 'message to delete not found');
    const isForeign = message.author !== undefined && chat.person === undefined;
    if (isForeign) throw badRequest("message can't be deleted");
    if (clock.now() - message.sentAt > DELETABLE_MS) {
      throw badRequest("message can't be deleted for everyone");
    }
    chats.remove(chat, message);
    return true;
  },
);

export const editMessageText = method(
  'editMessageText',
  { ...editedMessage, text: text.optional(), entities: json.optional() },
  (params, world) => {
    const content = { ...formatMessageText(params, true), keyboard: readKeyboard(params.reply_markup, true) };
    return edit(world, params, ({ media, kind }) => {
      if (media || kind) throw badRequest('there is no text in the message to edit');
      return content;
    });
  },
);

export const editMessageCaption = method(
  'editMessageCaption',
  { ...editedMessage, caption: text.optional(), caption_entities: json.optional() },
  ({ caption, caption_entities, ...params }, world) => {
    const body = formatCaption(
      { text: caption, entities: caption_entities, parse_mode: params.parse_mode },
      true,
    );
    const keyboard = readKeyboard(params.reply_markup, true);
    return edit(world, params, ({ media }) => {
      if (!media) throw badRequest('there is no caption in the message to edit');
      return { ...body, media, keyboard };
    });
  },
);

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
    const { type, media: resolve, caption, parse_mode, caption_entities } = readInputMedia(given);
    const body = formatCaption({ text: caption, entities: caption_entities, parse_mode });
    if (type !== 'photo' && type !== 'document') throw cannotParse(`type "${type}" is unsupported`);
    const media =
      resolve === '' ? undefined : await readMedia({ kind: type, value: resolve }, uploads, world.files);
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

export const editMessageReplyMarkup = method('editMessageReplyMarkup', editedMessage, (params, world) => {
  const keyboard = readKeyboard(params.reply_markup, true);
  return edit(world, params, ({ text, entities, media, kind }) => ({
    text,
    entities,
    media,
    kind,
    keyboard,
  }));
});

/** Bot API method `answerCallbackQuery`. Refuses a second answer to the same tap. */
export const answerCallbackQuery = method(
  'answerCallbackQuery',
  { callback_query_id: text.default(''), text: text.default(''), show_alert: flag.default(false) },
  ({ callback_query_id, text, show_alert }, { callbacks, feed }) => {
    if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
    const chatId = callbacks.answer(callback_query_id);
    feed.publish(chatId, 'toast', {
      callback_id: callback_query_id,
      ...(text !== '' && { text }),
      alert: show_alert,
    });
    return true;
  },
);
