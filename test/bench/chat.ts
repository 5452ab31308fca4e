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
