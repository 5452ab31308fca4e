import type { Call } from './stand-in-server.ts';

/**
 * Recorded reaction of the bot to one kind of update: requests in order, with placeholders for user-specific values.
 */
export interface RecordedReply {
  calls: { to: 'telegram' | 'rental'; method: string; path: string; body: Part[]; key: Part[] | undefined }[];
}

/** Replies by the update's text or, for a tap, by the button's data. */
export type RecordedReplies = Record<string, RecordedReply>;

/** Literal text, or a placeholder for a value that differs by update. */
export type Part = string | { chat: true } | { tap: true } | { message: number };

/** The update that a reply belongs to. */
export interface Asked {
  chat: number;
  tap: string;
  message: number;
}

/** Replaces the values of this update by placeholders. */
export function recordReply(calls: readonly Call[], asked: Asked): RecordedReply {
  return {
    calls: calls.map(({ method, path, key, body }) => ({
      to: path.startsWith('/telegram/') ? 'telegram' : 'rental',
      method,
      path,
      body: partsOf(body, asked),
      key: key === undefined ? undefined : partsOf(key, asked),
    })),
  };
}

export function fill(parts: readonly Part[], { chat, tap, message }: Asked): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if ('message' in part) text += `"message_id":${message + part.message}`;
    else text += 'chat' in part ? chat : tap;
  }
  return text;
}

function partsOf(text: string, { chat, tap, message }: Asked): Part[] {
  const varying = new RegExp(`("message_id":\\d+|${tap || '(?!)'}|${chat})`);
  return text.split(varying).flatMap((piece): Part[] => {
    if (piece === '') return [];
    if (piece === String(chat)) return [{ chat: true }];
    if (piece === tap) return [{ tap: true }];
    const [, id] = /^"message_id":(\d+)$/.exec(piece) ?? [];
    return [id === undefined ? piece : { message: Number(id) - message }];
  });
}
