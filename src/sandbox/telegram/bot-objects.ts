import type { Chat } from './chat.ts';
import type { Media } from './media.ts';
import { KIND_FIELDS, type Message } from './messages.ts';
import { BOT, GROUP, type Person } from './people.ts';

/** The bot as a user of the Bot API. */
export const BOT_USER = { id: BOT.id, is_bot: true, first_name: BOT.name, username: BOT.username };

export const userObject = ({ id, first_name, username, language_code }: Person) => ({
  id,
  is_bot: false,
  first_name,
  username,
  language_code,
});

export const chatObject = ({ id, person }: Chat) =>
  person
    ? { id, type: 'private', first_name: person.first_name, username: person.username }
    : { id, type: 'group', title: GROUP.title };

/** Returns the message as the Bot API represents it. https://core.telegram.org/bots/api#message */
export function messageObject(chat: Chat, message: Message): Record<string, unknown> {
  const { id, author, sentAt, editedAt, text, entities, media, kind, keyboard, replyTo } = message;
  const original = replyTo === undefined ? undefined : chat.messages.get(replyTo);
  return {
    message_id: id,
    from: author ? userObject(author) : BOT_USER,
    chat: chatObject(chat),
    date: Math.floor(sentAt / 1000),
    ...(editedAt !== undefined && { edit_date: Math.floor(editedAt / 1000) }),
    ...(original && { reply_to_message: messageObject(chat, { ...original, replyTo: undefined }) }),
    ...forwardFields(message),
    ...(message.albumId !== undefined && { media_group_id: message.albumId }),
    ...(media && mediaObject(media)),
    ...(kind && KIND_FIELDS[kind]),
    ...(text !== '' && { [media ? 'caption' : 'text']: text }),
    ...(entities.length > 0 && { [media ? 'caption_entities' : 'entities']: entities }),
    ...(keyboard && { reply_markup: { inline_keyboard: keyboard } }),
  };
}

/** Uses the date of forwarding as the original's date, because the sandbox has no chats other than the bot's. */
const forwardFields = ({ forwardedFrom, sentAt }: Message) =>
  forwardedFrom && {
    forward_origin: {
      type: 'user',
      sender_user: userObject(forwardedFrom),
      date: Math.floor(sentAt / 1000),
    },
  };

function mediaObject(media: Media): Record<string, unknown> {
  const file = { file_id: media.fileId, file_unique_id: media.uniqueId, file_size: media.bytes.length };
  if (media.kind === 'photo') return { photo: [{ ...file, width: media.width, height: media.height }] };
  const named = { ...file, file_name: media.name, mime_type: media.mime };
  if (media.kind === 'document') return { document: named };
  const { width, height, duration } = media;
  return { video: { ...named, width, height, duration } };
}
