import type { Side } from './identities.ts';

export interface ChatMessage {
  id: number;
  html: string;
  markup: unknown;
  buttons: { label: string; data: string }[];
}

/** A chat as its user sees it: the latest messages, and a way to wait for a text. */
export interface Chat {
  readonly id: number;
  readonly side: Side;
  /** Returns the newest message that has this button. */
  find(label: string): { message: ChatMessage; data: string } | undefined;
  nextId(): number;
  shown(message: ChatMessage): void;
  /** Resolves with the next sent or edited message that contains `part`. Rejects after `ms`. */
  until(part: string, ms: number): Promise<ChatMessage>;
  /** Called for every message that is shown. */
  watch: ((message: ChatMessage) => void) | undefined;
}

const REMEMBERED = 6;

export function createChat(id: number, side: Side): Chat {
  let last = 0;
  const messages = new Map<number, ChatMessage>();
  const waiting = new Set<{ part: string; met(message: ChatMessage): void }>();
  const chat: Chat = {
    id,
    side,
    watch: undefined,
    find(label) {
      for (const message of [...messages.values()].reverse()) {
        const button = message.buttons.find((one) => one.label.includes(label));
        if (button) return { message, data: button.data };
      }
      return undefined;
    },
    nextId: () => ++last,
    shown(message) {
      messages.delete(message.id);
      messages.set(message.id, message);
      for (const old of messages.keys()) {
        if (messages.size <= REMEMBERED) break;
        messages.delete(old);
      }
      for (const one of waiting) if (message.html.includes(one.part)) one.met(message);
      chat.watch?.(message);
    },
    until: (part, ms) =>
      new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          waiting.delete(one);
        };
        const one = {
          part,
          met(message: ChatMessage) {
            end();
            resolve(message);
          },
        };
        const timer = setTimeout(() => {
          end();
          const [said = ''] = [...messages.values()].at(-1)?.html.split('\n') ?? [];
          reject(new Error(`${id} waited ${ms} ms for “${part}”; the last message was: ${said}`));
        }, ms);
        waiting.add(one);
      }),
  };
  return chat;
}

/** A step and its response time in milliseconds. */
export interface Answered {
  step: string;
  ms: number;
  message: ChatMessage;
}

/** A simulated user who writes, taps buttons that the bot sent, and reads the responses. */
export interface Person {
  readonly chat: Chat;
  /** Sends a text. Resolves once the bot has shown `part` and accepted the update. */
  say(text: string, part: string, step?: string): Promise<Answered>;
  /** Taps the newest button with this label. */
  tap(label: string, part: string): Promise<Answered>;
}

const PATIENCE_MS = 20_000;

export function createPerson(deps: {
  chat: Chat;
  /** Resolves once the bot has accepted the update. */
  push: (update: object) => Promise<void>;
  nextUpdate: () => number;
}): Person {
  const { chat, push, nextUpdate } = deps;
  const from = { id: chat.id, is_bot: false, first_name: 'Guest', language_code: 'en' };
  const place = { id: chat.id, type: 'private', first_name: 'Guest' };
  const date = () => Math.floor(Date.now() / 1000);

  async function answered(step: string, part: string, update: object): Promise<Answered> {
    const began = performance.now();
    const read = chat
      .until(part, PATIENCE_MS)
      .then((message) => ({ message, ms: performance.now() - began }));
    const [{ message, ms }] = await Promise.all([read, push(update)]);
    return { step, ms, message };
  }

  return {
    chat,
    say(text, part, step = text) {
      const command = { type: 'bot_command', offset: 0, length: text.length };
      const entities = text.startsWith('/') ? [command] : undefined;
      const message = { message_id: chat.nextId(), from, chat: place, date: date(), text, entities };
      return answered(step, part, { update_id: nextUpdate(), message });
    },
    async tap(label, part) {
      const found = chat.find(label);
      if (found === undefined) throw new Error(`${chat.id} sees no button “${label}”`);
      const { id, html, markup } = found.message;
      const update_id = nextUpdate();
      const message = { message_id: id, date: date(), chat: place, text: textOf(html), reply_markup: markup };
      const callback_query = {
        id: `tap-${update_id}`,
        from,
        message,
        chat_instance: String(chat.id),
        data: found.data,
      };
      return answered(label, part, { update_id, callback_query });
    },
  };
}

/** Returns a message's text without tags, as Telegram returns it to the bot. */
function textOf(html: string): string {
  return html
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
