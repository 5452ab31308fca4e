import { renderHtml } from './html-render.ts';
import type { Button } from './keyboard.ts';
import type { Media } from './media.ts';
import type { Message } from './message.ts';
import { BOT } from './people.ts';

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
  const look = { text, ...(style !== undefined && { style }) };
  if (callback_data) return { ...look, kind: 'callback', data: callback_data };
  if (url) return { ...look, kind: 'url', url };
  if (copy_text) return { ...look, kind: 'copy', copy: copy_text.text };
  return { ...look, kind: 'other' };
}
