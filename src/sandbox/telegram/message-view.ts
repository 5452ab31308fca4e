import { renderHtml } from './html-render.ts';
import type { Button } from './keyboard.ts';
import type { Message } from './message.ts';
import { BOT } from './people.ts';

/** The message as a person's client shows it: what the control side answers and streams. */
export function messageView(message: Message) {
  const { id, author, sentAt, editedAt, replyTo, text, entities, photo, keyboard } = message;
  return {
    message_id: id,
    date: Math.floor(sentAt / 1000),
    from: author ? 'person' : 'bot',
    from_id: author?.id ?? BOT.id,
    ...(photo ? { caption: text, photo: { url: `/sandbox/telegram/${photo.path}` } } : { text }),
    entities,
    html: renderHtml({ text, entities }),
    ...(keyboard && { keyboard: keyboard.map((row) => row.map(buttonView)) }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    edited: editedAt !== undefined,
  };
}

function buttonView({ text, style, callback_data, url, copy_text }: Button) {
  const look = { text, ...(style !== undefined && { style }) };
  if (callback_data) return { ...look, kind: 'callback', data: callback_data };
  if (url) return { ...look, kind: 'url', url };
  if (copy_text) return { ...look, kind: 'copy', copy: copy_text.text };
  return { ...look, kind: 'other' };
}
