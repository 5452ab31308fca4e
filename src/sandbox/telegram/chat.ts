import type { Message } from './messages.ts';
import type { Person } from './people.ts';

/** Messages of a chat by id, oldest first. */
export interface Messages {
  get(id: number): Message | undefined;
  has(id: number): boolean;
  set(id: number, message: Message): unknown;
  delete(id: number): unknown;
  clear(): void;
  values(): Iterable<Message>;
}

export interface Chat {
  readonly id: number;
  /** The user of a private chat. Undefined in a group. */
  readonly person?: Person;
  readonly messages: Messages;
  lastMessageId: number;
  /** The person has written to the bot. */
  started: boolean;
  blocked: boolean;
  /** The person has deleted their account. */
  deactivated: boolean;
}

/** Returns a chat without messages that hasn't been started. */
export const emptyChat = (id: number, person?: Person): Chat => ({
  id,
  ...(person && { person }),
  messages: new Map(),
  lastMessageId: 0,
  started: false,
  blocked: false,
  deactivated: false,
});
