import { readEvents } from '../support/event-stream.ts';
import { operationOf, type ShownMessage } from '../support/person.ts';
import { withPlainSpaces } from '../support/plain-spaces.ts';

/** Message of the chat. `operation`: the one that it shows, showed before, or replies to. */
export interface ChatMessage extends ShownMessage {
  operation?: string | undefined;
}

/** An event in a chat that its user could see. */
export interface Seen {
  at: number;
  kind: 'message' | 'edit' | 'delete' | 'toast';
  message_id?: number;
  message?: ChatMessage;
  /** For a toast: id of the tap, and the text if there is one. */
  callback?: string;
  text?: string;
}

/** Follows a chat of the simulated Telegram through its event stream, without missing an event. */
export async function followChat(origin: string, id: number) {
  const base = `${origin}/sandbox/telegram/chats/${id}`;
  const seen: Seen[] = [];
  const shown = new Map<number, ChatMessage>();
  const watchers = new Set<() => void>();

  function take(kind: string, data: string): void {
    const said = JSON.parse(withPlainSpaces(data)) as ShownMessage & {
      callback_id?: string;
      message_id: number;
    };
    const at = Date.now();
    if (kind === 'toast') seen.push({ at, kind, callback: said.callback_id ?? '', text: said.text ?? '' });
    else if (kind === 'delete') {
      shown.delete(said.message_id);
      seen.push({ at, kind, message_id: said.message_id });
    } else if (kind === 'message' || kind === 'edit') {
      const message = { ...said, operation: operationShownBy(said) };
      shown.set(said.message_id, message);
      seen.push({ at, kind, message_id: said.message_id, message });
    }
    for (const watch of [...watchers]) watch();
  }

  function operationShownBy(message: ShownMessage): string | undefined {
    const before = shown.get(message.message_id) ?? shown.get(message.reply_to ?? 0);
    return operationOf(message) || before?.operation;
  }

  async function post(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async function resultOf<T>(response: Response): Promise<T> {
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  const leave = await follow(`${base}/stream`, take);
  return {
    id,
    /** Everything that was ever shown, oldest first. */
    seen: seen as readonly Seen[],
    /** Returns the visible messages, oldest first. */
    messages: () => [...shown.values()].sort((a, b) => a.message_id - b.message_id),
    say: async (text: string) =>
      (await resultOf<{ message_id: number }>(await post('/messages', { text }))).message_id,
    /** Taps a button. Returns `undefined` if the message was deleted in the meantime. */
    async tap(message_id: number, data: string) {
      const response = await post('/taps', { message_id, data });
      if (response.status === 404) return undefined;
      const tapped = await resultOf<{ callback_id: string; update_id: number | null }>(response);
      return { callback: tapped.callback_id, update: tapped.update_id };
    },
    /**
     * Resolves with the result of `find` once it isn't `undefined`, or with `undefined` after `ms` or when `signal`
     * aborts.
     */
    until: <T>(find: () => T | undefined, ms: number, signal: AbortSignal) =>
      new Promise<T | undefined>((resolve) => {
        const end = (found?: T) => {
          clearTimeout(timer);
          watchers.delete(look);
          signal.removeEventListener('abort', giveUp);
          resolve(found);
        };
        const look = () => {
          const found = find();
          if (found !== undefined) end(found);
        };
        const giveUp = () => end();
        const timer = setTimeout(giveUp, ms);
        watchers.add(look);
        signal.addEventListener('abort', giveUp);
        if (signal.aborted) giveUp();
        else look();
      }),
    leave,
  };
}

export type Chat = Awaited<ReturnType<typeof followChat>>;

/** Reads server-sent events until stopped. Resolves once the stream is open. */
async function follow(url: string, take: (kind: string, data: string) => void): Promise<() => void> {
  const ending = new AbortController();
  const events = readEvents(await fetch(url, { signal: ending.signal }));
  await events.next();
  void (async () => {
    for await (const { kind, data } of events) if (kind !== undefined) take(kind, data || '{}');
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return () => ending.abort();
}
