import { withPlainSpaces } from './plain-spaces.ts';
import type { SandboxRequests } from './sandbox-requests.ts';

/** Detects changes of a chat with the event stream that its page uses. */
export interface ChatWatch {
  /** Starts to watch. `before` resolves with `true` at the next change, or with `false` at `end` (of `performance.now`). */
  begin(): Promise<{ before(end: number): Promise<boolean> }>;
}

export function createChatWatch(open: () => Promise<ReadableStream<Uint8Array>>): ChatWatch {
  const waiting = new Set<() => void>();
  let changes = 0;
  let opened: Promise<void> | undefined;

  async function follow(): Promise<void> {
    const reader = (await open()).getReader();
    // The first chunk shows that the stream is open.
    await reader.read();
    void (async () => {
      while (!(await reader.read()).done) {
        changes += 1;
        for (const wake of waiting) wake();
      }
    })();
  }

  return {
    async begin() {
      opened ??= follow();
      await opened;
      const seen = changes;
      return {
        before: (end) =>
          new Promise((resolve) => {
            if (changes > seen) return resolve(true);
            const settle = (changed: boolean) => {
              clearTimeout(timer);
              waiting.delete(wake);
              resolve(changed);
            };
            const wake = () => settle(true);
            const timer = setTimeout(settle, Math.max(0, end - performance.now()), false);
            waiting.add(wake);
          }),
      };
    },
  };
}

export interface ShownButton {
  text: string;
  kind: string;
  data?: string;
  copy?: string;
  url?: string;
}

export interface ShownMessage {
  message_id: number;
  from: 'bot' | 'person';
  text?: string;
  caption?: string;
  html: string;
  photo?: { url: string };
  /** `size` in bytes. */
  document?: { url: string; name: string; size: number };
  keyboard?: ShownButton[][];
  /** ID of the message that this message replies to. */
  reply_to?: number;
}

const PATIENCE_MS = 60_000;

/**
 * Creates a Telegram user of the sandbox, driven by its control API: writes, taps and reads the chat. `patienceMs`:
 * maximum time to wait for the bot.
 */
