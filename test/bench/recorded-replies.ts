import type { Call } from './stand-in-server.ts';

/** What the bot did about an update of one kind: requests, in order, whose bodies fit anybody once filled in. */
export interface RecordedReply {
  calls: { to: 'telegram' | 'rental'; method: string; path: string; body: Part[]; key: Part[] | undefined }[];
}

/** By what an update says: its text, or the data of the tapped button. */
export type RecordedReplies = Record<string, RecordedReply>;

/** Literal text; or what differs from update to update. */
export type Part = string | { chat: true } | { tap: true } | { message: number };

/** The update that was answered. */
export interface Asked {
  chat: number;
  tap: string;
  message: number;
}

/** Takes out of the calls what belongs to this one update alone. */
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