export function createPerson({
  requests,
  chat,
  patienceMs = PATIENCE_MS,
}: {
  requests: SandboxRequests;
  chat: number;
  patienceMs?: number;
}) {
  const base = `/telegram/chats/${chat}`;
  const watch = createChatWatch(() => requests.open(`${base}/stream`));

  const post = (path: string, body: object) =>
    requests.ask<Record<string, number>>('POST', `${base}${path}`, body);
  async function messages(): Promise<ShownMessage[]> {
    const shown = await requests.ask<ShownMessage[]>('GET', `${base}/messages`);
    return JSON.parse(withPlainSpaces(JSON.stringify(shown))) as ShownMessage[];
  }

  const person = {
    messages,
    say: (text: string) => post('/messages', { text }),
    /** Taps a button with any data, as a modified client could. */
    tapData: (message_id: number, data: string, from?: number) =>
      post('/taps', { message_id, data, ...(from !== undefined && { from }) }),

    /** Opens a link to the bot and taps *Start*. */
    async follow(link: string): Promise<void> {
      const payload = new URL(link).searchParams.get('start');
      if (!payload) throw new Error(`${link} has no start payload`);
      await person.say(`/start ${payload}`);
    },

    /** Returns the content of the message's document. */
    async download({ document }: ShownMessage): Promise<string> {
      if (!document) throw new Error('the message has no document');
      return new Response(await requests.open(document.url.replace('/sandbox', ''))).text();
    },

    /** Deletes a message of the chat. */
    remove: (message_id: number) => requests.ask('DELETE', `${base}/messages/${message_id}`),

    /** Waits until `find` returns a value for the messages of the chat. `what` describes it in the error. */
    async until<T>(what: string, find: (shown: ShownMessage[]) => T | undefined | false): Promise<T> {
      const end = performance.now() + patienceMs;
      for (;;) {
        const changed = await watch.begin();
        const shown = await messages();
        const found = find(shown);
        if (found !== undefined && found !== false) return found;
        if (!(await changed.before(end))) {
          const tail = shown.slice(-4).map((m) => `${m.from}: ${says(m)}`);
          throw new Error(`the chat never showed ${what}. It ends with:\n${tail.join('\n---\n')}`);
        }
      }
    },

    /** Waits for a message of the bot that contains this text, if given below another one. Returns the latest. */
    reads: (part: string | RegExp, { message_id }: MessageRef = { message_id: 0 }): Promise<ShownMessage> =>
      person.until(`“${part}”${message_id ? ` below message ${message_id}` : ''}`, (shown) =>
        shown.findLast(
          (m) =>
            m.from === 'bot' &&
            m.message_id > message_id &&
            (typeof part === 'string' ? says(m).includes(part) : part.test(says(m))),
        ),
      ),

    /** Waits until this message contains this text. */
    shows: ({ message_id }: MessageRef, part: string): Promise<ShownMessage> =>
      person.until(`“${part}” on message ${message_id}`, (shown) =>
        shown.find((m) => m.message_id === message_id && says(m).includes(part)),
      ),

    /** Waits for a button whose label contains this text. Taps the latest one and returns its message. */
    async tap(label: string): Promise<ShownMessage> {
      const [message, button] = await person.until(`a button “${label}”`, (shown) =>
        findButton(shown, label),
      );
      await person.tapData(message.message_id, button.data ?? '');
      return message;
    },

    /** Sends a text, then reads a message with `part` below it. Returns the message. */
    async ask(text: string, part: string): Promise<ShownMessage> {
      const { message_id = 0 } = await person.say(text);
      return person.reads(part, { message_id });
    },

    /** Sends a text, then reads a message with `part`, if given below another one. Returns the message. */
    async sayAndRead(text: string, part: string | RegExp, below?: MessageRef): Promise<ShownMessage> {
      await person.say(text);
      return person.reads(part, below);
    },

    /** Taps a button, then reads a message with `part`, if given below another one. Returns the message. */
    async tapAndRead(label: string, part: string | RegExp, below?: MessageRef): Promise<ShownMessage> {
      await person.tap(label);
      return person.reads(part, below);
    },

    /** Taps a button, then waits until a message shows `part`. Returns the message. */
    async tapToShow(label: string, message: MessageRef, part: string): Promise<ShownMessage> {
      await person.tap(label);
      return person.shows(message, part);
    },

    /** Confirms a card, then waits until it shows `part`. Returns its message. */
    async confirm(card: MessageRef, part: string): Promise<ShownMessage> {
      const data = await person.until('the button that confirms', (shown) => {
        const keyboard = shown.find(({ message_id }) => message_id === card.message_id)?.keyboard ?? [];
        return keyboard.flat().find((one) => one.data?.startsWith('operation:confirm:'))?.data;
      });
      await person.tapData(card.message_id, data);
      return person.shows(card, part);
    },
  };
  return person;
}

/** A message, or at least its ID. */
type MessageRef = Pick<ShownMessage, 'message_id'>;

/** Returns the text or the caption of a message. */
const says = ({ text, caption }: ShownMessage) => text ?? caption ?? '';

let nextUpdate = 900_000;

/** Creates the update of a tap that sandbox users can't make: in another user's chat, or twice at once. */
export function tapUpdate(tap: {
  chat: number;
  from?: number;
  message_id: number;
  /** Text of the tapped message. */
  text?: string;
  data: string;
}) {
  const { chat, from = chat, message_id, text = '', data } = tap;
  const id = nextUpdate++;
  return {
    update_id: id,
    callback_query: {
      id: String(id),
      from: { id: from, is_bot: false, first_name: 'Person', language_code: 'en' },
      message: { message_id, date: 0, chat: { id: chat, type: 'private', first_name: 'Person' }, text },
      chat_instance: '1',
      data,
    },
  };
}

/** Returns the id of the operation that a message shows, by its buttons or its text; an empty string without one. */
export function operationOf({ keyboard = [], text = '' }: ShownMessage): string {
  const ids = keyboard.flat().map(({ data }) => /^operation:(?!show)[a-z-]+:(\w{8})/.exec(data ?? '')?.[1]);
  return ids.find((id) => id !== undefined) ?? /(?:Ref\.|Операция) (\w{8})/.exec(text)?.[1] ?? '';
}

export type Person = ReturnType<typeof createPerson>;

export function findButton(shown: ShownMessage[], label: string): [ShownMessage, ShownButton] | undefined {
  for (const message of shown.toReversed()) {
    const button = message.keyboard?.flat().find((one) => one.text.includes(label));
    if (button) return [message, button];
  }
  return undefined;
}
